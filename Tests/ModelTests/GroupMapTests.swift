import Basics
@testable import Model
import TestSupport
import Testing

@Suite("The map in a model version")
struct GroupMapTests {
    private let model: EncodedModel

    init() throws {
        model = try EncodedModel(groups: [GroupFacts(id: "a"), GroupFacts(id: "b"), GroupFacts(id: "c")], tables: [:])
    }

    @Test("Places are read as they were given, and a version without a map has none")
    func places() throws {
        let places = [MapPlace(x: 1, y: 2, region: 0), nil, MapPlace(x: 999_999, y: 0, region: 1)]
        let version = try ModelVersion(model.adding(places))
        #expect(version.hasMap && (0..<3).map { version.place(of: $0) } == places)
        let older = try ModelVersion(model)
        #expect(!older.hasMap && older.place(of: 0) == nil)
    }

    @Test("A place outside the map, an impossible region and too few places are refused")
    func damage() {
        for place in [
            MapPlace(x: MapPlace.extent, y: 0, region: 0), MapPlace(x: 0, y: .max, region: 0),
            MapPlace(x: 0, y: 0, region: 3),
        ] {
            #expect(throws: Failure.corrupt(section: "map", reason: "group 1 lies outside the map")) {
                try ModelVersion(model.adding([nil, place, nil]))
            }
        }
        #expect(throws: Failure.self) { try ModelVersion(model.adding([nil, nil])) }
    }

    @Test("A hidden group has no place, and parts begin behind any id")
    func visible() throws {
        let places = (0..<3).map { MapPlace(x: $0, y: 0, region: 0) }
        let version = try ModelVersion(model.adding(places))
        let visible = VisibleModel(version, SiteDecisions(hidden: [1], curated: nil))
        #expect((0..<3).map { visible.place(of: $0)?.x } == [0, nil, 2])
        #expect(visible.groups(after: nil, limit: 9) == [0, 2])
        #expect(visible.groups(after: "a", limit: 9) == [2] && visible.groups(after: "b", limit: 9) == [2])
        #expect(visible.groups(after: "aa", limit: 1) == [2] && visible.groups(after: "c", limit: 1).isEmpty)
    }
}
