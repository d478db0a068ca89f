extension BinaryMatrix {
    /// Builds a matrix from its ones in any order; a pair that comes twice counts once.
    ///
    /// - Parameters:
    ///   - rowCount: the number of rows, at most 2³² − 1.
    ///   - columnCount: the number of columns, at most 2³² − 1.
    ///   - pairs: (row, column), each below its count.
    /// - Throws: `MatrixError` that names the first pair at fault.
    /// - Complexity: O(rows + pairs · log(pairs in a row)).
    public init(
        rowCount: Int, columnCount: Int, pairs: [(row: UInt32, column: UInt32)]
    ) throws(MatrixError) {
        guard rowCount >= 0, rowCount <= Int(UInt32.max) else { throw .tooManyRows(rowCount) }
        guard columnCount >= 0, columnCount <= Int(UInt32.max) else { throw .tooManyColumns(columnCount) }
        var starts = [Int](repeating: 0, count: rowCount + 1)
        for (position, pair) in pairs.enumerated() {
            guard pair.row < rowCount, pair.column < columnCount else { throw .pairOutOfRange(position: position) }
            starts[Int(pair.row) + 1] += 1
        }
        for row in 0..<rowCount { starts[row + 1] += starts[row] }
        var next = starts
        var columns = [UInt32](repeating: 0, count: pairs.count)
        for pair in pairs {
            columns[next[Int(pair.row)]] = pair.column
            next[Int(pair.row)] += 1
        }
        // Sort each row and close the gaps that duplicates leave, in place.
        var offsets = [0]
        offsets.reserveCapacity(rowCount + 1)
        var kept = 0
        for row in 0..<rowCount {
            let range = starts[row]..<starts[row + 1]
            columns[range].sort()
            let first = kept
            for source in range where kept == first || columns[kept - 1] != columns[source] {
                columns[kept] = columns[source]
                kept += 1
            }
            offsets.append(kept)
        }
        columns.removeLast(columns.count - kept)
        try self.init(columnCount: columnCount, rowOffsets: offsets, columnIndices: columns)
    }
}
