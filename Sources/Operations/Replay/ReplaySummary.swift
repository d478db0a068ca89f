import Basics
package import CommandLine
package import Service

/// The results of a replay: figures by route, and the exchanges that differ most.
package struct ReplaySummary: Sendable {
    /// The figures of one route, or of all routes.
    package struct Figures: Sendable {
        package private(set) var counts: [Difference.Kind: Int] = [:]
        private var overlapSum = 0.0
        private var overlapCount = 0
        private var recorded: [UInt64] = []
        private var taken: [UInt64] = []
        private var roundTrips: [UInt64] = []
        /// The number of answers whose server did not say how long it took.
        package private(set) var untimedCount = 0

        /// The number of all exchanges.
        package var count: Int { counts.values.reduce(0, +) }

        /// The share of identical answers, or `nil` if there are no exchanges.
        package var identicalShare: Double? {
            count == 0 ? nil : Double(counts[.identical] ?? 0) / Double(count)
        }

        /// The number of exchanges with another status, or without any answer.
        package var statusChangeCount: Int { (counts[.otherStatus] ?? 0) + (counts[.failed] ?? 0) }

        /// The mean overlap of the answers with lists of groups, or `nil` if there are none.
        package var meanOverlap: Double? { overlapCount == 0 ? nil : overlapSum / Double(overlapCount) }

        /// Returns a quantile of the latency of the recorded answers, in microseconds.
        ///
        /// - Parameter part: the part of the answers, above 0 and at most 1.
        /// - Returns: `nil` if there are no answers.
        package func recordedMicroseconds(ofPart part: Double) -> UInt64? { Self.quantile(recorded, part) }

        /// Returns the same quantile of the new answers, from sending a request to its whole answer.
        package func roundTripMicroseconds(ofPart part: Double) -> UInt64? { Self.quantile(roundTrips, part) }

        /// Returns the same quantile of the new answers, as the server says it.
        package func microseconds(ofPart part: Double) -> UInt64? { Self.quantile(taken, part) }

        /// Returns the nearest-rank quantile: the least value that this part of all values does not exceed.
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
            roundTrips.append(outcome.microseconds)
            if let time = outcome.serverMicroseconds { taken.append(time) } else { untimedCount += 1 }
        }
    }

    /// The number of exchanges to keep of the ones that differ most.
    package static let worstLimit = 20

    /// The figures of each route, by its method and pattern.
    package private(set) var routes: [String: Figures] = [:]
    package private(set) var total = Figures()
    /// The exchanges that differ most, the worst first; identical ones are left out.
    package private(set) var worst: [ReplayOutcome] = []
    /// The number of exchanges that were not played, by the reason.
    package private(set) var leftOut: [String: Int] = [:]

    package var tape = TapeCondition()
    /// The number of answers by the versions that they name, as recorded and now.
    package private(set) var versions: (recorded: [String: Int], now: [String: Int]) = ([:], [:])
    /// Whether all answers of a session are identical, by member and session.
    private var sessions: [String: Bool] = [:]

    /// The number of sessions, and of those whose answers are all identical; a member without one counts as one.
    package var sessionCounts: (all: Int, identical: Int) { (sessions.count, sessions.values.count { $0 }) }

    package init() {}

    /// Adds an exchange that was played.
    package mutating func add(_ outcome: ReplayOutcome) {
        if let version = outcome.difference.versions?.recorded { versions.recorded[version, default: 0] += 1 }
        if let version = outcome.difference.versions?.now { versions.now[version, default: 0] += 1 }
        if let member = outcome.exchange.member {
            let session = outcome.exchange.target.split(separator: "?").last?.split(separator: "&")
                .first { $0.hasPrefix("session=") }
            let name = "\(member) \(session ?? "")"
            sessions[name] = sessions[name] != false && outcome.difference.kind == .identical
        }
        routes[outcome.exchange.routeName, default: Figures()].add(outcome)
        total.add(outcome)
        guard outcome.difference.kind != .identical, !outcome.isFurtherPage else { return }
        let place = worst.firstIndex { outcome.isWorse(than: $0) } ?? worst.count
        guard place < Self.worstLimit else { return }
        worst.insert(outcome, at: place)
        if worst.count > Self.worstLimit { worst.removeLast() }
    }

    /// Counts an exchange that was not played.
    package mutating func leaveOut(because reason: String) { leftOut[reason, default: 0] += 1 }
}

/// An exchange that was played again.
package struct ReplayOutcome: Sendable {
    package var exchange: Exchange
    /// The difference between the answers.
    package var difference: Difference
    /// The status of the new answer, or `nil` if there was none.
    package var status: Int?
    /// The time from sending the request until the whole answer had arrived.
    package var microseconds: UInt64
    /// The time that the server says it took, or `nil` if it does not say it.
    package var serverMicroseconds: UInt64?
    /// Whether the page belongs to a list whose first page stands for it among the worst.
    var isFurtherPage = false

    package init(
        _ exchange: Exchange, _ difference: Difference, status: Int?, microseconds: UInt64,
        serverMicroseconds: UInt64? = nil
    ) {
        self.exchange = exchange
        self.difference = difference
        self.status = status
        self.microseconds = microseconds
        self.serverMicroseconds = serverMicroseconds
    }

    /// Whether this outcome is worse than another.
    ///
    /// The worst is no answer, then another status, then less overlap, then the kind of difference. Of equal outcomes,
    /// the exchange that was recorded first is worse.
    func isWorse(than other: ReplayOutcome) -> Bool { key < other.key }

    private var key: (Int, Double, Int, UInt64) {
        let kinds = Difference.Kind.allCases
        let rank = -(kinds.firstIndex(of: difference.kind) ?? 0)
        let isAnswered = difference.kind != .failed && difference.kind != .otherStatus
        return (isAnswered ? 0 : rank, difference.overlap ?? 1, rank, exchange.sequence)
    }
}

/// The rules of a replay: the members that are not compared, and the requests that are not played.
package struct ReplayRules: Sendable {
    /// Paths of routes that are not played, because the answers are about the daemon or the moment.
    package var leftOut = [
        "/healthz", "/readyz", "/metrics", "/openapi.json", "/v1/admin/model", "/v1/users/{id}/changes",
        "/components/coterie-groups.js",
    ]
    /// Members that are not compared.
    package var ignored: [MemberPath]
    /// Numeric members to round before the comparison, with the number of digits after the point.
    package var rounded: [(path: MemberPath, digits: Int)] = []

    /// Creates the default rules, which ignore names of versions and of lists.
    package init() { ignored = ["**.modelVersion", "**.recommendationId"].compactMap(MemberPath.init) }

    /// Reads rules from a file; `leave-out` and `ignore` replace the defaults.
    ///
    /// - Throws: `YAMLError` with the place of an invalid entry.
    package init(path: String) throws(YAMLError) {
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
                        throw YAMLError(at: member.value.place, "give 0 to 12 digits")
                    }
                    rounded.append((try Self.path(member.key, member.value), digits))
                }
            default:
                throw YAMLError(at: entry.place, "\"\(entry.key)\" is unknown here: give leave-out, ignore, round")
            }
        }
    }

    private static func path(_ text: String, _ node: YAMLNode) throws(YAMLError) -> MemberPath {
        guard let path = MemberPath(text) else {
            throw YAMLError(at: node.place, "give a path such as recommendations.score or **.score")
        }
        return path
    }

    /// Returns a document without ignored members, and with rounded numbers.
    func normalised(_ tree: JSON, at names: [String] = []) -> JSON {
        switch tree {
        case .object(let members):
            return .object(
                members.compactMap { name, value in
                    let path = names + [name]
                    return ignored.contains { $0.matches(path) } ? nil : (name, normalised(value, at: path))
                })
        case .list(let elements): return .list(elements.map { normalised($0, at: names) })
        case .number(let text):
            guard let digits = rounded.first(where: { $0.path.matches(names) })?.digits, let number = Double(text)
            else { return tree }
            let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
            return .number("\((number * scale).rounded() / scale)")
        case .null, .boolean, .text: return tree
        }
    }
}

/// Limits on the differences, which decide whether a replay fails.
package struct ReplayLimits: Sendable {
    /// The least share of identical answers, or `nil` for no limit.
    package var identicalShare: Double?
    /// The least mean overlap, or `nil` for no limit.
    package var meanOverlap: Double?
    /// The most exchanges with another status or without an answer, or `nil` for no limit.
    package var statusChangeCount: Int?
    /// The least number of exchanges that must be played, or `nil` for all that are on the tape.
    package var requestCount: Int?
    /// The greatest ratio of new to recorded latency at the 99th percentile, or `nil` for no limit.
    package var latencyRatio: Double?

    package init() {}

    /// Returns a sentence about each exceeded limit.
    package func exceeded(by summary: ReplaySummary) -> [String] {
        let total = summary.total
        var problems = gaps(summary)
        if let identicalShare, let share = total.identicalShare, share < identicalShare {
            problems.append("\(percent(share)) are identical: at least \(percent(identicalShare)) must be")
        }
        if let meanOverlap, let mean = total.meanOverlap, mean < meanOverlap {
            problems.append("the mean overlap at 10 is \(percent(mean)): it must be at least \(percent(meanOverlap))")
        }
        if let statusChangeCount, total.statusChangeCount > statusChangeCount {
            problems.append(
                "\(total.statusChangeCount) have another status or no answer: at most \(statusChangeCount) may")
        }
        if latencyRatio != nil, total.untimedCount > 0 {
            problems.append(
                "\(total.untimedCount) answers do not say how long the server took: times cannot be compared")
        } else if let latencyRatio, let before = total.recordedMicroseconds(ofPart: 0.99),
            let now = total.microseconds(ofPart: 0.99), Double(now) > latencyRatio * Double(before)
        {
            problems.append(
                "the 99th percentile of latency is \(now) µs, and was \(before) µs: at most \(latencyRatio) times that")
        }
        return problems
    }

    /// Returns a sentence about what could not be played, if there is any limit: nothing played passes no gate.
    private func gaps(_ summary: ReplaySummary) -> [String] {
        let played = summary.total.count
        if let requestCount {
            return played < requestCount ? ["\(played) requests were played: at least \(requestCount) must be"] : []
        }
        guard identicalShare != nil || meanOverlap != nil || statusChangeCount != nil || latencyRatio != nil else {
            return []
        }
        if played == 0 { return ["nothing was played: no request of the tape could be"] }
        guard !summary.tape.isWhole else { return [] }
        return ["\(summary.tape.gaps): play it with --min-requests to accept that"]
    }

    private func percent(_ share: Double) -> String { "\((share * 1000).rounded(.down) / 10)%" }
}

extension TapeCondition {
    /// The missing parts of the tape, in words.
    package var gaps: String {
        var parts: [String] = []
        if missingCount > 0 { parts.append("\(missingCount) requests are missing between others") }
        if damagedCount > 0 { parts.append("\(damagedCount) places are damaged") }
        if !cutFiles.isEmpty { parts.append("\(cutFiles.count) files end too early") }
        return "the tape is not whole: " + parts.joined(separator: ", ")
    }
}
