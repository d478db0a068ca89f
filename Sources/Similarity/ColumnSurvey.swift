import Model

/// The facts about columns that the memory layout depends on: their degrees and the size of each block.
struct ColumnSurvey: Sendable {
    /// The survey of one chunk.
    struct Chunk: Sendable {
        /// The heavy columns, by their positions in the chunk, in ascending order.
        var heavy: [(local: UInt32, degree: UInt32)] = []
        /// The number of light columns, which are in two ranks or more without being heavy.
        var lightCount = 0
        /// Σ d over the columns in two ranks or more; `increments` is Σ d².
        var entries = 0
        var increments = 0.0
        var largestDegree: UInt32 = 0
        /// The amount of data that each block stores.
        var rooms: [BlockRoom] = []
        /// The amount of data that a single block would store.
        var wholeRoom = BlockRoom()
    }

    /// The smallest degree of a heavy column; heavy columns are numbered by degree.
    ///
    /// This degree is at most the smallest number of targets for a bitmap. Light columns therefore never have bitmaps.
    static let heavyDegree: UInt32 = 16

    let chunks: [Chunk]
    /// The number of each rank's entries in columns of two ranks or more, for each run: runs × ranks.
    let keptEntries: Storage<UInt32>

    init(_ sweep: ColumnSweep, blocks: [BlockShape], whole: BlockShape, threads: Int) {
        let ranks = sweep.ranked.count
        let kept = Storage<UInt32>(zeroed: sweep.runCount * ranks)
        chunks = Parallel.map(sweep.runCount, threads: threads) { run in
            Self.survey(sweep, run, blocks, whole, kept)
        }.flatMap(\.self)
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

/// Counts, for each column of a chunk, the given ranks that have it; does not move the cursors.
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

/// Counts the entries of a block's ranks in columns of two ranks or more, by column and by rank.
///
/// The cursors move past the chunk.
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
