extension BinaryMatrix {
    /// The columns as rows: columns × rows, with ones where this matrix has them.
    ///
    /// - Complexity: O(rows + columns + entries).
    public func transposed() throws(MatrixError) -> BinaryMatrix {
        guard rowCount <= Int(UInt32.max) else { throw .tooManyColumns(rowCount) }
        var offsets = [Int](repeating: 0, count: columnCount + 1)
        for column in columnIndices { offsets[Int(column) + 1] += 1 }
        for column in 0..<columnCount { offsets[column + 1] += offsets[column] }
        var next = offsets
        var rows = [UInt32](repeating: 0, count: entryCount)
        for row in 0..<rowCount {
            for position in rowOffsets[row]..<rowOffsets[row + 1] {
                let column = Int(columnIndices[position])
                rows[next[column]] = UInt32(row)
                next[column] += 1
            }
        }
        return try BinaryMatrix(columnCount: rowCount, rowOffsets: offsets, columnIndices: rows)
    }

    /// How many rows each column is in: d(u) of the similarity formulas when every row counts.
    ///
    /// - Parameter minimumEntries: rows with fewer entries do not count (the bound is inclusive).
    /// - Complexity: O(columns + entries).
    public func columnDegrees(ofRowsWithAtLeast minimumEntries: Int = 0) -> [UInt32] {
        var degrees = [UInt32](repeating: 0, count: columnCount)
        for row in 0..<rowCount where size(ofRow: row) >= minimumEntries {
            for position in rowOffsets[row]..<rowOffsets[row + 1] { degrees[Int(columnIndices[position])] += 1 }
        }
        return degrees
    }
}
