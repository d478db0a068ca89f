public import Model

/// A pair that is kept, seen from one of its rows.
struct ListedPair: BitwiseCopyable {
    /// Orders all pairs: `ModifiedCosine.pairKey`.
    var key: Double
    /// The other row.
    var row: UInt32
    var common: UInt32

    /// The list of a source: its pairs, best first.
    ///
    /// Where scores were mixed with something else, keys are scores.
    static func list(_ pairs: some Collection<ListedPair>, _ formula: ModifiedCosine) -> [Neighbour] {
        var scores = formula.mixes ? pairs.map(\.key) : pairs.map { formula.score(pairKey: $0.key) }
        formula.normalize(&scores)
        return zip(pairs, scores).map { Neighbour(index: $0.row, common: $0.common, score: Float($1)) }
    }
}

/// Turns the best sources of every target into the lists of the sources.
struct TargetCut {
    private let formula: ModifiedCosine
    private let threads: Int

    init(_ formula: ModifiedCosine, threads: Int) {
        self.formula = formula
        self.threads = threads
    }

    /// The lists, each best first, equal pairs in ascending order of the row.
    ///
    /// - Parameter found: the pairs of each rank as a target; emptied tile by tile, to need less memory.
    func lists(_ found: inout FoundPairs, rowCount: Int) -> NeighbourTable {
        var ends = [Int](repeating: 0, count: rowCount + 1)
        for result in found.results {
            for pair in result.pairs where pair.key > 0 { ends[Int(pair.row) + 1] += 1 }
        }
        for row in 0..<rowCount { ends[row + 1] += ends[row] }
        let offsets = ends
        // From here on the end of a row's list so far, which begins where the list of the row before ends.
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
        let rowsAtOnce = 1024
        let rowCount = offsets.count - 1
        concurrently(threads, count: (rowCount + rowsAtOnce - 1) / rowsAtOnce) { part in
            for row in part * rowsAtOnce..<min(rowCount, (part + 1) * rowsAtOnce) {
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

/// The scores in a version's lists, as exactly as the version has them without its catalog.
///
/// Where every common entry weighs the same (plain cosine, and the modified one with a = 0 and g = 0), a score follows
/// in double precision from the counts beside it. Otherwise it is the stored one, of single precision: the decimal
/// number with the fewest digits that stands for it, so that no digit is shown that is not known.
public struct ListedScores {
    private let model: ModelVersion
    private let relation: Relation
    private let formula: ListFormula?

    /// The scores in the lists of a relation of a version.
    public init(_ relation: Relation, in model: ModelVersion, _ manifest: Manifest) {
        self.model = model
        self.relation = relation
        let formula = manifest[relation].flatMap(ListFormula.init)
        self.formula = formula?.followsFromCounts == true ? formula : nil
    }

    /// The score of a neighbour in the list of a group.
    public func score(of neighbour: Neighbour, to group: Int) -> Double {
        guard let formula else { return Double(neighbour.score.description) ?? Double(neighbour.score) }
        return formula.score(
            common: Int(neighbour.common), sourceSize: Int(model.size(of: group, in: relation)),
            neighbourSize: Int(model.size(of: Int(neighbour.index), in: relation)))
    }
}
