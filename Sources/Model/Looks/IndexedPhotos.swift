package import Basics

/// The public photos of a version that have a vector, and the groups whose pools they are in.
///
/// A photo's row is its position among the photos in ascending order of the bytes of their ids. The index of the
/// vectors has the same rows.
package struct IndexedPhotos: Sendable {
    /// The bytes of the version.
    package let region: ByteRegion
    /// The bytes of the index of vectors within the region, which begin at a multiple of 64.
    package let index: Range<Int>
    package let count: Int
    private let ids: TextColumn
    private let offsetsStart: Int
    private let groupsStart: Int

    /// Checks the sections about photos, or returns nil if the version has none.
    init?(_ region: ByteRegion, _ table: SectionTable, groupCount: Int) throws(Failure) {
        guard let ids = table.found(.lookPhotos) else { return nil }
        let groups = try table[.lookGroups]
        index = try table[.lookIndex]
        self.region = region
        let name = ModelLayout.SectionName.lookGroups.rawValue
        guard groups.count >= 4 else { throw .corrupt(section: name, reason: "it has no count") }
        count = Int(UInt32(littleEndian: region.load(groups.lowerBound, as: UInt32.self)))
        offsetsStart = groups.lowerBound + 4
        groupsStart = offsetsStart + (count + 1) * 4
        self.ids = try TextColumn(region, range: ids, count: count, section: .lookPhotos)
        for row in 1..<max(1, count) {
            guard self.ids.isAscending(at: row) else {
                throw .corrupt(section: "lookPhotos", reason: "photo \(row) is out of order")
            }
        }
        guard groupsStart <= groups.upperBound, offset(0) == 0,
            offset(count) * 4 == groups.upperBound - groupsStart
        else { throw .corrupt(section: name, reason: "its offsets do not span its groups") }
        for row in 0..<count {
            guard offset(row) <= offset(row + 1), offset(row + 1) <= offset(count) else {
                throw .corrupt(section: name, reason: "offset \(row + 1) descends")
            }
        }
        for place in 0..<offset(count) {
            guard group(place) < groupCount else { throw .corrupt(section: name, reason: "a photo is in no group") }
        }
    }

    private func offset(_ row: Int) -> Int {
        Int(UInt32(littleEndian: region.load(offsetsStart + row * 4, as: UInt32.self)))
    }

    private func group(_ place: Int) -> UInt32 {
        UInt32(littleEndian: region.load(groupsStart + place * 4, as: UInt32.self))
    }

    /// Returns a photo's external id.
    package func id(of row: Int) -> String {
        precondition(row >= 0 && row < count, "no photo \(row) of \(count)")
        return ids[row]
    }

    /// Returns the row of the photo with an external id, compared byte by byte, or nil if there is none.
    package func row(ofID id: String) -> Int? {
        let bytes = id.utf8Span.span
        let row = (0..<count).partitioningIndex { ids.compare($0, with: bytes) >= 0 }
        return row < count && ids.compare(row, with: bytes) == 0 ? row : nil
    }

    /// Returns the groups whose pools have a photo, ascending.
    package func groups(of row: Int) -> [UInt32] {
        precondition(row >= 0 && row < count, "no photo \(row) of \(count)")
        return (offset(row)..<offset(row + 1)).map(group)
    }

    /// The number of indexed photos in each group.
    ///
    /// - Complexity: O(pool entries).
    package func photoCounts(groupCount: Int) -> [UInt32] {
        var counts = [UInt32](repeating: 0, count: groupCount)
        for place in 0..<offset(count) { counts[Int(group(place))] += 1 }
        return counts
    }
}

/// The photos with vectors of a version that is built.
package struct LookSections: Sendable {
    let sections: [EncodedModel.Section]

    /// Encodes photos.
    ///
    /// - Parameters:
    ///   - ids: the photos' external ids, in ascending order of their bytes.
    ///   - groups: the groups of each photo, ascending.
    ///   - index: the bytes of the index of their vectors.
    package init(ids: [String], groups: [[UInt32]], index: [UInt8]) throws(Failure) {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(ids.count))
        var end: UInt32 = 0
        bytes.append(littleEndian: end)
        for list in groups {
            end += UInt32(list.count)
            bytes.append(littleEndian: end)
        }
        for list in groups { for group in list { bytes.append(littleEndian: group) } }
        sections = [
            .init(name: .lookPhotos, bytes: try ModelEncoding.texts(ids, section: .lookPhotos)),
            .init(name: .lookGroups, bytes: bytes), .init(name: .lookIndex, bytes: index),
        ]
    }
}
