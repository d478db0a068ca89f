/// What must be known about the columns before memory is laid out: their degrees, and what each block will hold.
struct ColumnSurvey: Sendable {
    /// The survey of one chunk.
    struct Chunk: Sendable {
        /// Heavy columns by their index in the chunk, ascending.
        var heavy: [(local: UInt32, degree: UInt32)] = []
        /// How many other columns are in at least two ranks: light ones.
        var lightCount = 0
        /// Over columns in at least two ranks, Σ d and Σ d².
        var entries = 0
        var increments = 0.0
        var largestDegree: UInt32 = 0
        /// What each block stores.
        var rooms: [BlockRoom] = []
        /// The same for one single block.
        var wholeRoom = BlockRoom()
    }

    /// Columns of at least this degree are heavy, and numbered by degree.
    ///
    /// It is at most the least number of targets for a bitmap, so that light ones have none.
    static let heavyDegree: UInt32 = 16

    let chunks: [Chunk]
    /// For each run and rank, the entries in columns of at least two ranks: runs × ranks.
    let keptEntries: Storage<UInt32>

    init(_ sweep: ColumnSweep, blocks: [BlockShape], whole: BlockShape, threads: Int) {
        let ranks = sweep.ranked.count
        let kept = Storage<UInt32>(zeroed: sweep.runCount * ranks)
        let found = Collected<[Chunk]>(count: sweep.runCount)
        concurrently(threads, count: sweep.runCount) { run in
            found.set(run, Self.survey(sweep, run, blocks, whole, kept))
        }
        chunks = found.all().flatMap { $0 }
        keptEntries = kept
    }

    private static func survey(
        _ sweep: ColumnSweep, _ run: Int, _ blocks: [BlockShape], _ whole: BlockShape,
        _ kept: Storage<UInt32>
    ) -> [Chunk] {
        let chunks = sweep.chunks(ofRun: run)
        let cursors = sweep.cursors(at: sweep.columns(ofChunk: chunks.lowerBound).lowerBound)
        let degrees = Storage<UInt32>(zeroed: sweep.chunkWidth)
        let counts = Storage<UInt32>(zeroed: sweep.chunkWidth)
        return chunks.map { number in
            let columns = sweep.columns(ofChunk: number)
            var chunk = Chunk()
            countDegrees(sweep, columns, 0..<sweep.ranked.count, cursors, degrees)
            for block in blocks {
                countBlock(
                    sweep, columns, block.ranks, cursors, degrees, counts, kept, keptStart: run * sweep.ranked.count)
                chunk.rooms.append(block.room(counts, degrees: degrees, columns.count))
                counts.fill(0, count: columns.count)
            }
            chunk.take(degrees, columns.count, whole)
            degrees.fill(0, count: columns.count)
            return chunk
        }
    }
}

extension ColumnSurvey.Chunk {
    fileprivate mutating func take(_ degrees: Storage<UInt32>, _ count: Int, _ whole: BlockShape) {
        for local in 0..<count {
            let degree = degrees[local]
            // A column of one rank makes no pair and is left out from here on.
            guard degree >= 2 else {
                degrees[local] = 0
                continue
            }
            if degree >= ColumnSurvey.heavyDegree { heavy.append((UInt32(local), degree)) } else { lightCount += 1 }
            entries += Int(degree)
            increments += Double(degree) * Double(degree)
            largestDegree = max(largestDegree, degree)
        }
        wholeRoom = whole.room(degrees, degrees: nil, count)
    }
}

/// Counts how many of some ranks each column of a chunk is in; the cursors stay where they are.
func countDegrees(
    _ sweep: ColumnSweep, _ columns: Range<Int>, _ ranks: Range<Int>, _ cursors: Storage<Int>,
    _ degrees: Storage<UInt32>
) {
    let first = UInt32(columns.lowerBound)
    let width = UInt32(columns.count)
    let indices = sweep.matrix.columnIndices.span
    for rank in ranks {
        var position = cursors[rank]
        let end = sweep.ends[rank]
        while position < end {
            let local = indices[position] &- first
            guard local < width else { break }
            degrees[Int(local)] &+= 1
            position += 1
        }
    }
}

/// Counts the entries of a block's ranks in columns of at least two ranks, by column and by rank, and moves the cursors
/// past the chunk.
private func countBlock(
    _ sweep: ColumnSweep, _ columns: Range<Int>, _ ranks: Range<Int>, _ cursors: Storage<Int>,
    _ degrees: Storage<UInt32>, _ counts: Storage<UInt32>, _ kept: Storage<UInt32>, keptStart: Int
) {
    let first = UInt32(columns.lowerBound)
    let width = UInt32(columns.count)
    let indices = sweep.matrix.columnIndices.span
    for rank in ranks {
        var position = cursors[rank]
        let end = sweep.ends[rank]
        var keptOfRank: UInt32 = 0
        while position < end {
            let local = indices[position] &- first
            guard local < width else { break }
            let isShared: UInt32 = degrees[Int(local)] >= 2 ? 1 : 0
            counts[Int(local)] &+= isShared
            keptOfRank &+= isShared
            position += 1
        }
        cursors[rank] = position
        kept[keptStart + rank] &+= keptOfRank
    }
}
