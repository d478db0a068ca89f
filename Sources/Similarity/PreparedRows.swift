import SparseMatrix

/// The rows that count, largest first, with their columns renumbered for locality.
///
/// A row's number here is its *rank*: by size, largest first, equal sizes by ascending row. Rows of like size then share
/// a counter width and a least useful count. Columns that are in one row only can make no pair and are left out.
struct PreparedRows: Sendable {
    /// The row of each rank.
    let rows: [UInt32]
    /// The entries of each rank's row in the matrix: n(i) of the formulas, with the columns that are left out.
    let sizes: Storage<UInt32>
    /// Where each rank's columns begin: ranks + 1 offsets into `columns`.
    let offsets: Storage<Int>
    /// The renumbered columns, rank after rank.
    let columns: Storage<UInt32>
    /// How many ranks each renumbered column is in.
    let degrees: [UInt32]

    var rankCount: Int { rows.count }
    var columnCount: Int { degrees.count }

    /// Columns in fewer ranks than this are numbered by where they are, not by how many.
    static let heavyDegree: UInt32 = 64

    init(_ matrix: BinaryMatrix, minimumEntries: Int, threads: Int) {
        let rows = Self.rowsBySize(matrix, minimumEntries: minimumEntries)
        let degreesBefore = matrix.columnDegrees(ofRowsWithAtLeast: minimumEntries)
        let order = Self.columnOrder(matrix, rows, degreesBefore)
        var renumbered = [UInt32](repeating: .max, count: matrix.columnCount)
        for (number, column) in order.enumerated() { renumbered[Int(column)] = UInt32(number) }
        let sizes = Storage<UInt32>(uninitialized: rows.count)
        let offsets = Storage<Int>(uninitialized: rows.count + 1)
        unsafe offsets.base[0] = 0
        for (rank, row) in rows.enumerated() {
            let kept = matrix.row(Int(row)).count { renumbered[Int($0)] != .max }
            unsafe sizes.base[rank] = UInt32(matrix.size(ofRow: Int(row)))
            unsafe offsets.base[rank + 1] = offsets.base[rank] + kept
        }
        let columns = Storage<UInt32>(zeroed: unsafe offsets.base[rows.count])
        var position = 0
        for row in rows {
            for column in matrix.row(Int(row)) where renumbered[Int(column)] != .max {
                unsafe columns.base[position] = renumbered[Int(column)]
                position += 1
            }
        }
        self.rows = rows
        self.sizes = sizes
        self.offsets = offsets
        self.columns = columns
        degrees = order.map { degreesBefore[Int($0)] }
    }

    private static func rowsBySize(_ matrix: BinaryMatrix, minimumEntries: Int) -> [UInt32] {
        let counting = (0..<matrix.rowCount).filter { matrix.size(ofRow: $0) >= minimumEntries }
        let bySize = counting.sorted { (matrix.size(ofRow: $1), $0) < (matrix.size(ofRow: $0), $1) }
        return bySize.map { UInt32($0) }
    }

    private static func columnOrder(_ matrix: BinaryMatrix, _ rows: [UInt32], _ degrees: [UInt32]) -> [UInt32] {
        var last = [UInt32](repeating: 0, count: matrix.columnCount)
        for (rank, row) in rows.enumerated() {
            for column in matrix.row(Int(row)) { last[Int(column)] = UInt32(rank) }
        }
        let shared = (0..<UInt32(matrix.columnCount)).filter { degrees[Int($0)] >= 2 }
        let heavy = shared.filter { degrees[Int($0)] >= heavyDegree }
        let light = shared.filter { degrees[Int($0)] < heavyDegree }
        return heavy.sorted { (degrees[Int($1)], $0) < (degrees[Int($0)], $1) }
            + light.sorted { (last[Int($0)], $0) < (last[Int($1)], $1) }
    }
}
