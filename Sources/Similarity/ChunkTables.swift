import Model

/// A thread's tables for the columns of one chunk, indexed by the column's position in the chunk.
struct ChunkTables {
    let counts: Storage<UInt32>
    let numbers: Storage<UInt32>
    /// The degrees of light columns; 0 for other columns.
    private let lightDegrees: Storage<UInt8>
    let slots: Storage<Slot>

    /// The data to write for an entry of a column.
    struct Slot: BitwiseCopyable {
        /// The value written to the row: the column's number, or its descriptor if there is only one block.
        var name: UInt32
        /// The place for the next target: a position in the lists, or the flagged number of a bitmap or a value.
        ///
        /// The value is 0 for a column that is left out.
        var next: UInt32
    }

    /// Marks the number of a light column until a row's heavy and light columns are separated.
    static let lightFlag: UInt32 = 1 << 31
    /// Distinguishes the value of a light column from a bitmap; both have the bitmap flag.
    static let valueFlag: UInt32 = 1 << 30
    /// The flags that mark a value of a light column.
    static let valueFlags = Block.bitmapFlag | valueFlag

    init(width: Int) {
        counts = Storage(zeroed: width)
        numbers = Storage(uninitialized: width)
        lightDegrees = Storage(zeroed: width)
        slots = Storage(uninitialized: width)
    }

    /// Numbers the columns with two ranks or more, and resets the counts of the others.
    ///
    /// - Parameters:
    ///   - chunk: the numbers assigned to this chunk.
    ///   - width: the number of columns in the chunk.
    ///   - degrees: the array that receives the degrees of heavy columns, or nil if rows hold descriptors.
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

    /// Assigns a value, a list or a bitmap to each column with targets in the block.
    ///
    /// - Parameters:
    ///   - block: the block to assign space in.
    ///   - width: the number of columns in the chunk.
    ///   - starts: the positions in the block at which the chunk's data begins.
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

    /// Assigns the slot of a heavy column, or of any column if there is a single block.
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

/// A pass over the entries of all ranks by ranges of columns instead of row by row.
///
/// The entries of a row ascend by column. A cursor for each rank therefore finds the entries in a range of columns. The
/// tables of a *chunk* of columns stay in the cache while all ranks pass. A pass row by row would access memory at
/// random for every entry. A thread takes a *run* of adjacent chunks at a time.
@safe
struct ColumnSweep: Sendable {
    let matrix: BinaryMatrix
    let ranked: RankedRows
    /// The end of each rank's entries in the matrix.
    let ends: Storage<Int>
    let chunkWidth: Int
    let chunkCount: Int
    /// The number of chunks in a run.
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
        runLength = max(1, chunkCount / (4 * threads))
    }

    /// The most columns in a chunk; tables of four bytes a column then leave room in a second-level cache.
    private static let widestChunk = 1 << 17

    var runCount: Int { (chunkCount + runLength - 1) / runLength }

    func chunks(ofRun run: Int) -> Range<Int> { run * runLength..<min(chunkCount, (run + 1) * runLength) }

    func columns(ofChunk chunk: Int) -> Range<Int> {
        chunk * chunkWidth..<min(matrix.columnCount, (chunk + 1) * chunkWidth)
    }

    /// Returns, for each rank, the position of its first entry at or after a column.
    func cursors(at column: Int) -> Storage<Int> {
        let cursors = Storage<Int>(uninitialized: ranked.count)
        for rank in 0..<ranked.count {
            let row = Int(ranked.rows[rank])
            let start = matrix.rowOffsets[row]
            let entries = start..<(column == 0 ? start : matrix.rowOffsets[row + 1])
            cursors[rank] = entries.partitioningIndex { Int(matrix.columnIndices[$0]) >= column }
        }
        return cursors
    }
}

/// The targets of the light columns within one block.
///
/// Most light columns have no target in a block, and most of the others have one. A column therefore takes two bits,
/// and four bytes more if it has a target. A full descriptor for each column would take more memory.
@safe
struct LightColumns: Sendable {
    /// One word for each group of columns.
    ///
    /// The low half has a bit for each column with a target. The high half is the index of the group's first value.
    let words: Storage<UInt64>
    /// A value for each column with a target, in column order: target and degree, or the start of a list.
    let values: Storage<UInt32>
}

extension LightColumns {
    static let groupSize = 32
    /// Marks a value that is the start of a list; other values hold a target in the low 16 bits and the degree above.
    static let listFlag: UInt32 = 1 << 31
    /// The number of bits of a list's length; the degree is stored above them.
    private static let lengthBits: UInt16 = 8

    /// Creates columns whose values are still to be set.
    ///
    /// - Parameters:
    ///   - columnCount: the number of columns, a multiple of the group size.
    ///   - valueCount: the number of columns with a target.
    init(columnCount: Int, valueCount: Int) {
        self.init(words: Storage(zeroed: columnCount / Self.groupSize), values: Storage(uninitialized: valueCount))
    }

    /// Sets a column's value; the columns of a group must be set in ascending order.
    func set(_ column: Int, value: UInt32, at index: Int) {
        let word = words[column / Self.groupSize]
        let start = word == 0 ? UInt64(index) << 32 : word
        words[column / Self.groupSize] = start | 1 << UInt64(column % Self.groupSize)
        values[index] = value
    }

    /// Returns the value of a column with one target, to which the target must still be added.
    static func value(degree: Int) -> UInt32 { UInt32(degree) << 16 }

    /// Returns the first element of a list of several targets.
    static func listHead(length: Int, degree: Int) -> UInt16 { UInt16(degree) << lengthBits | UInt16(length) }

    /// Returns the length and the degree in the first element of a list.
    @inline(__always)
    static func parts(ofListHead head: UInt16) -> (length: Int, degree: UInt32) {
        (Int(head & (1 << lengthBits - 1)), UInt32(head >> lengthBits))
    }

    /// Returns the index of a column's value, or nil if the column has no target.
    @inline(__always)
    func index(of column: UInt32) -> Int? {
        let word = unsafe words.base[Int(column >> 5)]
        let bit = UInt64(1) &<< UInt64(column & 31)
        guard word & bit != 0 else { return nil }
        return Int(word &>> 32) &+ UInt32(truncatingIfNeeded: word & (bit &- 1)).nonzeroBitCount
    }
}
