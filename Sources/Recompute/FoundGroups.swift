import Glibc
import Model
import Similarity

/// What the size of each group counts, before it is weighted: 1 for the largest.
struct Popularity: Sendable {
    private let values: [Double]
    /// The same, the greatest first.
    private let descending: [Double]
    private let sizes: [UInt32]
    private let growth: @Sendable (Double) -> Double

    /// - Parameter growth: from a size relative to the largest to what it counts; it never falls.
    /// - Returns: nil if all groups are empty.
    init?(_ sizes: [UInt32], of growth: @escaping @Sendable (Double) -> Double) {
        guard let greatest = sizes.max(), greatest > 0 else { return nil }
        values = sizes.map { growth(Double($0) / Double(greatest)) }
        descending = values.sorted(by: >)
        self.sizes = sizes
        self.growth = { growth($0 / Double(greatest)) }
    }

    subscript(group: UInt32) -> Double { values[Int(group)] }

    /// What a group would count with an entry less.
    func withoutAnEntry(_ group: UInt32) -> Double { growth(Double(sizes[Int(group)]) - 1) }

    /// How many groups count more than a number.
    func count(above least: Double) -> Int { descending.indices.partitioningIndex { descending[$0] <= least } }
}

/// What there is for groups in one case of a sample: two sums of scores, and their popularity.
struct FoundGroups {
    private struct Evidence {
        var first, second, popularity: Double
    }

    private let popularity: Popularity?
    /// The group that is left out, without its entry.
    private let wanted: Evidence
    /// All others that may be listed and have a sum.
    private let others: [Evidence]
    /// The popularity of each group that is not to be counted for its size alone.
    private let known: [Double]

    /// - Parameter popularity: nil if it counts nothing.
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

    /// How many groups stand before the one that is left out.
    ///
    /// - Parameters:
    ///   - secondWeight: what the second sum counts beside the first.
    ///   - unit: what the popularity of the largest group counts beside them.
    func countBefore(secondWeight: Double, popularity unit: Double) -> Int {
        let least = score(wanted, secondWeight, unit)
        let before = others.count { score($0, secondWeight, unit) > least }
        guard unit > 0, let popularity else { return before }
        // Groups without a sum have nothing but their size.
        let leastPopularity = least / unit
        return before + popularity.count(above: leastPopularity) - known.count { $0 > leastPopularity }
    }

    /// The gain of the group that is left out, by how many stand before it (DCG; Järvelin and Kekäläinen 2002); 0 if
    /// nothing speaks for it.
    func gain(secondWeight: Double, popularity unit: Double) -> Double {
        guard score(wanted, secondWeight, unit) > 0 else { return 0 }
        return 1 / log2(Double(countBefore(secondWeight: secondWeight, popularity: unit) + 2))
    }

    private func score(_ evidence: Evidence, _ secondWeight: Double, _ unit: Double) -> Double {
        evidence.first + secondWeight * evidence.second + unit * evidence.popularity
    }
}

/// The scores below which neighbours were cut from lists.
///
/// With a target cut it compares scores of several lists; if these are divided by their sums, it is right about as
/// often as the sums are alike.
struct CutScores: Sendable {
    private let measure: SimilarityParameters.Measure
    /// The least score among the k that were kept, by the group that they were kept for; 0 where there are fewer.
    private let least: [Float]

    /// - Parameter parameters: what the table was made with.
    init(of table: NeighbourTable, _ parameters: SimilarityParameters) {
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
        self.least = least.indices.map { kept[$0] < parameters.limit ? 0 : least[$0] }
    }

    /// About which part of its score a neighbour would have without one of the common entries: 0 if it would not be in
    /// the list.
    func partLeft(ofNeighbour neighbour: Neighbour, inListOf group: UInt32) -> Double {
        let part = measure.partLeft(without: 1, ofCommon: Int(neighbour.common))
        return keep(neighbour.index, at: part * Double(neighbour.score), inListOf: group) ? part : 0
    }

    /// Whether a neighbour would still be in a group's list if it had another score.
    func keep(_ neighbour: UInt32, at score: Double, inListOf group: UInt32) -> Bool {
        score >= Double(least[Int(measure.cut == .source ? group : neighbour)])
    }
}

/// A sum for every group, of which few are above 0.
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

/// Two sums for every group.
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
