import Dispatch
import Model

/// What one thread measured.
struct EvaluationPart: Sendable {
    /// By the member's index.
    var rows: [Int: MemberRow] = [:]
    /// In the order of `EvaluatedList`.
    var counts: [ListCounts]
    /// How many groups were held out, by their size class.
    var heldOut = [Double](repeating: 0, count: SizeClass.allCases.count)

    /// Of pairs of groups.
    var cosines: PairCosines

    init(_ set: EvaluationSet) {
        cosines = PairCosines(set.matrix)
        counts = EvaluatedList.allCases.map { _ in
            ListCounts(shown: [UInt32](repeating: 0, count: set.model.groupCount))
        }
    }

    mutating func merge(_ other: EvaluationPart) {
        rows.merge(other.rows) { first, _ in first }
        for index in counts.indices { counts[index].merge(other.counts[index]) }
        for index in heldOut.indices { heldOut[index] += other.heldOut[index] }
    }
}

/// Runs the same work on so many threads, and returns when all have ended.
func withThreads(_ count: Int, _ work: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: max(1, count)) { _ in work() }
}
