extension ModelVersion {
    /// Opens a version that was just encoded, from a copy in memory.
    ///
    /// - Throws: `ModelError` if the sections contradict one another.
    public convenience init(_ model: EncodedModel) throws(ModelError) { try self.init(ByteRegion(gathering: model)) }
}

extension ByteRegion {
    /// The bytes of the whole file, as a store would write it.
    fileprivate convenience init(gathering model: EncodedModel) {
        let placement = model.placement
        let file = UnsafeMutableRawBufferPointer.allocate(byteCount: placement.byteCount, alignment: 64)
        unsafe model.write(to: file, placement)
        unsafe self.init(adopting: UnsafeRawBufferPointer(file)) { unsafe $0.deallocate() }
    }
}
