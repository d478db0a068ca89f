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
