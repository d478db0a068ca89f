import Model

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
    ///   - found: the pairs of each row as a target; emptied to save memory.
    ///   - slices: the positions of each row's pairs.
    func lists(_ found: inout Storage<ListedPair>, _ slices: [Range<Int>]) -> NeighbourTable {
        var counts = [Int](repeating: 0, count: slices.count)
        for slice in slices {
            for position in slice where found[position].key > 0 { counts[Int(found[position].other)] += 1 }
        }
        var ends = [0]
        for count in counts.dropLast() { ends.append(ends[ends.count - 1] + count) }
        // From here on, `ends` has the end of each row's list so far.
        let pairs = Storage<ListedPair>(uninitialized: counts.reduce(0, +))
        for (target, slice) in slices.enumerated() {
            for position in slice where found[position].key > 0 {
                let pair = found[position]
                pairs[ends[Int(pair.other)]] = ListedPair(key: pair.key, other: UInt32(target), common: pair.common)
                ends[Int(pair.other)] += 1
            }
        }
        found = Storage(uninitialized: 0)
        let starts = zip(ends, counts).map { $0 - $1 }
        return NeighbourTable(counts: counts, threads: threads) { [formula, counts] row in
            var list = unsafe UnsafeMutableBufferPointer(start: pairs.base + starts[row], count: counts[row])
            unsafe list.sort { $0.key != $1.key ? $0.key > $1.key : $0.other < $1.other }
            return unsafe ListedPair.list(list, formula)
        }
    }
}
