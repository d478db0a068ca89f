import Model
import Similarity

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
