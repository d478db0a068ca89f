package import Model
import Synchronization

/// A search for every row's exact nearest neighbours.
package struct NeighbourSearch: Sendable {
    /// The criteria of neighbours and the formula.
    package var parameters: SimilarityParameters
    /// The number of threads, 1 or more; the result does not depend on it.
    package var threads: Int

    /// The processor instructions to use, among `ProcessorPath.supported`; the result does not depend on them.
    package var path: ProcessorPath

    package init(parameters: SimilarityParameters, threads: Int, path: ProcessorPath = .fastest) {
        self.parameters = parameters
        self.threads = threads
        self.path = path
    }

    /// A closure called now and then, from any thread, with the work done so far and the total in the same unit.
    package typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    /// Returns the neighbour lists of all rows.
    ///
    /// A list has the row's `limit` best targets. If lists are cut at the target, it has the rows for which this row is
    /// among the `limit` best sources.
    ///
    /// - Parameters:
    ///   - matrix: rows × columns; the order of the rows breaks ties.
    ///   - progress: a closure that is told the work done.
    package func run(on matrix: BinaryMatrix, progress: Progress = { _, _ in }) -> NeighbourTable {
        precondition(parameters.minimumCommon >= 1 && parameters.limit >= 0)
        // The plan's memory is released before the lists are assembled.
        var found = SearchPlan(matrix, parameters, path, threads: threads).search(threads: threads, progress)
        return found.lists(parameters, of: matrix, threads: threads, path: path)
    }
}

extension SearchPlan {
    /// Returns the pairs found for each tile; none if no row may have a neighbour.
    func search(threads: Int, _ progress: NeighbourSearch.Progress) -> NeighbourPairs {
        let plan = self
        guard plan.limit > 0 else { return NeighbourPairs(results: [], tiles: [], ranked: plan.prepared.ranked) }
        let total = plan.cost.total(plan.tiles, plan.prepared)
        let done = Atomic<Int>(plan.cost.preparation)
        progress(plan.cost.preparation, total)
        let results = Parallel.map(plan.tiles.count, threads: threads, state: { _ in TileWorker(plan) }) {
            worker, tiles in
            let tile = plan.tiles[tiles.lowerBound]
            let result = worker.pairs(of: tile)
            progress(done.add(plan.cost.cost(of: tile, plan.prepared), ordering: .relaxed).newValue, total)
            return result
        }
        return NeighbourPairs(results: results, tiles: plan.tiles, ranked: plan.prepared.ranked)
    }
}

/// The pairs found for all tiles.
struct NeighbourPairs {
    var results: [TileResult]
    /// The ranks of each tile.
    let tiles: [Range<Int>]
    /// The row of each rank, and the number of its entries.
    let ranked: RankedRows
    var rows: Storage<UInt32> { ranked.rows }

    /// Returns all lists, in the order of rows.
    mutating func lists(
        _ parameters: SimilarityParameters, of matrix: BinaryMatrix, threads: Int, path: ProcessorPath = .fastest
    ) -> NeighbourTable {
        guard case .modified(let formula) = parameters.measure, formula.cut == .target else {
            return inOrderOfRows(rowCount: matrix.rowCount)
        }
        if formula.mixes {
            let masses = RidgeRegression.masses(
                of: matrix, degreeDiscount: formula.degreeDiscount, minimumEntries: parameters.minimumEntries,
                threads: threads)
            ScoreMix(formula: formula, sizes: ranked.sizes, masses: masses, threads: threads, path: path)
                .mix(&self, rowCount: matrix.rowCount)
        }
        return TargetCut(formula, threads: threads).lists(&self, rowCount: matrix.rowCount)
    }

    /// Returns the position of every row's pairs: tile, start and count.
    func slices(rowCount: Int) -> [(tile: Int, start: Int, count: Int)] {
        var slices = [(tile: Int, start: Int, count: Int)](repeating: (0, 0, 0), count: rowCount)
        for (tile, result) in results.enumerated() {
            var start = 0
            for (rank, count) in zip(tiles[tile], result.counts) {
                slices[Int(rows[rank])] = (tile, start, count)
                start += count
            }
        }
        return slices
    }

    /// Reorders lists that are cut at the source from ranks to rows.
    private func inOrderOfRows(rowCount: Int) -> NeighbourTable {
        let slices = slices(rowCount: rowCount)
        var table = NeighbourTable(offsets: [0], neighbours: [])
        table.offsets.reserveCapacity(rowCount + 1)
        table.neighbours.reserveCapacity(slices.reduce(0) { $0 + $1.count })
        for slice in slices {
            if slice.count > 0 {
                table.neighbours += results[slice.tile].neighbours[slice.start..<slice.start + slice.count]
            }
            table.offsets.append(table.neighbours.count)
        }
        return table
    }
}

/// The pairs found for a tile's ranks, one rank after the other.
struct TileResult: Sendable {
    /// The number of pairs of each rank.
    var counts: [Int] = []
    /// The finished lists, if lists are cut at the source.
    var neighbours: [Neighbour] = []
    /// The pairs with the best sources, if lists are cut at the target.
    var pairs: [ListedPair] = []
}

/// The criteria that decide which rows are neighbours, and the similarity formula.
package struct SimilarityParameters: Sendable, Equatable {
    /// X: the fewest entries with which a row counts, as source and as neighbour (inclusive).
    package var minimumEntries: Int
    /// Y: the fewest common entries with which a pair counts (inclusive, 1 or more).
    package var minimumCommon: Int
    /// k: the most pairs that a row keeps, which is the longest list unless lists are cut at the target.
    package var limit: Int
    /// The formula.
    package var measure: Measure

    /// Creates parameters; the default formula is plain cosine.
    package init(minimumEntries: Int, minimumCommon: Int, limit: Int, measure: Measure = .cosine) {
        self.minimumEntries = minimumEntries
        self.minimumCommon = minimumCommon
        self.limit = limit
        self.measure = measure
    }

    /// A similarity formula; c is a pair's common entries, n a row's entries.
    package enum Measure: Sendable, Equatable {
        /// Plain cosine, c / √(nᵢ nⱼ) (Salton and McGill 1983), ordered exactly by the integers c² / nⱼ.
        case cosine
        /// The tunable family of `ModifiedCosine`.
        case modified(ModifiedCosine)
    }
}
