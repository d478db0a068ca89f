import Glibc
import Model
import Similarity

/// The popularity of each group, before it is weighted: 1 for the largest group.
struct Popularity: Sendable {
    private let values: [Double]
    /// The same values, the greatest first.
    private let descending: [Double]
    private let sizes: [UInt32]
    private let growth: @Sendable (Double) -> Double

    /// Creates the popularity of each group, or `nil` if all groups are empty.
    ///
    /// - Parameters:
    ///   - sizes: the number of entries of each group.
    ///   - growth: the popularity of a size relative to the largest; it must not decrease.
    init?(_ sizes: [UInt32], of growth: @escaping @Sendable (Double) -> Double) {
        guard let greatest = sizes.max(), greatest > 0 else { return nil }
        values = sizes.map { growth(Double($0) / Double(greatest)) }
        descending = values.sorted(by: >)
        self.sizes = sizes
        self.growth = { growth($0 / Double(greatest)) }
    }

    subscript(group: UInt32) -> Double { values[Int(group)] }

    /// Returns the popularity that a group would have with one entry less.
    func withoutAnEntry(_ group: UInt32) -> Double { growth(Double(sizes[Int(group)]) - 1) }

    /// Returns the number of groups with a popularity above a number.
    func count(above least: Double) -> Int { descending.indices.partitioningIndex { descending[$0] <= least } }
}

/// The evidence for each group in one case of a sample: two sums of scores, and the popularity.
struct LeaveOneOutRanking {
    private struct Evidence {
        var first, second, popularity: Double
    }

    private let popularity: Popularity?
    /// The evidence for the group that is left out, without its entry.
    private let wanted: Evidence
    /// The evidence for all other groups that may be listed and have a sum.
    private let others: [Evidence]
    /// The popularity of the groups that have a sum or may not be listed.
    ///
    /// `countBefore` takes them off its count of popular groups.
    private let known: [Double]

    /// Creates the evidence of a case.
    ///
    /// - Parameters:
    ///   - sums: the two sums of scores of each group.
    ///   - popularity: the popularity, or `nil` if it does not count.
    init(_ sampled: LeaveOneOutSample.Case, _ sums: ScorePair, _ popularity: Popularity? = nil) {
        self.popularity = popularity
        func evidence(_ group: UInt32, _ popularity: Double?) -> Evidence {
            Evidence(first: sums.first[group], second: sums.second[group], popularity: popularity ?? 0)
        }
        wanted = evidence(sampled.leftOut, popularity?.withoutAnEntry(sampled.leftOut))
        let touched = sums.first.touched + sums.second.touched.filter { sums.first[$0] == 0 }
        let excluded = Set(sampled.others).union([sampled.leftOut])
        let found = touched.filter { !excluded.contains($0) }
        others = found.map { evidence($0, popularity?[$0]) }
        known = popularity.map { popularity in (found + excluded).map { popularity[$0] } } ?? []
    }

    /// Returns the number of groups that rank before the group that is left out.
    ///
    /// - Parameters:
    ///   - secondWeight: the weight of the second sum; the first has weight 1.
    ///   - unit: the score that the popularity of the largest group adds.
    func countBefore(secondWeight: Double, popularity unit: Double) -> Int {
        let least = score(wanted, secondWeight, unit)
        let before = others.count { score($0, secondWeight, unit) > least }
        guard unit > 0, let popularity else { return before }
        // Groups without a sum have only their popularity.
        let leastPopularity = least / unit
        return before + popularity.count(above: leastPopularity) - known.count { $0 > leastPopularity }
    }

    /// Returns the gain (DCG; Järvelin and Kekäläinen 2002) of the rank of the group that is left out.
    ///
    /// The gain is 0 if the group's score is 0.
    func gain(secondWeight: Double, popularity unit: Double) -> Double {
        guard score(wanted, secondWeight, unit) > 0 else { return 0 }
        return 1 / log2(Double(countBefore(secondWeight: secondWeight, popularity: unit) + 2))
    }

    /// Returns the mean of recall and gain in a list of the first groups, the goal of `coterie tune`.
    ///
    /// A group behind the list is not found. If ranks behind it counted, popularity would seem to find more than it
    /// does, because it ranks every group.
    func listGain(popularity unit: Double, length: Int = 20) -> Double {
        let gain = gain(secondWeight: 0, popularity: unit)
        let isListed = gain > 0 && countBefore(secondWeight: 0, popularity: unit) < length
        return isListed ? (1 + gain) / 2 : 0
    }

    private func score(_ evidence: Evidence, _ secondWeight: Double, _ unit: Double) -> Double {
        evidence.first + secondWeight * evidence.second + unit * evidence.popularity
    }
}

/// The scores below which neighbours were cut from lists.
///
/// With a cut at the target, scores of several lists are compared. If the scores of a list are divided by their sum,
/// the answer is only as good as these sums are alike.
struct CutScores: Sendable {
    private let measure: SimilarityParameters.Measure
    /// The least score among the k best that were kept for each group; 0 for a group with fewer than k.
    private let least: [Float]

    /// - Parameter sizes: the number of entries of each group.
    init(of table: NeighbourTable, _ parameters: SimilarityParameters, sizes: [UInt32]) {
        measure = parameters.measure
        let groupCount = table.offsets.count - 1
        var kept = [Int](repeating: 0, count: groupCount)
        var least = [Float](repeating: .infinity, count: groupCount)
        for source in 0..<groupCount {
            for neighbour in table.list(of: source) {
                let group = measure.cut == .source ? source : Int(neighbour.index)
                kept[group] += 1
                least[group] = min(least[group], neighbour.score)
            }
        }
        let limits = PairLimits(parameters, sizes: sizes)
        self.least = least.indices.map { kept[$0] < limits.limit(ofSize: Int(sizes[$0])) ? 0 : least[$0] }
    }

    /// Returns approximately the part of its score that a neighbour would have with one common entry less.
    ///
    /// - Returns: 0 if the neighbour would not be in the list.
    func partLeft(ofNeighbour neighbour: Neighbour, inListOf group: UInt32) -> Double {
        let part = measure.partLeft(without: 1, ofCommon: Int(neighbour.common))
        return keep(neighbour.index, at: part * Double(neighbour.score), inListOf: group) ? part : 0
    }

    /// Whether a neighbour with another score would still be in a group's list.
    func keep(_ neighbour: UInt32, at score: Double, inListOf group: UInt32) -> Bool {
        score >= Double(least[Int(measure.cut == .source ? group : neighbour)])
    }
}

/// A sum of scores for every group; only a few are above 0.
struct ScoreSums {
    private var sums: [Double]
    /// The groups whose sums are above 0.
    private(set) var touched: [UInt32] = []

    init(groupCount: Int) { sums = [Double](repeating: 0, count: groupCount) }

    subscript(group: UInt32) -> Double { sums[Int(group)] }

    mutating func add(_ score: Double, to group: UInt32) {
        guard score > 0 else { return }
        if sums[Int(group)] == 0 { touched.append(group) }
        sums[Int(group)] += score
    }

    mutating func clear() {
        for group in touched { sums[Int(group)] = 0 }
        touched.removeAll(keepingCapacity: true)
    }
}

/// Two sums of scores for every group.
struct ScorePair {
    var first, second: ScoreSums

    init(groupCount: Int) {
        first = ScoreSums(groupCount: groupCount)
        second = first
    }

    mutating func clear() {
        first.clear()
        second.clear()
    }
}
