extension ModelVersion {
    /// Opens a version that was just encoded, from a copy in memory.
    ///
    /// - Throws: `ModelError` if the sections contradict one another.
    public init(_ model: EncodedModel) throws(ModelError) { try self.init(ByteRegion(gathering: model)) }
}

extension ByteRegion {
    /// The bytes of the whole file, as a store would write it: one copy of the sections, each at its place.
    fileprivate convenience init(gathering model: EncodedModel) {
        let placement = model.placement
        let file = UnsafeMutableRawBufferPointer.allocate(byteCount: placement.byteCount, alignment: 64)
        _ = unsafe file.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe file.copyBytes(from: placement.header)
        for (section, range) in zip(model.sections, placement.ranges) {
            unsafe UnsafeMutableRawBufferPointer(rebasing: file[range]).copyBytes(from: section.bytes)
        }
        unsafe self.init(adopting: UnsafeRawBufferPointer(file)) { unsafe $0.deallocate() }
    }
}
