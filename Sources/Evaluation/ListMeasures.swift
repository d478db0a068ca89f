import Glibc
import Model
import Recommendation

/// The measures of one kind of lists, each a mean over members.
package struct ListMeasures: Sendable, Equatable {
    package var list: EvaluatedList
    /// The accuracy by length, for members with held-out groups; empty if there are none.
    package var accuracy: [Int: Accuracy] = [:]
    /// The part of all groups that is in at least one list.
    package var coverage = 0.0
    /// The Gini coefficient of the groups' exposure: 0 if all are shown equally often, 1 if always the same one.
    package var gini = 0.0
    /// The mean −log₂ of the part of all members in a shown group: greater for rarer groups.
    package var novelty = 0.0
    /// The mean plain cosine over all pairs of a list; of a rotating list, only in its first bucket.
    package var similarity = 0.0
    /// The reduction of that similarity against the blend: a ratio of means.
    package var similarityCut = 0.0
    /// The same reduction, over the pairs in the model's lists.
    package var storedCut = 0.0
    /// The reduction of the sum of scores against the blend: a mean of ratios.
    package var loss = 0.0
    /// The sum of a rotating list's scores relative to the list without rotation: a mean of ratios; 1 for others.
    package var kept = 1.0
    /// The distance ½ Σ |share of the list − share of the profile| over interests, for full lists.
    package var shareError = 0.0
    /// The part of a list's pairs with a plain cosine of .8 or more and five common members or more.
    package var nearDuplicates = 0.0
    /// The part of a list that is new in the next bucket, for members with 60 groups or more to be shown.
    package var change = 0.0
    /// The same part, for those of these members who have 100 candidates or more.
    package var changeOfMany = 0.0
    /// The part of the members with 60 groups or more whose list has the same groups in all buckets.
    package var frozen = 0.0
    /// The stability of served lists in a session, by Kendall's tau; 1 for other lists.
    ///
    /// Tau compares the first 100 groups before and after the group at the head is joined or dismissed, over the groups
    /// in both.
    package var stability = 1.0
    /// The recall at the list's length, by the number of groups that members are in.
    package var recallByMemberSize: [SizeClass: Double] = [:]
    /// The part of the held-out groups that is found, by the number of members that groups have.
    package var recallByGroupSize: [SizeClass: Double] = [:]
    /// The 95% interval of recall at the list's length (bootstrap over members).
    package var recallInterval = 0.0...0.0
    /// The difference of that recall to the reference's, with its 95% interval, over the same members.
    package var difference = Estimate()
    /// The 95% interval of NDCG at the list's length.
    package var gainInterval = 0.0...0.0
    /// The difference of that NDCG to the reference's, with its 95% interval, over the same members.
    package var gainDifference = Estimate()

    init(_ list: EvaluatedList) { self.list = list }
}

/// A class of members or groups by their number of memberships.
package enum SizeClass: String, Sendable, CaseIterable {
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

/// The accuracy with which the beginning of a list finds held-out groups.
///
/// A held-out group that the training set does not know counts as missed.
package struct Accuracy: Sendable, Equatable {
    /// Hits divided by the number of held-out groups.
    package var recall = 0.0
    /// Hits discounted by log₂(rank + 1), divided by the best possible sum (NDCG; Järvelin and Kekäläinen 2002).
    package var gain = 0.0
    /// Hits divided by the length.
    package var precision = 0.0
    /// 1 if there is a hit, else 0.
    package var hitRate = 0.0
    /// 1 divided by the rank of the first hit; 0 without a hit.
    package var reciprocalRank = 0.0

    package init() {}

    /// Measures the first groups of a list.
    ///
    /// - Parameters:
    ///   - list: the groups, best first.
    ///   - length: the number of groups that count, 1 or more; a shorter list has no advantage.
    ///   - heldOut: the held-out groups that a list can contain.
    ///   - heldOutCount: the number of all held-out groups, 1 or more.
    package init(of list: some Sequence<UInt32>, length: Int, heldOut: [UInt32], heldOutCount: Int) {
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

    /// The mean of recall and NDCG; it changes with every rank, and so depends less on chance than recall alone.
    var value: Double { (recall + gain) / 2 }

    /// The measures, in the order of their names in reports.
    package static let measures: [(name: String, value: any KeyPath<Accuracy, Double> & Sendable)] = [
        ("recall", \.recall), ("ndcg", \.gain), ("precision", \.precision), ("hitRate", \.hitRate),
        ("mrr", \.reciprocalRank),
    ]
}

/// The measures of one kind of lists for one member: means over the buckets.
struct MemberMeasures: Sendable {
    var accuracy: [Accuracy]
    var stored = 0.0
    var exact = 0.0
    var score = 0.0
    var novelty = 0.0
    var shareError: Double?
    /// The part that is new in the next bucket, or `nil` if there are fewer than 60 groups to show.
    var change: Double?
    /// The same part, or `nil` if there are also fewer than 100 candidates.
    var changeOfMany: Double?
    /// The part of the pairs that are near-duplicates.
    var duplicates = 0.0
    /// The stability of the list in a session.
    var stability: Double?

    init(lengths: Int) { accuracy = [Accuracy](repeating: Accuracy(), count: lengths) }
}

/// The measures of all lists of one member, in the order of `EvaluatedList`.
struct MemberRow: Sendable {
    var groupCount: Int
    var heldOutCount: Int
    var lists: [MemberMeasures]
}

/// The numbers of times that lists show each group, and find held-out groups.
struct ListCounts: Sendable {
    /// The number of times that each group is shown.
    var shown: [UInt32]
    /// The number of held-out groups found, by their size class.
    var found = [Double](repeating: 0, count: SizeClass.allCases.count)

    mutating func merge(_ other: ListCounts) {
        for group in shown.indices { shown[group] += other.shown[group] }
        for index in found.indices { found[index] += other.found[index] }
    }
}
