import SparseMatrix

/// The memory layout of a prepared matrix, from the survey, and its filling.
struct ColumnLayout: Sendable {
    let sweep: ColumnSweep
    let isSingle: Bool
    let blocks: [Block]
    let columnCount: Int
    let offsets: Storage<Int>
    let columns: Storage<UInt32>
    let degrees: Storage<UInt32>?
    /// For each run and rank, where the rank's columns of that run are written.
    private let writeStarts: Storage<Int>
    private let chunks: [Chunk]

    /// Where the columns of a chunk are written.
    struct Chunk: Sendable {
        /// Heavy columns: their indexes in the chunk and their numbers.
        var heavy: [(local: UInt32, number: UInt32)] = []
        /// The number of the first light column.
        var firstLight: UInt32 = 0
        /// For each block, where the chunk's lists and bitmaps begin.
        var listStarts: [Int] = []
        var bitmapStarts: [Int] = []
    }

    /// Below this mean length of a column's list one block is faster: finding a list costs more than reading it.
    private static let singleBlockIncrements = 40.0

    /// - Parameter mayBeSingle: whether one block may be made of all.
    init(_ survey: ColumnSurvey, _ sweep: ColumnSweep, shapes: [BlockShape], whole: BlockShape, mayBeSingle: Bool) {
        self.sweep = sweep
        let entries = survey.chunks.reduce(0) { $0 + $1.entries }
        let increments = survey.chunks.reduce(0) { $0 + $1.increments }
        let isThin = increments < Self.singleBlockIncrements * Double(entries)
        // A list is found by 31 bits.
        let wholeLength = survey.chunks.reduce(1) { $0 + $1.wholeListLength }
        isSingle =
            mayBeSingle && wholeLength < Int(Block.bitmapFlag)
            && (shapes.count == 1 || whole.ranks.count <= BlockShape.capacity && isThin)
        let blockCount = isSingle ? 1 : shapes.count

        var chunks = [Chunk](repeating: Chunk(), count: survey.chunks.count)
        columnCount = Self.number(&chunks, survey)
        var listEnds = [Int](repeating: 1, count: blockCount)
        var bitmapEnds = [Int](repeating: 1, count: blockCount)
        for (number, chunk) in survey.chunks.enumerated() {
            chunks[number].listStarts = listEnds
            chunks[number].bitmapStarts = bitmapEnds
            for block in 0..<blockCount {
                listEnds[block] += isSingle ? chunk.wholeListLength : chunk.listLengths[block]
                bitmapEnds[block] += isSingle ? chunk.wholeBitmapCount : chunk.bitmapCounts[block]
            }
        }
        let isSingle = isSingle
        let columnCount = columnCount
        blocks = (isSingle ? [whole] : shapes).filter { !$0.ranks.isEmpty }.enumerated().map { number, shape in
            Block(
                shape, sweep.ranked, columnCount: isSingle ? nil : columnCount, listLength: listEnds[number],
                bitmapCount: bitmapEnds[number])
        }
        degrees = isSingle ? nil : Storage(uninitialized: columnCount)

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
        self.chunks = chunks
    }

    /// Numbers the columns: heavy ones by degree, largest first, then the light ones in their order.
    ///
    /// - Returns: how many there are.
    private static func number(_ chunks: inout [Chunk], _ survey: ColumnSurvey) -> Int {
        var heavy: [(degree: UInt32, chunk: UInt32, local: UInt32)] = []
        for (chunk, found) in survey.chunks.enumerated() {
            heavy += found.heavy.map { ($0.degree, UInt32(chunk), $0.local) }
        }
        heavy.sort { ($1.degree, $0.chunk, $0.local) < ($0.degree, $1.chunk, $1.local) }
        for (number, column) in heavy.enumerated() {
            chunks[Int(column.chunk)].heavy.append((column.local, UInt32(number)))
        }
        var next = heavy.count
        for (chunk, found) in survey.chunks.enumerated() {
            chunks[chunk].firstLight = UInt32(next)
            next += found.lightCount
        }
        return next
    }

    /// Writes rows, lists and bitmaps.
    func fill(threads: Int) {
        let ranks = sweep.ranked.count
        concurrently(threads, count: sweep.runCount) { run in
            let chunks = sweep.chunks(ofRun: run)
            let cursors = sweep.cursors(at: sweep.columns(ofChunk: chunks.lowerBound).lowerBound)
            let tables = ChunkTables(width: sweep.chunkWidth)
            for chunk in chunks { fill(chunk, cursors, tables, writesStart: run * ranks) }
        }
    }

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
            tables.setDescriptors(
                target, range.count, listStart: chunk.listStarts[block], bitmapStart: chunk.bitmapStarts[block])
            fill(range, target, cursors, tables.slots, writesStart: writesStart)
        }
        tables.counts.fill(0, count: range.count)
    }

    /// Writes the entries of a block's ranks in a chunk of columns.
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

/// A thread's tables of the columns of one chunk, by their index in the chunk.
private struct ChunkTables {
    let counts: Storage<UInt32>
    let numbers: Storage<UInt32>
    let slots: Storage<Slot>

    /// What to write for an entry of a column.
    struct Slot: BitwiseCopyable {
        /// What the row gets: the column's number, or its descriptor if there is only one block.
        var name: UInt32
        /// Where in the lists the next target is written, or a bitmap with its flag; 0 for a column that is left out.
        var next: UInt32
    }

    init(width: Int) {
        counts = Storage(zeroed: width)
        numbers = Storage(uninitialized: width)
        slots = Storage(uninitialized: width)
    }

    /// Numbers the columns that are in two ranks or more, and resets the counts of the others.
    func setNumbers(_ chunk: ColumnLayout.Chunk, _ width: Int, _ degrees: Storage<UInt32>?) {
        var next = chunk.firstLight
        for local in 0..<width {
            let count = counts[local]
            if count < 2 {
                counts[local] = 0
                numbers[local] = .max
            } else if count < ColumnSurvey.heavyDegree {
                numbers[local] = next
                if let degrees { degrees[Int(next)] = count }
                next += 1
            }
        }
        for (local, number) in chunk.heavy {
            numbers[Int(local)] = number
            if let degrees { degrees[Int(number)] = counts[Int(local)] }
        }
    }

    /// Assigns a list or a bitmap to each column that is in the block.
    func setDescriptors(_ block: Block, _ width: Int, listStart: Int, bitmapStart: Int) {
        var list = listStart
        var bitmap = bitmapStart
        for local in 0..<width {
            let count = Int(counts[local])
            let number = numbers[local]
            guard count > 0, number != .max else {
                slots[local] = Slot(name: 0, next: 0)
                continue
            }
            let descriptor: UInt32
            if count >= block.bitmapMinimum {
                descriptor = Block.bitmapFlag | UInt32(bitmap)
                bitmap += 1
                slots[local].next = descriptor
            } else {
                descriptor = UInt32(list)
                block.lists[list] = UInt16(count)
                list += count + 1
                slots[local].next = descriptor + 1
            }
            if let descriptors = block.descriptors {
                descriptors[Int(number)] = descriptor
                slots[local].name = number
            } else {
                slots[local].name = descriptor
            }
        }
    }
}
