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
        func search() -> (NeighbourPairs, RankedRows) {
            let plan = SearchPlan(matrix, parameters, path, threads: threads)
            return (plan.search(threads: threads, progress), plan.prepared.ranked)
        }
        var (found, ranked) = search()
        return found.lists(parameters, ranked, of: matrix, threads: threads)
    }
}

extension SearchPlan {
    /// Returns the pairs found; none if no row may have a neighbour.
    func search(threads: Int, _ progress: NeighbourSearch.Progress) -> NeighbourPairs {
        let plan = self
        let done = Atomic<Int>(plan.cost.preparation)
        let total = plan.cost.total(plan)
        progress(plan.cost.preparation, total)
        // Once the first block is done, its rows have good thresholds.
        let first = plan.comparesOnce ? plan.tiles.prefix { $0.block == 0 }.count : 0
        for numbers in [0..<first, first..<plan.tiles.count]
        where plan.parameters.limit > 0 && plan.prepared.rankCount > 1 {
            _ = Parallel.map(numbers.count, threads: threads, state: { _ in TileWorker(plan) }) { worker, portion in
                let tile = plan.tiles[numbers.lowerBound + portion.lowerBound]
                worker.compare(tile)
                progress(done.add(plan.cost.cost(of: tile, plan), ordering: .relaxed).newValue, total)
            }
        }
        return plan.best.finish(plan.formula, threads: threads)
    }
}

/// The best pairs of some ranks.
struct NeighbourPairs {
    var pairs: Storage<ListedPair>
    /// The positions of each rank's pairs.
    let slices: [Range<Int>]
    let ranks: Range<Int>

    /// Returns all lists, in the order of rows.
    mutating func lists(
        _ parameters: SimilarityParameters, _ ranked: RankedRows, of matrix: BinaryMatrix, threads: Int
    ) -> NeighbourTable {
        var slices = [Range<Int>](repeating: 0..<0, count: matrix.rowCount)
        for (rank, slice) in self.slices.enumerated() { slices[Int(ranked.rows[rank])] = slice }
        guard case .modified(let formula) = parameters.measure, formula.cut == .target else {
            return inOrder(slices, parameters.measure, matrix, threads: threads)
        }
        return TargetCut(formula, threads: threads).lists(&pairs, slices)
    }

    /// Returns lists that are cut at the source.
    private func inOrder(
        _ slices: [Range<Int>], _ measure: SimilarityParameters.Measure, _ matrix: BinaryMatrix, threads: Int
    ) -> NeighbourTable {
        let pairs = pairs
        return NeighbourTable(counts: slices.map(\.count), threads: threads) { row in
            let list = unsafe UnsafeBufferPointer(start: pairs.base + slices[row].lowerBound, count: slices[row].count)
            if case .modified(let formula) = measure { return unsafe ListedPair.list(list, formula) }
            let size = Double(matrix.size(ofRow: row))
            return unsafe list.map { pair in
                let product = size * Double(matrix.size(ofRow: Int(pair.other)))
                return Neighbour(
                    index: pair.other, common: pair.common, score: Float(Double(pair.common) / product.squareRoot()))
            }
        }
    }
}

extension NeighbourTable {
    /// Creates a table whose lists several threads make.
    ///
    /// - Parameters:
    ///   - counts: the number of neighbours of each row.
    ///   - threads: the number of threads.
    ///   - list: returns the list of a row, with as many neighbours.
    init(counts: [Int], threads: Int, list: @Sendable (_ row: Int) -> [Neighbour]) {
        var offsets = [0]
        offsets.reserveCapacity(counts.count + 1)
        for count in counts { offsets.append(offsets[offsets.count - 1] + count) }
        let starts = offsets
        let neighbours = unsafe [Neighbour](unsafeUninitializedCapacity: starts[counts.count]) { buffer, count in
            let room = unsafe Room(base: buffer.baseAddress)
            Parallel.forEach(counts.count, inPortionsOf: 1024, threads: threads) { rows in
                for row in rows where counts[row] > 0 {
                    let made = list(row)
                    precondition(made.count == counts[row])
                    for (position, neighbour) in made.enumerated() {
                        unsafe room.base?[starts[row] + position] = neighbour
                    }
                }
            }
            count = starts[counts.count]
        }
        self.init(offsets: starts, neighbours: neighbours)
    }

    /// Memory of which each thread writes its own part.
    @unsafe
    private struct Room: @unchecked Sendable { let base: UnsafeMutablePointer<Neighbour>? }
}

/// The criteria that decide which rows are neighbours, and the similarity formula.
package struct SimilarityParameters: Sendable, Equatable {
    /// X: the fewest entries with which a row counts, as source and as neighbour (inclusive).
    package var minimumEntries: Int
    /// Y: the fewest common entries with which a pair counts (inclusive, 1 or more).
    package var minimumCommon: Int
    /// k: the most pairs that a row keeps, which is the longest list unless lists are cut at the target.
    ///
    /// With an exponent of limits, it is the mean over all rows (`PairLimits`).
    package var limit: Int
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
