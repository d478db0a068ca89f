import Basics
@testable import Model
import TestSupport
import Testing

/// What a version says beyond neighbours: read as it was given, found however it is asked for, refused if it is wrong.
@Suite("Signals of a model version")
struct SignalTests {
    private let groups = [
        GroupFacts(id: "a", topics: ["Birds", "nature"]), GroupFacts(id: "b", topics: ["NATURE ", "nature"]),
        GroupFacts(id: "c", topics: ["E\u{301}pices"]),
        GroupFacts(id: "d", topics: ["\u{C9}pices"], createdAt: 5, lastActiveAt: -7),
    ]

    private func open(_ encoded: EncodedModel) throws -> ModelVersion {
        try ModelVersion(encoded)
    }

    private func model(_ signals: GroupSignals) throws -> ModelVersion {
        try open(EncodedModel(groups: groups, tables: [:], signals: signals))
    }

    @Test("are read as they were given", arguments: [0, 1, 3, 200])
    func roundTrip(groupCount: Int) throws {
        let signals = SampleModel.signals(groupCount: groupCount, seed: 3)
        let encoded = try EncodedModel(groups: SampleModel.groups(groupCount), tables: [:], signals: signals)
        let model = try open(encoded)
        #expect(model.trending == signals.trending)
        #expect(model.curated == signals.curated)
        #expect(model.tags == signals.tags.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(signals.tags.allSatisfy { model.groups(withTag: $0.key) == $0.value })
        #expect(Set(model.places) == Set(signals.places.keys))
        #expect(signals.places.allSatisfy { model.groups(at: $0.key) == $0.value })
        for (group, factors) in signals.seasons.enumerated() {
            for month in 0..<12 {
                #expect(model.seasonalFactor(of: group, month: month) == Double(factors.percent[month]) / 100)
            }
        }
    }

    @Test("are empty without data: every season is 1")
    func nothing() throws {
        let model = try model(GroupSignals())
        #expect(model.trending.isEmpty && model.curated.isEmpty && model.tags.isEmpty && model.places.isEmpty)
        #expect(!model.hasSeasons && model.seasonalFactor(of: 3, month: 11) == 1)
        #expect(model.groups(withTag: "a").isEmpty)
        #expect(model.createdAt(of: 3) == 5 && model.lastActiveAt(of: 3) == -7)
        #expect(model.createdAt(of: 0) == nil && model.lastActiveAt(of: 0) == nil)
    }

    @Test(
        "find groups by topic whatever the case and the encoding of accents, each once",
        arguments: [
            ("nature", [0, 1]), (" Nature", [0, 1]), ("BIRDS", [0]), ("bird", []), ("", []),
            ("\u{E9}pices", [2, 3]), ("e\u{301}pices", [2, 3]),
        ] as [(String, [UInt32])])
    func topics(topic: String, expected: [UInt32]) throws {
        #expect(try model(GroupSignals()).groups(withTopic: topic) == expected)
    }

    @Test("sort lists by weight, greatest first, equal weights by group")
    func order() throws {
        var signals = GroupSignals()
        signals.tags["x"] = [
            Posting(group: 2, weight: 0.5), Posting(group: 3, weight: 1), Posting(group: 0, weight: 0.5),
        ]
        #expect(try model(signals).groups(withTag: "X").map(\.group) == [3, 0, 2])
    }

    @Test("of locations use cells of a tenth of a degree with eight neighbours, across the date line too")
    func places() throws {
        let cell = try #require(PlaceCell(latitude: 47.37, longitude: 8.54))
        #expect(cell.south == 473 && cell.west == 85)
        #expect(PlaceCell(latitude: -0.01, longitude: 0)?.south == -1)
        #expect(PlaceCell(latitude: 0, longitude: 180) == PlaceCell(latitude: 0, longitude: -180))
        #expect(PlaceCell(latitude: 90.1, longitude: 0) == nil && PlaceCell(latitude: .nan, longitude: 0) == nil)
        #expect(Set(cell.neighbours).count == 8 && !cell.neighbours.contains(cell))
        let east = try #require(PlaceCell(latitude: 0, longitude: 179.95))
        #expect(east.neighbours.contains { $0.west == -1800 })
        #expect(try #require(PlaceCell(latitude: 90, longitude: 0)).neighbours.count == 5)
        for cell in [cell, east] { #expect(cell.neighbours.allSatisfy { $0.neighbours.contains(cell) }) }
    }

    @Test("that are curated are valid from their start up to their expiry")
    func validity() {
        let group = CuratedGroup(group: 0, position: 1, startsAt: 10, expiresAt: 20)
        #expect([9, 10, 19, 20].map { group.isValid(at: $0) } == [false, true, true, false])
        #expect(CuratedGroup(group: 0, position: 1).isValid(at: .min))
    }

    @Test("are refused if they contradict themselves", arguments: Fault.allCases)
    func faults(fault: Fault) throws {
        let signals = SampleModel.signals(groupCount: 4, seed: 8)
        var sections = try EncodedModel(groups: groups, tables: [:], signals: fault.applied(to: signals)).sections
        if fault == .shortSeasons, let index = sections.firstIndex(where: { $0.name == .seasons }) {
            sections[index] = .init(name: .seasons, bytes: [UInt8](repeating: 100, count: 12))
        }
        let error = #expect(throws: Failure.self) {
            try open(EncodedModel(groupCount: groups.count, sections: sections))
        }
        #expect(error?.message.hasPrefix("section \"\(fault.section)\" of the model is corrupt") == true)
    }

    enum Fault: CaseIterable {
        case trendingNobody, trendingTwice, trendingAscends, trendingZero, trendingNoNumber, curatedNobody,
            curatedAscends, tagNobody, tagZero, tagTwice, placeNobody, shortSeasons

        var section: String {
            switch self {
            case .trendingNobody, .trendingTwice, .trendingAscends, .trendingZero, .trendingNoNumber: "trending"
            case .curatedNobody, .curatedAscends: "curated"
            case .tagNobody, .tagZero, .tagTwice: "tags"
            case .placeNobody: "places"
            case .shortSeasons: "seasons"
            }
        }

        func applied(to signals: GroupSignals) -> GroupSignals {
            var signals = signals
            let group = TrendingGroup(group: 1, score: 2)
            switch self {
            case .trendingNobody: signals.trending = [TrendingGroup(group: 4, score: 1)]
            case .trendingTwice: signals.trending = [group, group]
            case .trendingAscends: signals.trending = [group, TrendingGroup(group: 0, score: 3)]
            case .trendingZero: signals.trending = [TrendingGroup(group: 1, score: 0)]
            case .trendingNoNumber: signals.trending = [TrendingGroup(group: 1, score: 1, usualWeek: .infinity)]
            case .curatedNobody: signals.curated = [CuratedGroup(group: 4, position: 1)]
            case .curatedAscends:
                signals.curated = [CuratedGroup(group: 1, position: 2), CuratedGroup(group: 2, position: 1)]
            case .tagNobody: signals.tags["a"] = [Posting(group: 4, weight: 1)]
            case .tagZero: signals.tags["a"] = [Posting(group: 1, weight: 0)]
            case .tagTwice: signals.tags["a"] = [Posting(group: 1, weight: 1), Posting(group: 1, weight: 1)]
            case .placeNobody:
                for cell in signals.places.keys { signals.places[cell] = [Posting(group: 4, weight: 1)] }
            case .shortSeasons: break
            }
            return signals
        }
    }
}
