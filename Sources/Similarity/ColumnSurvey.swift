import SparseMatrix

/// What has to be known of the columns before memory can be laid out: degrees, and what each block will hold.
struct ColumnSurvey: Sendable {
    /// One chunk's part of the answer.
    struct Chunk: Sendable {
        /// Columns of many ranks, by their place in the chunk, ascending.
        var heavy: [(local: UInt32, degree: UInt32)] = []
        /// How many other columns are in at least two ranks.
        var lightCount = 0
        /// Over columns in at least two ranks, Σ d and Σ d².
        var entries = 0
        var increments = 0.0
        var largestDegree: UInt32 = 0
        /// For each block the room its lists need, and its bitmaps.
        var listLengths: [Int] = []
        var bitmapCounts: [Int] = []
        /// The same if there were one block only.
        var wholeListLength = 0
        var wholeBitmapCount = 0
    }

    /// Columns of at least this degree are numbered by degree.
    static let heavyDegree: UInt32 = 64

    let chunks: [Chunk]
    /// For each run and rank, the entries in columns of at least two ranks: runs × ranks.
    let keptEntries: Storage<UInt32>

    init(_ sweep: ColumnSweep, blocks: [BlockShape], whole: BlockShape, threads: Int) {
        let ranks = sweep.ranked.count
        let kept = Storage<UInt32>(zeroed: sweep.runCount * ranks)
        let found = Collected<[Chunk]>(count: sweep.runCount)
        concurrently(threads, count: sweep.runCount) { run in
            let keptOfRun = unsafe kept.base + run * ranks
            found.set(run, unsafe Self.survey(sweep, run, blocks, whole, keptOfRun))
        }
        chunks = found.all().flatMap { $0 }
        keptEntries = kept
    }

    private static func survey(
        _ sweep: ColumnSweep, _ run: Int, _ blocks: [BlockShape], _ whole: BlockShape,
        _ kept: UnsafeMutablePointer<UInt32>
    ) -> [Chunk] {
        let chunks = sweep.chunks(ofRun: run)
        let cursors = sweep.cursors(at: sweep.columns(ofChunk: chunks.lowerBound).lowerBound)
        let degrees = Storage<UInt32>(zeroed: sweep.chunkWidth)
        let counts = Storage<UInt32>(zeroed: sweep.chunkWidth)
        return chunks.map { number in
            let columns = sweep.columns(ofChunk: number)
            var chunk = Chunk()
            unsafe countDegrees(sweep, columns, 0..<sweep.ranked.count, cursors.base, degrees.base)
            for block in blocks {
                unsafe countBlock(sweep, columns, block.ranks, cursors.base, degrees.base, counts.base, kept)
                let room = unsafe block.room(counts.base, columns.count)
                chunk.listLengths.append(room.listLength)
                chunk.bitmapCounts.append(room.bitmapCount)
                unsafe counts.base.update(repeating: 0, count: columns.count)
            }
            unsafe chunk.take(degrees.base, columns.count, whole)
            unsafe degrees.base.update(repeating: 0, count: columns.count)
            return chunk
        }
    }
}

extension ColumnSurvey.Chunk {
    fileprivate mutating func take(_ degrees: UnsafeMutablePointer<UInt32>, _ count: Int, _ whole: BlockShape) {
        for local in 0..<count {
            let degree = unsafe degrees[local]
            // What is in one rank only makes no pair; it counts for nothing from here on.
            guard degree >= 2 else {
                unsafe degrees[local] = 0
                continue
            }
            if degree >= ColumnSurvey.heavyDegree { heavy.append((UInt32(local), degree)) } else { lightCount += 1 }
            entries += Int(degree)
            increments += Double(degree) * Double(degree)
            largestDegree = max(largestDegree, degree)
        }
        (wholeListLength, wholeBitmapCount) = unsafe whole.room(degrees, count)
    }
}

/// Adds up in how many of some ranks each column of a chunk is, leaving the cursors where they are.
func countDegrees(
    _ sweep: ColumnSweep, _ columns: Range<Int>, _ ranks: Range<Int>, _ cursors: UnsafeMutablePointer<Int>,
    _ degrees: UnsafeMutablePointer<UInt32>
) {
    let first = UInt32(columns.lowerBound)
    let width = UInt32(columns.count)
    let ends = unsafe sweep.ends.base
    unsafe sweep.matrix.columnIndices.withUnsafeBufferPointer { indices in
        for rank in ranks {
            var position = unsafe cursors[rank]
            let end = unsafe ends[rank]
            while position < end {
                let local = unsafe indices[position] &- first
                guard local < width else { break }
                unsafe degrees[Int(local)] &+= 1
                position += 1
            }
        }
    }
}

/// Counts, for the ranks of a block, the entries in columns of at least two ranks, by column and by rank, and moves
/// the ranks' cursors past the chunk.
private func countBlock(
    _ sweep: ColumnSweep, _ columns: Range<Int>, _ ranks: Range<Int>, _ cursors: UnsafeMutablePointer<Int>,
    _ degrees: UnsafeMutablePointer<UInt32>, _ counts: UnsafeMutablePointer<UInt32>,
    _ kept: UnsafeMutablePointer<UInt32>
) {
    let first = UInt32(columns.lowerBound)
    let width = UInt32(columns.count)
    let ends = unsafe sweep.ends.base
    unsafe sweep.matrix.columnIndices.withUnsafeBufferPointer { indices in
        for rank in ranks {
            var position = unsafe cursors[rank]
            let end = unsafe ends[rank]
            var keptOfRank: UInt32 = 0
            while position < end {
                let local = unsafe indices[position] &- first
                guard local < width else { break }
                let isShared: UInt32 = unsafe degrees[Int(local)] >= 2 ? 1 : 0
                unsafe counts[Int(local)] &+= isShared
                keptOfRank &+= isShared
                position += 1
            }
            unsafe cursors[rank] = position
            unsafe kept[rank] &+= keptOfRank
        }
    }
}
