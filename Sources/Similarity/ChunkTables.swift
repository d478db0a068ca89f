/// A thread's tables of the columns of one chunk, by their index in the chunk.
struct ChunkTables {
    let counts: Storage<UInt32>
    let numbers: Storage<UInt32>
    /// The degrees of light columns; 0 for others.
    private let lightDegrees: Storage<UInt8>
    let slots: Storage<Slot>

    /// What to write for an entry of a column.
    struct Slot: BitwiseCopyable {
        /// What the row gets: the column's number, or its descriptor if there is only one block.
        var name: UInt32
        /// Where in the lists the next target is written, or a bitmap or a value with its flags; 0 for a column that is
        /// left out.
        var next: UInt32
    }

    /// Marks the number of a light column until a row's columns are separated.
    static let lightFlag: UInt32 = 1 << 31
    /// Tells the value of a light column from a bitmap, whose flag both have.
    static let valueFlag: UInt32 = 1 << 30
    /// The flags of a value.
    static let valueFlags = Block.bitmapFlag | valueFlag

    init(width: Int) {
        counts = Storage(zeroed: width)
        numbers = Storage(uninitialized: width)
        lightDegrees = Storage(zeroed: width)
        slots = Storage(uninitialized: width)
    }

    /// Numbers the columns that are in two ranks or more, and resets the counts of the others.
    ///
    /// - Parameter degrees: receives those of heavy columns; nil if rows hold descriptors.
    func setNumbers(_ chunk: ColumnLayout.Chunk, _ width: Int, _ degrees: Storage<UInt32>?) {
        var next = chunk.firstLight
        for local in 0..<width {
            let count = counts[local]
            lightDegrees[local] = 0
            if count < 2 {
                counts[local] = 0
                numbers[local] = .max
            } else if count < ColumnSurvey.heavyDegree {
                if degrees != nil { lightDegrees[local] = UInt8(count) }
                numbers[local] = next
                next += 1
            }
        }
        for (local, number) in chunk.heavy {
            numbers[Int(local)] = number
            if let degrees { degrees[Int(number)] = counts[Int(local)] }
        }
    }

    /// Assigns a value, a list or a bitmap to each column that is in the block.
    ///
    /// - Parameter starts: where the chunk's begin.
    func setDescriptors(_ block: Block, _ width: Int, _ starts: BlockRoom) {
        var next = starts
        for local in 0..<width {
            let count = Int(counts[local])
            guard count > 0, numbers[local] != .max else {
                slots[local] = Slot(name: 0, next: 0)
                continue
            }
            if let light = block.light, lightDegrees[local] > 0 {
                slots[local] = Self.slot(
                    ofLight: Int(numbers[local]), degree: Int(lightDegrees[local]), count: count, block, light, &next)
            } else {
                slots[local] = slot(ofHeavy: local, count: count, block, &next)
            }
        }
    }

    private static func slot(
        ofLight number: Int, degree: Int, count: Int, _ block: Block, _ light: LightColumns, _ next: inout BlockRoom
    ) -> Slot {
        let index = next.valueCount
        next.valueCount += 1
        let name = lightFlag | UInt32(number)
        guard count > 1 else {
            light.set(number, value: LightColumns.value(degree: degree), at: index)
            return Slot(name: name, next: valueFlags | UInt32(index))
        }
        let list = next.listLength
        next.listLength += count + 1
        block.lists[list] = LightColumns.listHead(length: count, degree: degree)
        light.set(number, value: LightColumns.listFlag | UInt32(list), at: index)
        return Slot(name: name, next: UInt32(list) + 1)
    }

    /// The slot of a heavy column, or of any column of a single block.
    private func slot(ofHeavy local: Int, count: Int, _ block: Block, _ next: inout BlockRoom) -> Slot {
        let descriptor: UInt32
        let isBitmap = count >= block.bitmapMinimum
        if isBitmap {
            descriptor = Block.bitmapFlag | UInt32(next.bitmapCount)
            next.bitmapCount += 1
        } else {
            descriptor = UInt32(next.listLength)
            block.lists[next.listLength] = UInt16(count)
            next.listLength += count + 1
        }
        let number = numbers[local]
        block.descriptors?[Int(number)] = descriptor
        return Slot(
            name: block.descriptors == nil ? descriptor : number, next: isBitmap ? descriptor : descriptor + 1)
    }
}

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

/// The targets of the light columns within one block.
///
/// Most light columns have no target in a block, and most of the others have one. So a column takes two bits, and four
/// bytes more if it has a target, instead of a descriptor each.
@safe
struct LightColumns: Sendable {
    /// For each group of columns a bit for each column that has a target, and above them, where the values of the
    /// group begin.
    let words: Storage<UInt64>
    /// For each column that has a target, in their order: the target and the degree, or where its list begins.
    let values: Storage<UInt32>

    /// The columns of a group.
    static let groupSize = 32
    /// Marks a value that is the start of a list; other values hold a target in their low 16 bits and the degree above.
    static let listFlag: UInt32 = 1 << 31
    /// The bits of a list's length; the degree is above them.
    private static let lengthBits: UInt16 = 8

    /// Columns whose values are not there yet.
    ///
    /// - Parameter columnCount: a multiple of the group size.
    init(columnCount: Int, valueCount: Int) {
        words = Storage(zeroed: columnCount / Self.groupSize)
        values = Storage(uninitialized: valueCount)
    }

    /// Columns that are filled.
    init(words: Storage<UInt64>, values: Storage<UInt32>) {
        self.words = words
        self.values = values
    }

    /// Sets a column's value; those of a group must be set in their order.
    func set(_ column: Int, value: UInt32, at index: Int) {
        let word = words[column / Self.groupSize]
        let start = word == 0 ? UInt64(index) << 32 : word
        words[column / Self.groupSize] = start | 1 << UInt64(column % Self.groupSize)
        values[index] = value
    }

    /// The value of a column with one target, which is still to be added.
    static func value(degree: Int) -> UInt32 { UInt32(degree) << 16 }

    /// What a list of several targets begins with.
    static func listHead(length: Int, degree: Int) -> UInt16 { UInt16(degree) << lengthBits | UInt16(length) }

    /// The length and the degree that a list begins with.
    @inline(__always)
    static func parts(ofListHead head: UInt16) -> (length: Int, degree: UInt32) {
        (Int(head & (1 << lengthBits - 1)), UInt32(head >> lengthBits))
    }

    /// Where the value of a column is; nil if it has no target.
    @inline(__always)
    func index(of column: UInt32) -> Int? {
        let word = unsafe words.base[Int(column >> 5)]
        let bit = UInt64(1) &<< UInt64(column & 31)
        guard word & bit != 0 else { return nil }
        return Int(word &>> 32) &+ UInt32(truncatingIfNeeded: word & (bit &- 1)).nonzeroBitCount
    }
}
