public import Model
public import Similarity
public import SparseMatrix

/// How a recompute finds the neighbours of a relation: by itself, or with others.
public protocol NeighbourFinding: Sendable {
    /// The lists of every row; they do not depend on how they are found.
    ///
    /// - Parameters:
    ///   - relation: of which relation the matrix is.
    ///   - matrix: groups × users or photos.
    ///   - identity: a number that no other run has.
    ///   - progress: told of the work done.
    func neighbours(
        _ relation: Relation, of matrix: BinaryMatrix, _ search: NeighbourSearch, identity: UInt64,
        progress: @escaping NeighbourSearch.Progress
    ) throws(RecomputeError) -> NeighbourTable
}

/// Finds neighbours in this process, on several threads.
public struct OwnThreads: NeighbourFinding {
    /// No settings: the search has them.
    public init() {}

    /// The lists of every row.
    public func neighbours(
        _ relation: Relation, of matrix: BinaryMatrix, _ search: NeighbourSearch, identity: UInt64,
        progress: @escaping NeighbourSearch.Progress
    ) throws(RecomputeError) -> NeighbourTable {
        search.run(on: matrix, progress: progress)
    }
}
