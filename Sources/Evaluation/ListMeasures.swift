import Glibc
import Model
import Recommendation

/// What the lists of one kind are like, each a mean over members.
public struct ListMeasures: Sendable, Equatable {
    /// Which lists.
    public var list: EvaluatedList
    /// By length; of members with held-out groups; empty if there are none.
    public var accuracy: [Int: Accuracy] = [:]
    /// The part of all groups that is in at least one list.
    public var coverage = 0.0
    /// How unevenly lists show groups: 0 if all equally often, 1 if always the same one (Gini coefficient).
    public var gini = 0.0
    /// −log₂ of the part of all members that a shown group has: greater for rarer groups.
    public var novelty = 0.0
    /// The mean plain cosine of the pairs of a list, over all pairs; of a rotating list in its first bucket.
    public var similarity = 0.0
    /// By how much that is lower than in the blend: a ratio of means.
    public var similarityCut = 0.0
    /// The same over the pairs that the model lists.
    public var storedCut = 0.0
    /// By how much the sum of scores is lower than in the blend: a mean of ratios.
    public var loss = 0.0
    /// Of a list that rotates, the sum of scores relative to the same list without rotation: a mean of ratios; else 1.
    public var kept = 1.0
    /// ½ Σ |share of the list − share of the profile| over interests, of full lists.
    public var shareError = 0.0
    /// The part of the pairs of a list with a plain cosine of .8 or more and five common members or more.
    public var nearDuplicates = 0.0
    /// The part of a list that is new in the next bucket; of members who have 60 groups to be shown, or more.
    public var change = 0.0
    /// The same, of members with 100 candidates or more.
    public var changeOfMany = 0.0
    /// The part of the members with 60 groups or more whose list has the same groups in all buckets.
    public var frozen = 0.0
    /// Of the served lists: Kendall's tau between the first 100 groups of a session's list before and after the group
    /// at its head is joined or dismissed, over those in both; else 1.
    public var stability = 1.0
    /// Recall at the list's length by the number of groups that members are in.
    public var recallByMemberSize: [SizeClass: Double] = [:]
    /// The part of the held-out groups that is found, by the number of members that groups have.
    public var recallByGroupSize: [SizeClass: Double] = [:]
    /// The 95% interval of recall at the list's length (bootstrap over members).
    public var recallInterval = 0.0...0.0
    /// The difference of that recall to the reference's, with its 95% interval, over the same members.
    public var difference = Difference()
    /// The 95% interval of NDCG at the list's length.
    public var gainInterval = 0.0...0.0
    /// The difference of that NDCG to the reference's, over the same members.
    public var gainDifference = Difference()

    /// A difference of means, and its interval.
    public struct Difference: Sendable, Equatable {
        /// The difference.
        public var mean = 0.0
        /// The 95% interval.
        public var interval = 0.0...0.0

        init() {}
    }

    init(_ list: EvaluatedList) { self.list = list }
}

/// Members or groups by their number of memberships.
public enum SizeClass: String, Sendable, CaseIterable {
    /// One or two.
    case upTo2 = "1-2"
    /// Three to nine.
    case upTo9 = "3-9"
    /// Ten to 29.
    case upTo29 = "10-29"
    /// Thirty to 99.
    case upTo99 = "30-99"
    /// A hundred or more.
    case more = "100+"

    init(_ size: Int) {
        switch size {
        case ...2: self = .upTo2
        case ...9: self = .upTo9
        case ...29: self = .upTo29
        case ...99: self = .upTo99
        default: self = .more
        }
    }

    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// How well the beginning of a list finds the groups that were held out.
///
/// A group that was held out and that the training set does not know counts as one that was missed.
public struct Accuracy: Sendable, Equatable {
    /// Hits divided by the number of held-out groups.
    public var recall = 0.0
    /// Hits discounted by log₂(rank + 1), divided by the best possible sum (NDCG; Järvelin and Kekäläinen 2002).
    public var gain = 0.0
    /// Hits divided by the length.
    public var precision = 0.0
    /// 1 if there is a hit, else 0.
    public var hitRate = 0.0
    /// 1 divided by the rank of the first hit; 0 without a hit.
    public var reciprocalRank = 0.0

    /// Nothing found.
    public init() {}

    /// The accuracy of the first groups of a list.
    ///
    /// - Parameters:
    ///   - length: how many groups count, 1 or more; a shorter list is not better for that.
    ///   - heldOut: the groups that a list can contain.
    ///   - heldOutCount: how many were held out in all, at least 1.
    public init(of list: some Sequence<UInt32>, length: Int, heldOut: [UInt32], heldOutCount: Int) {
        let wanted = Set(heldOut)
        var (hits, sum) = (0, 0.0)
        for (index, group) in list.prefix(length).enumerated() where wanted.contains(group) {
            if hits == 0 { reciprocalRank = 1 / Double(index + 1) }
            hits += 1
            sum += 1 / log2(Double(index + 2))
        }
        let ideal = (0..<min(length, heldOutCount)).reduce(0) { $0 + 1 / log2(Double($1 + 2)) }
        recall = Double(hits) / Double(heldOutCount)
        gain = sum / ideal
        precision = Double(hits) / Double(length)
        hitRate = hits > 0 ? 1 : 0
    }

    /// The measures, in the order of their names in reports.
    public static let measures: [(name: String, value: any KeyPath<Accuracy, Double> & Sendable)] = [
        ("recall", \.recall), ("ndcg", \.gain), ("precision", \.precision), ("hitRate", \.hitRate),
        ("mrr", \.reciprocalRank),
    ]
}

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
