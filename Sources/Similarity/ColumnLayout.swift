import Model

/// The memory layout of a prepared matrix, computed from the survey, and the code that fills it.
struct ColumnLayout: Sendable {
    let sweep: ColumnSweep
    let isSingle: Bool
    let blocks: [Block]
    let offsets: Storage<Int>
    let columns: Storage<UInt32>
    /// The end of each rank's heavy columns, behind which its light ones begin; nil for a single block.
    let heavyEnds: Storage<Int>?
    let degrees: Storage<UInt32>?
    /// The position at which each rank's columns of a run are written: runs × ranks.
    private let writeStarts: Storage<Int>
    private let chunks: [Chunk]

    /// The positions at which the columns of a chunk are written.
    struct Chunk: Sendable {
        /// The heavy columns, by their positions in the chunk and their numbers.
        var heavy: [(local: UInt32, number: UInt32)] = []
        /// The number of the first light column, a multiple of the group size; chunks therefore share no group.
        var firstLight: UInt32 = 0
        /// The data that the earlier chunks store in each block, and hence the position at which this chunk begins.
        var starts: [BlockRoom] = []
    }

    /// The mean list length below which a single block is faster.
    ///
    /// Finding many short lists would cost more than reading them.
    private static let singleBlockIncrements = 40.0

    /// Lays out the memory.
    ///
    /// - Parameters:
    ///   - survey: the degrees of the columns and the space that they need.
    ///   - sweep: the pass over the entries.
    ///   - shapes: the blocks, if there are several.
    ///   - whole: a single block of all ranks, without bitmaps.
    ///   - mayBeSingle: whether the single block may be used.
    init(_ survey: ColumnSurvey, _ sweep: ColumnSweep, shapes: [BlockShape], whole: BlockShape, mayBeSingle: Bool) {
        self.sweep = sweep
        let entries = survey.chunks.reduce(0) { $0 + $1.entries }
        let increments = survey.chunks.reduce(0) { $0 + $1.increments }
        let isThin = increments < Self.singleBlockIncrements * Double(entries)
        // The position of a list must fit 31 bits.
        let wholeLength = survey.chunks.reduce(1) { $0 + $1.wholeRoom.listLength }
        isSingle =
            mayBeSingle && isThin && wholeLength < Int(Block.bitmapFlag) && whole.ranks.count <= BlockShape.capacity
        let blockCount = isSingle ? 1 : shapes.count

        var chunks = [Chunk](repeating: Chunk(), count: survey.chunks.count)
        let columnCounts = Self.number(&chunks, survey)
        // The list at 0 and bitmap 0 are empty.
        var ends = [BlockRoom](repeating: BlockRoom(listLength: 1, bitmapCount: 1, valueCount: 0), count: blockCount)
        for (number, chunk) in survey.chunks.enumerated() {
            chunks[number].starts = ends
            for block in 0..<blockCount { ends[block] += isSingle ? chunk.wholeRoom : chunk.rooms[block] }
        }
        let isSingle = isSingle
        blocks = (isSingle ? [whole] : shapes).filter { !$0.ranks.isEmpty }.enumerated().map { number, shape in
            Block(shape, sweep.ranked, isSingle ? nil : columnCounts, ends[number])
        }
        degrees = isSingle ? nil : Storage(uninitialized: columnCounts.heavy)

        let ranks = sweep.ranked.count
        offsets = Storage(uninitialized: ranks + 1)
        writeStarts = Storage(uninitialized: sweep.runCount * ranks)
        var position = 0
        for rank in 0..<ranks {
            offsets[rank] = position
            for run in 0..<sweep.runCount {
                writeStarts[run * ranks + rank] = position
                position += Int(survey.keptEntries[run * ranks + rank])
            }
        }
        offsets[ranks] = position
        columns = Storage(uninitialized: position)
        heavyEnds = isSingle ? nil : Storage(uninitialized: ranks)
        self.chunks = chunks
    }

    /// Numbers heavy columns by descending degree and light columns in their order, each kind from 0.
    ///
    /// - Returns: the number of heavy columns and of light ones, including unused light numbers.
    private static func number(_ chunks: inout [Chunk], _ survey: ColumnSurvey) -> ColumnCounts {
        var heavy: [(degree: UInt32, chunk: UInt32, local: UInt32)] = []
        for (chunk, found) in survey.chunks.enumerated() {
            heavy += found.heavy.map { ($0.degree, UInt32(chunk), $0.local) }
        }
        heavy.sort { ($1.degree, $0.chunk, $0.local) < ($0.degree, $1.chunk, $1.local) }
        for (number, column) in heavy.enumerated() {
            chunks[Int(column.chunk)].heavy.append((column.local, UInt32(number)))
        }
        var next = 0
        for (chunk, found) in survey.chunks.enumerated() {
            chunks[chunk].firstLight = UInt32(next)
            let groups = (found.lightCount + LightColumns.groupSize - 1) / LightColumns.groupSize
            next += groups * LightColumns.groupSize
        }
        return ColumnCounts(heavy: heavy.count, light: next)
    }

    /// Fills in rows, lists and bitmaps.
    func fill(threads: Int) {
        let ranks = sweep.ranked.count
        Parallel.forEach(sweep.runCount, threads: threads) { runs in
            let run = runs.lowerBound
            let chunks = sweep.chunks(ofRun: run)
            let cursors = sweep.cursors(at: sweep.columns(ofChunk: chunks.lowerBound).lowerBound)
            let tables = ChunkTables(width: sweep.chunkWidth)
            for chunk in chunks { fill(chunk, cursors, tables, writesStart: run * ranks) }
        }
        guard let heavyEnds else { return }
        Parallel.forEach(ranks, inPortionsOf: 1024, threads: threads) { ranks in
            var (light, room): ([UInt32], [UInt32]) = ([], [])
            for rank in ranks {
                heavyEnds[rank] = moveLightBehindHeavy(ofRank: rank, &light)
                sort(offsets[rank]..<heavyEnds[rank], &room)
            }
        }
    }

    /// Moves a rank's heavy columns to the front; the search then need not test the kind of each column.
    ///
    /// - Returns: the end of the heavy columns.
    private func moveLightBehindHeavy(ofRank rank: Int, _ light: inout [UInt32]) -> Int {
        light.removeAll(keepingCapacity: true)
        var heavyEnd = offsets[rank]
        for position in offsets[rank]..<offsets[rank + 1] {
            let name = columns[position]
            if name & ChunkTables.lightFlag != 0 {
                light.append(name & ~ChunkTables.lightFlag)
            } else {
                columns[heavyEnd] = name
                heavyEnd += 1
            }
        }
        for (position, column) in light.enumerated() { columns[heavyEnd + position] = column }
        return heavyEnd
    }

    /// Sorts a rank's heavy columns by number, and hence by weight (radix sort, a byte at a time).
    private func sort(_ range: Range<Int>, _ room: inout [UInt32]) {
        var numbers = unsafe UnsafeMutableBufferPointer(start: columns.base + range.lowerBound, count: range.count)
        guard numbers.count >= Self.fewColumns else {
            unsafe numbers.sort()
            return
        }
        let most = unsafe numbers.reduce(0, |)
        for shift in stride(from: UInt32(0), to: UInt32(32 - most.leadingZeroBitCount), by: 8) {
            unsafe room.replaceSubrange(0..., with: numbers)
            var starts = [Int](repeating: 0, count: 257)
            for number in room { starts[Int(number >> shift & 255) + 1] += 1 }
            for byte in 0..<256 { starts[byte + 1] += starts[byte] }
            for number in room {
                let byte = Int(number >> shift & 255)
                unsafe numbers[starts[byte]] = number
                starts[byte] += 1
            }
        }
    }

    /// The number of columns from which a radix sort is faster than the standard sort.
    private static let fewColumns = 96

    private func fill(_ number: Int, _ cursors: Storage<Int>, _ tables: ChunkTables, writesStart: Int) {
        let range = sweep.columns(ofChunk: number)
        let chunk = chunks[number]
        countDegrees(sweep, range, 0..<sweep.ranked.count, cursors, tables.counts)
        tables.setNumbers(chunk, range.count, degrees)
        for (block, target) in blocks.enumerated() {
            if !isSingle {
                tables.counts.fill(0, count: range.count)
                countDegrees(sweep, range, target.ranks, cursors, tables.counts)
            }
            tables.setDescriptors(target, range.count, chunk.starts[block])
            fill(range, target, cursors, tables.slots, writesStart: writesStart)
        }
        tables.counts.fill(0, count: range.count)
    }

    /// Fills in the entries of a block's ranks in a chunk of columns.
    private func fill(
        _ range: Range<Int>, _ block: Block, _ cursors: Storage<Int>, _ slots: Storage<ChunkTables.Slot>,
        writesStart: Int
    ) {
        let first = UInt32(range.lowerBound)
        let width = UInt32(range.count)
        let indices = sweep.matrix.columnIndices.span
        for rank in block.ranks {
            var position = cursors[rank]
            let end = sweep.ends[rank]
            var write = writeStarts[writesStart + rank]
            let target = rank - block.ranks.lowerBound
            while position < end {
                let local = indices[position] &- first
                guard local < width else { break }
                position += 1
                let slot = slots[Int(local)]
                guard slot.next != 0 else { continue }
                columns[write] = slot.name
                write += 1
                if slot.next & Block.bitmapFlag == 0 {
                    block.lists[Int(slot.next)] = UInt16(truncatingIfNeeded: target)
                    slots[Int(local)].next = slot.next &+ 1
                } else if slot.next & ChunkTables.valueFlag != 0 {
                    block.light?.values[Int(slot.next & ~ChunkTables.valueFlags)] |= UInt32(target)
                } else {
                    let bitmap = Int(slot.next & ~Block.bitmapFlag) * block.bitmapStride
                    block.bitmaps[bitmap + target / 64] |= 1 &<< UInt64(target % 64)
                }
            }
            cursors[rank] = position
            writeStarts[writesStart + rank] = write
        }
    }
}
