public import CommandLine
public import Service

/// What came of a replay: figures by route, and the exchanges that differ most.
public struct ReplaySummary: Sendable {
    /// The figures of a route, or of all.
    public struct Figures: Sendable {
        /// Exchanges by how they differ.
        public private(set) var counts: [Difference.Kind: Int] = [:]
        private var overlapSum = 0.0
        private var overlapCount = 0
        private var recorded: [UInt64] = []
        private var taken: [UInt64] = []

        /// All exchanges.
        public var count: Int { counts.values.reduce(0, +) }

        /// The part of all that is identical; 1 if there are none.
        public var identicalShare: Double {
            count == 0 ? 1 : Double(counts[.identical] ?? 0) / Double(count)
        }

        /// How many have another status, or no answer at all.
        public var statusChangeCount: Int { (counts[.otherStatus] ?? 0) + (counts[.failed] ?? 0) }

        /// The mean of the overlaps of the answers that have lists of groups in both; nil if none has.
        public var meanOverlap: Double? { overlapCount == 0 ? nil : overlapSum / Double(overlapCount) }

        /// The time that so great a part of the recorded answers took at most, in microseconds; nil if there are none.
        ///
        /// - Parameter part: above 0, 1 at most.
        public func recordedMicroseconds(ofPart part: Double) -> UInt64? { Self.quantile(recorded, part) }

        /// The same of the answers that were made now.
        public func microseconds(ofPart part: Double) -> UInt64? { Self.quantile(taken, part) }

        /// The nearest rank: the least value that so great a part of all are not above.
        private static func quantile(_ values: [UInt64], _ part: Double) -> UInt64? {
            guard !values.isEmpty else { return nil }
            let rank = Int((part * Double(values.count)).rounded(.up))
            return values.sorted()[min(max(rank, 1), values.count) - 1]
        }

        mutating func add(_ outcome: ReplayOutcome) {
            counts[outcome.difference.kind, default: 0] += 1
            if let overlap = outcome.difference.overlap {
                overlapSum += overlap
                overlapCount += 1
            }
            guard outcome.difference.kind != .failed else { return }
            recorded.append(outcome.exchange.microseconds)
            taken.append(outcome.microseconds)
        }
    }

    /// How many of the exchanges that differ most are kept.
    public static let worstLimit = 20

    /// The figures of each route, by method and pattern.
    public private(set) var routes: [String: Figures] = [:]
    /// The figures of all exchanges.
    public private(set) var total = Figures()
    /// Those that differ most, the worst first; without those that are identical.
    public private(set) var worst: [ReplayOutcome] = []
    /// Exchanges that were not played, by the reason.
    public private(set) var leftOut: [String: Int] = [:]

    /// A summary of nothing.
    public init() {}

    /// Adds an exchange that was played.
    public mutating func add(_ outcome: ReplayOutcome) {
        routes[outcome.exchange.routeName, default: Figures()].add(outcome)
        total.add(outcome)
        guard outcome.difference.kind != .identical else { return }
        let place = worst.firstIndex { outcome.isWorse(than: $0) } ?? worst.count
        guard place < Self.worstLimit else { return }
        worst.insert(outcome, at: place)
        if worst.count > Self.worstLimit { worst.removeLast() }
    }

    /// Counts an exchange that is not played.
    public mutating func leaveOut(because reason: String) { leftOut[reason, default: 0] += 1 }
}

/// An exchange that was played again.
public struct ReplayOutcome: Sendable {
    /// As it was recorded.
    public var exchange: Exchange
    /// How the answer differs.
    public var difference: Difference
    /// The status of the answer; nil if there was none.
    public var status: Int?
    /// How long it took from sending the request to the whole answer.
    public var microseconds: UInt64

    /// An outcome.
    public init(_ exchange: Exchange, _ difference: Difference, status: Int?, microseconds: UInt64) {
        self.exchange = exchange
        self.difference = difference
        self.status = status
        self.microseconds = microseconds
    }

    /// Whether it differs more: no answer before another status before less overlap before a kind of difference; of
    /// equal ones, the one that was recorded first.
    func isWorse(than other: ReplayOutcome) -> Bool { key < other.key }

    private var key: (Int, Double, Int, UInt64) {
        let kinds = Difference.Kind.allCases
        let rank = -(kinds.firstIndex(of: difference.kind) ?? 0)
        let isAnswered = difference.kind != .failed && difference.kind != .otherStatus
        return (isAnswered ? 0 : rank, difference.overlap ?? 1, rank, exchange.sequence)
    }
}

/// What of two answers may differ, and which requests are not played.
public struct ReplayRules: Sendable {
    /// Paths of routes whose answers are about the daemon itself, or this very moment.
    public var leftOut = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/admin/model"]
    /// Members that are not compared.
    public var ignored: [MemberPath]
    /// Members whose numbers are compared with so many digits after the point.
    public var rounded: [(path: MemberPath, digits: Int)] = []

    /// The usual rules: names of versions and of lists are not compared.
    public init() { ignored = ["**.modelVersion", "**.recommendationId"].compactMap(MemberPath.init) }

    /// Reads rules; what a file says takes the place of the usual.
    ///
    /// - Throws: `YAMLError` for what is not as it should be, with its place.
    public init(path: String) throws(YAMLError) {
        self.init()
        for entry in try YAMLFile.read(path).entries() {
            switch entry.key {
            case "leave-out":
                leftOut = []
                for element in try entry.value.elements() { leftOut.append(try element.text()) }
            case "ignore":
                ignored = []
                for element in try entry.value.elements() { ignored.append(try Self.path(element.text(), element)) }
            case "round":
                for member in try entry.value.entries() {
                    let digits = try member.value.integer()
                    guard (0...12).contains(digits) else {
                        throw YAMLError(.wrongType, at: member.value.place, "give 0 to 12 digits")
                    }
                    rounded.append((try Self.path(member.key, member.value), digits))
                }
            default:
                throw YAMLError(
                    .wrongType, at: entry.place, "\"\(entry.key)\" is unknown here: give leave-out, ignore, round")
            }
        }
    }

    private static func path(_ text: String, _ node: YAMLNode) throws(YAMLError) -> MemberPath {
        guard let path = MemberPath(text) else {
            throw YAMLError(.wrongType, at: node.place, "give a path such as recommendations.score or **.score")
        }
        return path
    }

    /// A document without what may differ.
    func normalised(_ tree: JSONTree, at names: [String] = []) -> JSONTree {
        switch tree {
        case .object(let members):
            var kept: [String: JSONTree] = [:]
            for (name, value) in members {
                let path = names + [name]
                if !ignored.contains(where: { $0.matches(path) }) { kept[name] = normalised(value, at: path) }
            }
            return .object(kept)
        case .list(let elements): return .list(elements.map { normalised($0, at: names) })
        case .number(let number):
            guard let digits = rounded.first(where: { $0.path.matches(names) })?.digits else { return tree }
            let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
            return .number((number * scale).rounded() / scale)
        case .null, .boolean, .text: return tree
        }
    }
}

/// How far answers may differ from recorded ones, so that something can be made to depend on it.
public struct ReplayLimits: Sendable {
    /// The least part of all exchanges that must be identical; nil for any.
    public var identicalShare: Double?
    /// The least mean overlap; nil for any.
    public var meanOverlap: Double?
    /// How many may have another status, or no answer; nil for any number.
    public var statusChangeCount: Int?
    /// How many times as long as recorded the 99th percentile of latency may be; nil for any.
    public var latencyRatio: Double?

    /// No limits.
    public init() {}

    /// The limits that are exceeded, in words; none if all are kept.
    public func exceeded(by summary: ReplaySummary) -> [String] {
        let total = summary.total
        var problems: [String] = []
        if let identicalShare, total.identicalShare < identicalShare {
            problems.append(
                "\(percent(total.identicalShare)) are identical: at least \(percent(identicalShare)) must be")
        }
        if let meanOverlap, let mean = total.meanOverlap, mean < meanOverlap {
            problems.append("the mean overlap at 10 is \(percent(mean)): it must be at least \(percent(meanOverlap))")
        }
        if let statusChangeCount, total.statusChangeCount > statusChangeCount {
            problems.append(
                "\(total.statusChangeCount) have another status or no answer: at most \(statusChangeCount) may")
        }
        if let latencyRatio, let before = total.recordedMicroseconds(ofPart: 0.99),
            let now = total.microseconds(ofPart: 0.99), Double(now) > latencyRatio * Double(before)
        {
            problems.append(
                "the 99th percentile of latency is \(now) µs, and was \(before) µs: at most \(latencyRatio) times that")
        }
        return problems
    }

    private func percent(_ share: Double) -> String { "\((share * 1000).rounded(.down) / 10)%" }
}
