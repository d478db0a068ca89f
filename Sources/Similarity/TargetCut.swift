import Model

/// A kept pair, seen from one of its rows.
struct ListedPair: BitwiseCopyable {
    /// The key that orders all pairs: `ModifiedCosine.pairKey`, or the score itself if scores are mixed.
    var key: Double
    /// The other row.
    var row: UInt32
    var common: UInt32

    /// Returns the list of a source from its pairs, which must be best first.
    ///
    /// If scores were mixed with something else, the keys are scores.
    static func list(_ pairs: some Collection<ListedPair>, _ formula: ModifiedCosine) -> [Neighbour] {
        var scores = formula.mixes ? pairs.map(\.key) : pairs.map { formula.score(pairKey: $0.key) }
        formula.normalize(&scores)
        return zip(pairs, scores).map { Neighbour(index: $0.row, common: $0.common, score: Float($1)) }
    }
}

/// The step that turns the best sources of every target into the lists of the sources.
struct TargetCut {
    private let formula: ModifiedCosine
    private let threads: Int

    init(_ formula: ModifiedCosine, threads: Int) {
        self.formula = formula
        self.threads = threads
    }

    /// Returns the lists, each best first, with equal pairs in ascending order of the row.
    ///
    /// - Parameters:
    ///   - found: the pairs of each rank as a target; emptied tile by tile to save memory.
    ///   - rowCount: the number of rows.
    func lists(_ found: inout NeighbourPairs, rowCount: Int) -> NeighbourTable {
        var ends = [Int](repeating: 0, count: rowCount + 1)
        for result in found.results {
            for pair in result.pairs where pair.key > 0 { ends[Int(pair.row) + 1] += 1 }
        }
        for row in 0..<rowCount { ends[row + 1] += ends[row] }
        let offsets = ends
        // From here on, `ends` has the end of each row's list so far; the list begins where the previous row's list
        // ends.
        let pairs = Storage<ListedPair>(uninitialized: offsets[rowCount])
        for (tile, ranks) in found.tiles.enumerated() {
            var next = 0
            for (rank, count) in zip(ranks, found.results[tile].counts) {
                let target = found.rows[rank]
                for pair in found.results[tile].pairs[next..<next + count] where pair.key > 0 {
                    pairs[ends[Int(pair.row)]] = ListedPair(key: pair.key, row: target, common: pair.common)
                    ends[Int(pair.row)] += 1
                }
                next += count
            }
            found.results[tile] = TileResult()
        }
        return NeighbourTable(offsets: offsets, neighbours: sorted(pairs, offsets))
    }

    private func sorted(_ pairs: Storage<ListedPair>, _ offsets: [Int]) -> [Neighbour] {
        let neighbours = Storage<Neighbour>(uninitialized: pairs.count)
        Parallel.forEach(offsets.count - 1, inPortionsOf: 1024, threads: threads) { rows in
            for row in rows {
                let start = offsets[row]
                var list = unsafe UnsafeMutableBufferPointer(
                    start: pairs.base + start, count: offsets[row + 1] - start)
                unsafe list.sort { $0.key != $1.key ? $0.key > $1.key : $0.row < $1.row }
                for (position, neighbour) in unsafe ListedPair.list(list, formula).enumerated() {
                    neighbours[start + position] = neighbour
                }
            }
        }
        return unsafe Array(UnsafeBufferPointer(start: neighbours.base, count: neighbours.count))
    }
}
