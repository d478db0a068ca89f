import SparseMatrix

/// The rows that count, largest first.
///
/// A row's number here is its *rank*: by size, largest first, equal sizes by ascending row. Rows of like size then share
/// a counter width and a least useful count.
struct RankedRows: Sendable {
    let count: Int
    /// The row of each rank.
    let rows: Storage<UInt32>
    /// The entries of each rank's row: n(i) of the formulas.
    let sizes: Storage<UInt32>

    init(_ matrix: BinaryMatrix, minimumEntries: Int) {
        var keys: [UInt64] = []
        for row in 0..<matrix.rowCount where matrix.size(ofRow: row) >= minimumEntries {
            keys.append(UInt64(~UInt32(matrix.size(ofRow: row))) << 32 | UInt64(row))
        }
        keys.sort()
        count = keys.count
        rows = Storage(uninitialized: count)
        sizes = Storage(uninitialized: count)
        for (rank, key) in keys.enumerated() {
            rows[rank] = UInt32(truncatingIfNeeded: key)
            sizes[rank] = ~UInt32(truncatingIfNeeded: key >> 32)
        }
    }
}
