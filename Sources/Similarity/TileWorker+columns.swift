import CSimilarity

extension TileWorker {
    /// Calls a closure for each column of a rank that has targets in a block, with the column's degree.
    ///
    /// - Parameters:
    ///   - rank: the source row.
    ///   - block: the block.
    ///   - bitmap: a closure that receives the number of a bitmap.
    ///   - list: a closure that receives targets.
    @inline(__always)
    func forEachColumn(
        ofRank rank: Int, in block: Block, bitmap: (_ number: Int, _ degree: UInt32) -> Void,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        let start = unsafe plan.prepared.offsets.base[rank]
        let end = unsafe plan.prepared.offsets.base[rank + 1]
        guard let light = block.light, let heavyEnds = plan.prepared.heavyEnds else {
            unsafe forEachDescriptor(start..<end, block, list: list)
            return
        }
        let heavyEnd = unsafe heavyEnds.base[rank]
        unsafe forEachHeavyColumn(start..<heavyEnd, block, bitmap: bitmap, list: list)
        unsafe forEachLightColumn(heavyEnd..<end, light, block, list: list)
    }

    /// Does the same for a single block, for which rows hold descriptors.
    ///
    /// It has no bitmaps, and the length of a column's list is its degree.
    @inline(__always)
    private func forEachDescriptor(
        _ entries: Range<Int>, _ block: Block,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        let columns = unsafe plan.prepared.columns.base
        let lists = unsafe block.lists.base
        for entry in entries {
            // The second prefetch is for lists of 32 targets or more, which reach into another cache line.
            let ahead = unsafe lists + Int(columns[entry + 40])
            unsafe coterie_prefetch_line(ahead)
            unsafe coterie_prefetch_line(ahead + 32)
            let targets = unsafe lists + Int(columns[entry])
            unsafe list(targets + 1, Int(targets[0]), UInt32(targets[0]))
        }
    }

    @inline(__always)
    private func forEachHeavyColumn(
        _ entries: Range<Int>, _ block: Block, bitmap: (_ number: Int, _ degree: UInt32) -> Void,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        guard let descriptors = unsafe block.descriptors?.base, let degrees = unsafe plan.prepared.degrees?.base else {
            return
        }
        let columns = unsafe plan.prepared.columns.base
        let lists = unsafe block.lists.base
        let last = entries.upperBound - 1
        for entry in entries {
            unsafe coterie_prefetch_line(descriptors + Int(columns[entry + 48]))
            let ahead = unsafe descriptors[Int(columns[min(entry + 16, last)])]
            unsafe coterie_prefetch_line(lists + Int(ahead & ~Block.bitmapFlag))
            let column = Int(unsafe columns[entry])
            let descriptor = unsafe descriptors[column]
            // A descriptor of 0 means that the column has no target in this block.
            guard descriptor != 0 else { continue }
            if descriptor & Block.bitmapFlag != 0 {
                unsafe bitmap(Int(descriptor & ~Block.bitmapFlag), degrees[column])
            } else {
                let targets = unsafe lists + Int(descriptor)
                unsafe list(targets + 1, Int(targets[0]), degrees[column])
            }
        }
    }

    @inline(__always)
    private func forEachLightColumn(
        _ entries: Range<Int>, _ light: LightColumns, _ block: Block,
        list: (_ targets: UnsafePointer<UInt16>, _ count: Int, _ degree: UInt32) -> Void
    ) {
        let columns = unsafe plan.prepared.columns.base
        let lists = unsafe block.lists.base
        let words = unsafe light.words.base
        let values = unsafe light.values.base
        let last = entries.upperBound - 1
        for entry in entries {
            unsafe coterie_prefetch_line(words + Int(columns[entry + 48] >> 5))
            unsafe coterie_prefetch_line(values + (light.index(of: columns[min(entry + 24, last)]) ?? 0))
            guard let index = light.index(of: unsafe columns[entry]) else { continue }
            let value = unsafe values[index]
            if value & LightColumns.listFlag == 0 {
                // The low half of the value is the target.
                let target = unsafe UnsafeRawPointer(values + index).assumingMemoryBound(to: UInt16.self)
                unsafe list(target, 1, value &>> 16)
            } else {
                let targets = unsafe lists + Int(value & ~LightColumns.listFlag)
                let (length, degree) = unsafe LightColumns.parts(ofListHead: targets[0])
                unsafe list(targets + 1, length, degree)
            }
        }
    }
}
