/// A tenth of a degree of latitude by a tenth of longitude: 11 km from south to north, at most as much from west to
/// east.
public struct PlaceCell: Sendable, Hashable, Comparable {
    /// The southern edge in tenths of a degree, −900 to 899.
    public let south: Int
    /// The western edge in tenths of a degree, −1800 to 1799.
    public let west: Int

    /// The cell that a point lies in.
    ///
    /// - Parameters:
    ///   - latitude: in degrees, −90 to 90.
    ///   - longitude: in degrees, −180 to 180; both ends are the same meridian.
    /// - Returns: nil for anything else.
    public init?(latitude: Double, longitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.init(south: Int((latitude * 10).rounded(.down)), west: Int((longitude * 10).rounded(.down)))
    }

    /// A cell by its edges: the pole belongs to the northernmost cells, and west of −180 follows 179.9.
    private init(south: Int, west: Int) {
        self.south = min(max(south, -900), 899)
        self.west = (west + 1800 + 3600) % 3600 - 1800
    }

    /// Its number among all cells, from south to north and from west to east, from 0 on.
    public var number: Int { (south + 900) * 3600 + west + 1800 }

    /// The cell of a key that is just as `key` writes it; nil for anything else.
    init?(key: String) {
        let edges = key.split(separator: ",").compactMap { Int($0) }
        guard edges.count == 2, (-900...899).contains(edges[0]), (-1800...1799).contains(edges[1]) else { return nil }
        self.init(south: edges[0], west: edges[1])
        guard self.key == key else { return nil }
    }

    /// The cells around it: eight, fewer beside a pole.
    public var neighbours: [PlaceCell] {
        var cells: [PlaceCell] = []
        for row in -1...1 where (-900...899).contains(south + row) {
            for column in -1...1 where (row, column) != (0, 0) {
                cells.append(PlaceCell(south: south + row, west: west + column))
            }
        }
        return cells
    }

    /// From south to north, and from west to east.
    public static func < (left: PlaceCell, right: PlaceCell) -> Bool {
        (left.south, left.west) < (right.south, right.west)
    }

    /// The middle of the cell, in degrees.
    public var middle: (latitude: Double, longitude: Double) {
        ((Double(south) + 0.5) / 10, (Double(west) + 0.5) / 10)
    }

    /// The cell as indexes have it: both edges, `473,85`.
    var key: String { "\(south),\(west)" }
}
