import Model
import Recommendation

/// What the lists of one kind are like for one member: means over the buckets.
struct MemberMeasures: Sendable {
    var accuracy: [Accuracy]
    var stored = 0.0
    var exact = 0.0
    /// The sum of scores.
    var score = 0.0
    var novelty = 0.0
    var shareError: Double?
    /// From bucket to bucket; nil if there are fewer than 60 groups to show.
    var change: Double?
    /// The same; nil if there are fewer than 100 candidates.
    var changeOfMany: Double?
    /// The part of the pairs that are near-duplicates.
    var duplicates = 0.0
    /// How far the list of a session keeps its order.
    var stability: Double?

    init(lengths: Int) { accuracy = [Accuracy](repeating: Accuracy(), count: lengths) }
}

/// The measures of all lists of one member, in the order of `EvaluatedList`.
struct MemberRow: Sendable {
    var groupCount: Int
    var heldOutCount: Int
    var lists: [MemberMeasures]
}

/// How often lists show each group, and find held-out ones.
struct ListCounts: Sendable {
    /// By group.
    var shown: [UInt32]
    /// By the size class of held-out groups.
    var found = [Double](repeating: 0, count: SizeClass.allCases.count)

    mutating func merge(_ other: ListCounts) {
        for group in shown.indices { shown[group] += other.shown[group] }
        for index in found.indices { found[index] += other.found[index] }
    }
}
