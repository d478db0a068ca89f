import Model

/// The lists of a relation's section, read in place from its bytes.
struct NeighbourSectionReader {
    private let section: EncodedModel.Section
    private let groupCount: Int
    private let recordsStart: Int

    /// Checks that the offsets ascend and span the neighbours.
    ///
    /// - Throws: `StoreError.corrupt` if they do not.
    init(_ section: EncodedModel.Section, groupCount: Int) throws(StoreError) {
        self.section = section
        self.groupCount = groupCount
        recordsStart = (groupCount + 1) * 8
        let fault = StoreError(
            .corrupt, "the offsets of the section \"\(section.name.rawValue)\" contradict themselves")
        let total = (section.bytes.count - recordsStart) / Neighbour.byteCount
        guard recordsStart <= section.bytes.count,
            section.bytes.count == recordsStart + total * Neighbour.byteCount, offset(0) == 0,
            offset(groupCount) == total
        else { throw fault }
        for group in 0..<groupCount {
            guard offset(group) <= offset(group + 1), offset(group + 1) <= total else { throw fault }
        }
    }

    /// The places of a group's neighbours among all of the section.
    func list(_ group: Int) -> Range<Int> { Int(offset(group))..<Int(offset(group + 1)) }

    /// How many bytes of the section are offsets and neighbours of the groups up to one, inclusive.
    func byteCount(upTo group: Int) -> Int { (group + 1) * 8 + Int(offset(group + 1)) * Neighbour.byteCount }

    /// Appends the compact value of a list.
    ///
    /// - Throws: `StoreError.corrupt` if its scores do not descend, or a neighbour is no other group of the version.
    func append(_ list: Range<Int>, of group: Int, to bytes: inout [UInt8]) throws(StoreError) {
        let records = unsafe section.bytes.span.bytes.extracting(droppingFirst: recordsStart)
        var ceiling = NeighbourListCoding.firstCeiling
        for place in list {
            let neighbour = unsafe records.unsafeLoadUnaligned(
                fromByteOffset: place * Neighbour.byteCount, as: Neighbour.self)
            guard neighbour.index < groupCount, neighbour.index != group else {
                throw StoreError(
                    .corrupt, "a neighbour of group \(group) by \(section.name.rawValue) is no other group")
            }
            guard NeighbourListCoding.append(neighbour, ceiling: &ceiling, to: &bytes) else {
                throw StoreError(
                    .corrupt, "the scores of the \(section.name.rawValue) of group \(group) do not descend")
            }
        }
    }

    private func offset(_ group: Int) -> UInt64 {
        let bytes = unsafe section.bytes.span.bytes
        return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: group * 8, as: UInt64.self))
    }
}
