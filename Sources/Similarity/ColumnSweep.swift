import SparseMatrix

/// Walks the entries of all ranks by ranges of columns instead of row by row.
///
/// A row's entries ascend, so that a cursor for each rank finds those in a range of columns. The tables of a *chunk* of
/// columns stay in the cache while all ranks pass; a walk row by row would access memory at random for every entry. A
/// thread takes a *run* of adjacent chunks at a time.
@safe
struct ColumnSweep: Sendable {
    let matrix: BinaryMatrix
    let ranked: RankedRows
    /// Where each rank's entries end in the matrix.
    let ends: Storage<Int>
    /// The number of columns of a chunk.
    let chunkWidth: Int
    let chunkCount: Int
    /// The number of chunks of a run.
    let runLength: Int

    init(_ matrix: BinaryMatrix, _ ranked: RankedRows, threads: Int) {
        self.matrix = matrix
        self.ranked = ranked
        ends = Storage(uninitialized: ranked.count)
        for rank in 0..<ranked.count {
            ends[rank] = matrix.rowOffsets[Int(ranked.rows[rank]) + 1]
        }
        let wanted = matrix.columnCount / (8 * threads)
        chunkWidth = min(Self.widestChunk, max(1024, wanted))
        chunkCount = (matrix.columnCount + chunkWidth - 1) / chunkWidth
        runLength = max(1, chunkCount / (8 * threads))
    }

    /// With tables of four bytes a column, this leaves room in a second-level cache.
    private static let widestChunk = 1 << 17

    var runCount: Int { (chunkCount + runLength - 1) / runLength }

    func chunks(ofRun run: Int) -> Range<Int> { run * runLength..<min(chunkCount, (run + 1) * runLength) }

    func columns(ofChunk chunk: Int) -> Range<Int> {
        chunk * chunkWidth..<min(matrix.columnCount, (chunk + 1) * chunkWidth)
    }

    /// For each rank, the position of its first entry at or after a column.
    func cursors(at column: Int) -> Storage<Int> {
        let cursors = Storage<Int>(uninitialized: ranked.count)
        for rank in 0..<ranked.count {
            let row = Int(ranked.rows[rank])
            var low = matrix.rowOffsets[row]
            var high = column == 0 ? low : matrix.rowOffsets[row + 1]
            while low < high {
                let middle = (low + high) / 2
                if Int(matrix.columnIndices[middle]) < column { low = middle + 1 } else { high = middle }
            }
            cursors[rank] = low
        }
        return cursors
    }
}
