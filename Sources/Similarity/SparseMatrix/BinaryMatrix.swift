package import Basics
/// A binary sparse matrix, rows × columns, in compressed rows.
///
/// Row `r` has its ones in the columns `columnIndices[rowOffsets[r] ..< rowOffsets[r + 1]]`. The columns of a row are
/// in strictly ascending order, without repetitions.
package struct BinaryMatrix: Sendable, Equatable {
    package let rowCount: Int
    /// The number of columns; every column index is smaller.
    package let columnCount: Int
    /// The start of each row's entries: `rowCount + 1` offsets into `columnIndices`, ascending from 0.
    package let rowOffsets: [Int]
    /// The columns of the ones, row after row, ascending within a row.
    package let columnIndices: [UInt32]

    /// Creates a matrix from compressed rows, after checking them.
    ///
    /// - Parameters:
    ///   - columnCount: the number of columns, at most 2³² − 1.
    ///   - rowOffsets: rows + 1 offsets, ascending from 0 to `columnIndices.count`.
    ///   - columnIndices: the columns of the ones, strictly ascending within each row.
    /// - Throws: `Failure.Code.badData` with the first wrong row.
    /// - Complexity: O(entries).
    package init(columnCount: Int, rowOffsets: [Int], columnIndices: [UInt32]) throws(Failure) {
        guard columnCount >= 0, columnCount <= Int(UInt32.max) else { throw .tooMany("columns", columnCount) }
        guard rowOffsets.first == 0, rowOffsets.last == columnIndices.count else {
            throw Failure(.badData, "row offsets must begin at 0 and end at the number of entries")
        }
        for row in 0..<(rowOffsets.count - 1) {
            let start = rowOffsets[row]
            let end = rowOffsets[row + 1]
            guard start <= end, end <= columnIndices.count else {
                throw Failure(.badData, "row \(row) ends before it begins")
            }
            var floor = -1
            for position in start..<end {
                let column = Int(columnIndices[position])
                guard column > floor else {
                    throw Failure(.badData, "the columns of row \(row) are not strictly ascending")
                }
                floor = column
            }
            guard floor < columnCount else { throw Failure(.badData, "row \(row) has a column beyond the last") }
        }
        self.rowCount = rowOffsets.count - 1
        self.columnCount = columnCount
        self.rowOffsets = rowOffsets
        self.columnIndices = columnIndices
    }

    /// The number of ones.
    package var entryCount: Int { columnIndices.count }

    /// Returns the columns of one row, ascending.
    @inlinable
    package func row(_ row: Int) -> ArraySlice<UInt32> {
        columnIndices[rowOffsets[row]..<rowOffsets[row + 1]]
    }

    /// Returns the number of ones in a row: n(i) of the similarity formulas.
    @inlinable
    package func size(ofRow row: Int) -> Int { rowOffsets[row + 1] - rowOffsets[row] }
}

extension BinaryMatrix {
    /// Builds a matrix from its ones in any order; a repeated pair counts once.
    ///
    /// - Parameters:
    ///   - rowCount: the number of rows, at most 2³² − 1.
    ///   - columnCount: the number of columns, at most 2³² − 1.
    ///   - pairs: the ones as (row, column), each below its count.
    /// - Throws: `Failure.Code.badData` with the first wrong pair.
    /// - Complexity: O(rows + pairs · log(pairs in a row)).
    package init(
        rowCount: Int, columnCount: Int, pairs: [(row: UInt32, column: UInt32)]
    ) throws(Failure) {
        guard rowCount >= 0, rowCount <= Int(UInt32.max) else { throw .tooMany("rows", rowCount) }
        guard columnCount >= 0, columnCount <= Int(UInt32.max) else { throw .tooMany("columns", columnCount) }
        var starts = [Int](repeating: 0, count: rowCount + 1)
        for (position, pair) in pairs.enumerated() {
            guard pair.row < rowCount, pair.column < columnCount else {
                throw Failure(.badData, "pair \(position) (from 0) has a row or column beyond the last")
            }
            starts[Int(pair.row) + 1] += 1
        }
        for row in 0..<rowCount { starts[row + 1] += starts[row] }
        var next = starts
        var columns = [UInt32](repeating: 0, count: pairs.count)
        for pair in pairs {
            columns[next[Int(pair.row)]] = pair.column
            next[Int(pair.row)] += 1
        }
        // Sorts each row in place and closes the gaps that duplicates leave.
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

extension BinaryMatrix {
    /// Returns the transposed matrix, columns × rows.
    ///
    /// - Complexity: O(rows + columns + entries).
    package func transposed() throws(Failure) -> BinaryMatrix {
        guard rowCount <= Int(UInt32.max) else { throw .tooMany("columns", rowCount) }
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

    /// Returns the number of rows that have each column: d(u) of the similarity formulas.
    ///
    /// - Parameter minimumEntries: the fewest entries with which a row counts (inclusive).
    /// - Complexity: O(columns + entries).
    package func columnDegrees(ofRowsWithAtLeast minimumEntries: Int = 0) -> [UInt32] {
        var degrees = [UInt32](repeating: 0, count: columnCount)
        for row in 0..<rowCount where size(ofRow: row) >= minimumEntries {
            for position in rowOffsets[row]..<rowOffsets[row + 1] { degrees[Int(columnIndices[position])] += 1 }
        }
        return degrees
    }
}

extension BinaryMatrix {
    /// Returns a matrix with only the ones that pass a test.
    package func filtered(_ keeps: (_ row: UInt32, _ column: UInt32) -> Bool) throws(Failure) -> BinaryMatrix {
        var offsets = [0]
        offsets.reserveCapacity(rowCount + 1)
        var columns: [UInt32] = []
        columns.reserveCapacity(entryCount)
        for number in 0..<rowCount {
            for column in row(number) where keeps(UInt32(number), column) { columns.append(column) }
            offsets.append(columns.count)
        }
        return try BinaryMatrix(columnCount: columnCount, rowOffsets: offsets, columnIndices: columns)
    }
}

extension Failure {
    fileprivate static func tooMany(_ what: String, _ count: Int) -> Failure {
        Failure(.badData, "a matrix of \(count) \(what): at most \(UInt32.max) can be indexed")
    }
}
