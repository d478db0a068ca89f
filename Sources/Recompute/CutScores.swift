import Model
import Similarity

/// The scores below which neighbours were cut from lists.
///
/// With a target cut it compares scores of several lists; if these are divided by their sums, it is right about as
/// often as the sums are alike.
struct CutScores: Sendable {
    private let cut: ListCut
    /// The least score among the k that were kept, by the group that they were kept for; 0 where there are fewer.
    private let least: [Float]

    /// - Parameter limit: k of the cut.
    init(of table: NeighbourTable, _ cut: ListCut, limit: Int) {
        self.cut = cut
        let groupCount = table.offsets.count - 1
        var kept = [Int](repeating: 0, count: groupCount)
        var least = [Float](repeating: .infinity, count: groupCount)
        for source in 0..<groupCount {
            for neighbour in table.list(of: source) {
                let group = cut == .source ? source : Int(neighbour.index)
                kept[group] += 1
                least[group] = min(least[group], neighbour.score)
            }
        }
        self.least = least.indices.map { kept[$0] < limit ? 0 : least[$0] }
    }

    /// Whether a neighbour would still be in a group's list if it had another score.
    func keep(_ neighbour: UInt32, at score: Double, inListOf group: UInt32) -> Bool {
        score >= Double(least[Int(cut == .source ? group : neighbour)])
    }
}
