import Model
import ModelStore
import TestSupport
import Testing

@testable import Recompute

@Suite("The map of all groups")
struct MapLayoutTests {
    /// Communities of groups whose neighbours are theirs, but for the last one of each list.
    private static func planted(communities: Int, size: Int) -> [[UInt32]] {
        var generator = SeededGenerator(seed: 7)
        return (0..<communities * size).map { group in
            let first = group / size * size
            let near = (first..<first + size).filter { $0 != group }.shuffled(using: &generator).prefix(14)
            return (near + [Int.random(in: 0..<communities * size, using: &generator)]).map { UInt32($0) }
        }
    }

    @Test("Of the ten nearest on the map nearly all are of the same community")
    func nearest() throws {
        let size = 25
        let places = MapLayout(Self.planted(communities: 20, size: size)).places.compactMap(\.self)
        try #require(places.count == 500)
        #expect(places.allSatisfy { $0.x < MapPlace.extent && $0.y < MapPlace.extent })
        func distance(_ left: Int, _ right: Int) -> Double {
            let (dx, dy) = (
                Double(places[left].x) - Double(places[right].x), Double(places[left].y) - Double(places[right].y)
            )
            return dx * dx + dy * dy
        }
        var same = 0
        for group in places.indices {
            let others = places.indices.filter { $0 != group }
            let near = others.sorted { (distance(group, $0), $0) < (distance(group, $1), $1) }.prefix(10)
            same += near.count { $0 / size == group / size }
        }
        // At random, one in twenty would be.
        #expect(same > 500 * 10 * 8 / 10, "\(same) of 5000")
    }

    @Test("Regions are about equally large, and are numbered without gaps")
    func regions() {
        let places = MapLayout(Self.planted(communities: 20, size: 25)).places.compactMap(\.self)
        let sizes = Dictionary(grouping: places, by: \.region).mapValues(\.count)
        #expect(sizes.keys.sorted() == Array(0..<16))
        #expect(sizes.values.allSatisfy { (31...32).contains($0) }, "\(sizes)")
    }

    @Test("A group without neighbours lies beside the map, and few groups make a map, too")
    func few() {
        #expect(MapLayout([]).places.isEmpty)
        #expect(MapLayout([[], []]).places == [nil, nil])
        let pair = MapLayout([[2], [], [0]]).places
        #expect(pair[1] == nil && pair[0]?.region == 0 && pair[2]?.region == 0)
        #expect(pair[0] != pair[2])
        // Its only neighbour has none itself.
        #expect(MapLayout([[1], []]).places.map { $0 == nil } == [false, true])
    }

    @Test("The same catalog gives the same map on any number of threads, and none with the setting")
    func threads() throws {
        let community = try SmallCommunity.random(seed: 11)
        let models = try [1, 4].map { threads in
            try community.store.load(community.recompute { $0.threads = threads }.manifest.version).model
        }
        func places(_ model: ModelVersion) -> [MapPlace?] { (0..<model.groupCount).map { model.place(of: $0) } }
        #expect(models[0].hasMap && places(models[0]) == places(models[1]))
        #expect(places(models[0]).contains { $0 != nil })
        let without = try community.recompute { $0.drawsMap = false }
        let model = try community.store.load(without.manifest.version).model
        #expect(!model.hasMap && places(model).allSatisfy { $0 == nil })
        #expect(!without.steps.map(\.name).contains("draw the map"))
    }
}
