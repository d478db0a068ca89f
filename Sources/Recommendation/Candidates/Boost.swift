import Model

/// A factor that a request gives for the scores of a topic's groups, or of one group.
package struct Boost: Sendable, Equatable {
    /// The groups that a boost is for.
    package enum Target: Sendable, Equatable {
        /// The groups with a topic, ignoring case.
        case topic(String)
        /// The group with an external id.
        case group(String)
    }

    /// The bounds of a factor, and of the product of all factors of a group (inclusive).
    package static let factors = 0.1...10.0
    /// The most boosts of a request (inclusive).
    package static let limit = 20
    /// The greatest length of a topic or an id, in Unicode scalars (inclusive).
    package static let nameLimit = 512
    /// The most characters of a factor (inclusive).
    package static let digitLimit = 16
    /// The form of a boost, as a pattern of JSON Schema.
    package static let pattern = "^(topic|group):[^\\u0000]+\\^[0-9]+(\\.[0-9]+)?$"
    /// The form of a boost in words, for people who wrote another one.
    package static let form = """
        topic:NAME^FACTOR or group:ID^FACTOR, with a factor from 0.1 to 10, such as topic:macro^2
        """

    /// The groups that the boost is for.
    package var target: Target
    /// The factor of their scores, within `factors`.
    package var factor: Double

    /// Creates a boost.
    ///
    /// - Parameter factor: the factor of their scores, within `factors`.
    package init(_ target: Target, by factor: Double) {
        self.target = target
        self.factor = factor
    }

    /// Creates the boost that is written as `topic:NAME^FACTOR` or `group:ID^FACTOR`, or `nil` for any other text.
    ///
    /// The name may contain colons and carets. The factor is a decimal number of ASCII digits.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let caret = text.lastIndex(of: "^"), colon < caret else {
            return nil
        }
        let name = String(text[text.index(after: colon)..<caret])
        let digits = text[text.index(after: caret)...]
        guard (1...Self.nameLimit).contains(name.unicodeScalars.count), !name.utf8.contains(0),
            digits.utf8.count <= Self.digitLimit, Self.isDecimal(digits), let factor = Double(digits),
            Self.factors.contains(factor)
        else { return nil }
        switch text[..<colon] {
        case "topic": self.init(.topic(name), by: factor)
        case "group": self.init(.group(name), by: factor)
        default: return nil
        }
    }

    /// The boost as text: the same for boosts that do the same.
    package var text: String {
        switch target {
        case .topic(let topic): "topic:\(Term.normalized(topic))^\(factor)"
        case .group(let id): "group:\(id)^\(factor)"
        }
    }

    /// Returns whether a text is digits, or digits, a point and digits.
    private static func isDecimal(_ text: Substring) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }
}

/// The boosts of a request for one model, whose groups are looked up once.
struct AppliedBoosts {
    /// The groups of each boost, ascending, and its factor.
    private var boosts: [(groups: [UInt32], factor: Double)] = []

    /// Looks up the groups of boosts, or returns `nil` if no group of the model has one.
    init?(_ boosts: [Boost], in model: VisibleModel) {
        for boost in boosts {
            let groups =
                switch boost.target {
                case .topic(let topic): model.groups(withTopic: topic)
                case .group(let id): model.index(ofID: id).map { [UInt32($0)] } ?? []
                }
            if !groups.isEmpty { self.boosts.append((groups, boost.factor)) }
        }
        if self.boosts.isEmpty { return nil }
    }

    /// Returns the product of a group's boosts, within `Boost.factors`; 1 if it has none.
    func factor(of group: UInt32) -> Double {
        let product = boosts.reduce(1) { product, boost in
            let position = boost.groups.indices.partitioningIndex { boost.groups[$0] >= group }
            let isBoosted = position < boost.groups.count && boost.groups[position] == group
            return isBoosted ? product * boost.factor : product
        }
        return min(max(product, Boost.factors.lowerBound), Boost.factors.upperBound)
    }

    /// Returns groups in the order of their boosted scores, best first; equal ones in ascending order of the index.
    func ordered<Element>(
        _ elements: [Element], by facts: (Element) -> (group: UInt32, score: Double)
    ) -> [Element] {
        let boosted = elements.map { element in
            let (group, score) = facts(element)
            return (element: element, group: group, score: score * factor(of: group))
        }
        return boosted.sorted { ($0.score, $1.group) > ($1.score, $0.group) }.map(\.element)
    }
}

extension Planner {
    /// Multiplies the scores of candidates by the boosts of a request.
    ///
    /// - Returns: the report of the stage, or `nil` if no group has a boost.
    func boost(_ candidates: inout [Candidate], by boosts: [Boost]) -> StageReport? {
        guard let boosts = AppliedBoosts(boosts, in: model) else { return nil }
        var moved = 0
        for position in candidates.indices {
            let factor = boosts.factor(of: candidates[position].group)
            guard factor != 1 else { continue }
            candidates[position].take(boost: factor)
            moved += 1
        }
        return StageReport(
            stage: .boosts, taken: candidates.count, passed: candidates.count, note: "\(moved) have a boost")
    }
}
