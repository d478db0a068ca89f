/// A binary sparse matrix, rows × columns, in compressed rows.
///
/// Row `r` has its ones in the columns `columnIndices[rowOffsets[r] ..< rowOffsets[r + 1]]`, in
/// strictly ascending order (so none stands twice).
public struct BinaryMatrix: Sendable, Equatable {
    /// The number of rows.
    public let rowCount: Int
    /// The number of columns; every column index is below it.
    public let columnCount: Int
    /// Where each row's entries begin: `rowCount + 1` offsets into `columnIndices`, ascending from 0.
    public let rowOffsets: [Int]
    /// The columns of the ones, row after row, ascending within a row.
    public let columnIndices: [UInt32]

    /// Takes compressed rows as they are, after checking them.
    ///
    /// - Parameters:
    ///   - columnCount: the number of columns, at most 2³² − 1.
    ///   - rowOffsets: rows + 1 offsets, ascending from 0 to `columnIndices.count`.
    ///   - columnIndices: strictly ascending within each row.
    /// - Throws: `MatrixError` that names the first row at fault.
    /// - Complexity: O(entries).
    public init(columnCount: Int, rowOffsets: [Int], columnIndices: [UInt32]) throws(MatrixError) {
        guard columnCount >= 0, columnCount <= Int(UInt32.max) else { throw .tooManyColumns(columnCount) }
        guard rowOffsets.first == 0, rowOffsets.last == columnIndices.count else { throw .offsetsDoNotSpan }
        for row in 0..<(rowOffsets.count - 1) {
            let start = rowOffsets[row]
            let end = rowOffsets[row + 1]
            guard start <= end, end <= columnIndices.count else { throw .offsetsDescend(row: row) }
            var floor = -1
            for position in start..<end {
                let column = Int(columnIndices[position])
                guard column > floor else { throw .columnsNotAscending(row: row) }
                floor = column
            }
            guard floor < columnCount else { throw .columnOutOfRange(row: row) }
        }
        self.rowCount = rowOffsets.count - 1
        self.columnCount = columnCount
        self.rowOffsets = rowOffsets
        self.columnIndices = columnIndices
    }

    /// The number of ones.
    public var entryCount: Int { columnIndices.count }

    /// The columns of one row, ascending.
    public func row(_ row: Int) -> ArraySlice<UInt32> {
        columnIndices[rowOffsets[row]..<rowOffsets[row + 1]]
    }

    /// The number of ones in a row: n(i) of the similarity formulas.
    public func size(ofRow row: Int) -> Int { rowOffsets[row + 1] - rowOffsets[row] }
}
