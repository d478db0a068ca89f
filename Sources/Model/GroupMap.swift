import Basics

/// A group's place on the map of a version.
package struct MapPlace: Sendable, Equatable {
    /// The number of places on each axis; coordinates are below it.
    package static let extent: UInt32 = 1_000_000
    /// The number of bytes of a group in the section `map`.
    static let byteCount = 12

    package var x, y: UInt32
    /// The number of the region, from 0, without gaps.
    package var region: UInt32

    package init(x: UInt32, y: UInt32, region: UInt32) { (self.x, self.y, self.region) = (x, y, region) }
}

extension EncodedModel {
    /// Adds the map of the groups.
    ///
    /// - Parameter places: the place of each group; nil for a group beside the map.
    package func adding(_ places: [MapPlace?]) -> EncodedModel {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(places.count * MapPlace.byteCount)
        for place in places {
            for number in [place?.x, place?.y, place?.region] { bytes.append(littleEndian: number ?? .max) }
        }
        return EncodedModel(groupCount: groupCount, sections: sections + [Section(name: .map, bytes: bytes)])
    }
}

/// The section of a version with the places of its groups, read in place.
struct MapReader: Sendable {
    private let region: ByteRegion
    private let start: Int

    /// Checks the section, or returns nil if the version has none.
    init?(_ region: ByteRegion, _ table: SectionTable, groupCount: Int) throws(Failure) {
        guard let range = table.found(.map) else { return nil }
        let name = ModelLayout.SectionName.map.rawValue
        guard range.count == groupCount * MapPlace.byteCount else {
            throw .corrupt(section: name, reason: "it is not of as many groups as there are")
        }
        (self.region, start) = (region, range.lowerBound)
        for group in 0..<groupCount {
            guard let place = self[group] else { continue }
            guard max(place.x, place.y) < MapPlace.extent, place.region < groupCount else {
                throw .corrupt(section: name, reason: "group \(group) lies outside the map")
            }
        }
    }

    /// The place of a group of the version; nil for a group beside the map.
    subscript(group: Int) -> MapPlace? {
        let place = MapPlace(x: number(group, 0), y: number(group, 4), region: number(group, 8))
        return place.region == .max ? nil : place
    }

    private func number(_ group: Int, _ offset: Int) -> UInt32 {
        UInt32(littleEndian: region.load(start + group * MapPlace.byteCount + offset, as: UInt32.self))
    }
}
