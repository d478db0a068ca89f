import Basics
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

/// The conformance suite for stores of model versions.
@Suite("Every store")
struct ConformanceTests {
    @Test("loads what was published, byte for byte", arguments: StoreUnderTest.Kind.available, [0, 1, 2, 700])
    func roundTrip(kind: StoreUnderTest.Kind, groupCount: Int) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: groupCount)
        let written = try subject.publish(1, model)
        let loaded = try subject.store.load(written.version)
        #expect(loaded.manifest == written)
        #expect(try encodedAgain(loaded.model) == model)
        #expect(written.sections.map(\.byteCount) == model.sections.map(\.bytes.count))
    }

    @Test("keeps empty relations", arguments: StoreUnderTest.Kind.available, [[], [Relation.photos], [.members]])
    func emptyRelations(kind: StoreUnderTest.Kind, relations: [Relation]) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 50, relations: relations)
        let loaded = try subject.store.load(subject.publish(1, model).version)
        #expect(try encodedAgain(loaded.model) == model)
    }

    @Test("has no versions at first", arguments: StoreUnderTest.Kind.available)
    func empty(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        #expect(try subject.store.current() == nil)
        #expect(try subject.store.versions().isEmpty)
        #expect(try subject.store.prune(keeping: 1).isEmpty)
    }

    @Test("keeps the text of experiments, unless another has replaced it", arguments: StoreUnderTest.Kind.available)
    func experiments(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let store = subject.store
        let (first, second) = (Array("first".utf8), [UInt8](0...255))
        #expect(try store.experiments() == nil)
        #expect(try !store.setExperiments(first, replacing: second))
        #expect(try store.setExperiments(first, replacing: nil))
        #expect(try store.experiments() == first)
        #expect(try !store.setExperiments(second, replacing: nil))
        #expect(try store.setExperiments(second, replacing: first))
        #expect(try store.experiments() == second)
    }

    @Test("keeps what the site decided", arguments: StoreUnderTest.Kind.available)
    func site(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let store = subject.store
        defer { withExtendedLifetime(subject) {} }
        #expect(try store.site() == nil && store.siteMark() == nil)
        let version = try VersionName("20260101T000000000-1")
        for ids in [["b", "é ✈", "a"], []] {
            let lastVersions = Dictionary(uniqueKeysWithValues: ids.map { (BytewiseString($0), version) })
            let groups = WithdrawnGroups(lastVersions, through: version) { $0 == "a" ? .removed : .private }
            let site = PublishedSite(
                taken: AppliedChanges(["a": Int64(ids.count)]), hidden: [HiddenGroup(id: "b", hiddenAtMilliseconds: 7)],
                curations: [Curation(groupID: "é ✈", isShown: true, position: 1, startsAt: 2, expiresAt: nil)],
                newGroupIDs: ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, withdrawn: groups)
            let mark = try store.siteMark()
            try store.setSite(site)
            #expect(try store.site() == site)
            #expect(try store.siteMark() != mark)
            #expect(["a", "b", "c"].map(site.hasNewGroup) == [!ids.isEmpty, !ids.isEmpty, false])
            #expect(groups.reason(forGroup: "a") == (ids.isEmpty ? nil : .removed))
            #expect(groups.reason(forGroup: "é ✈") == (ids.isEmpty ? nil : .private))
            #expect(groups.reason(forGroup: "c") == nil && Set(groups.groupIDs) == Set(ids))
            var newer = site
            newer.unknown = ["later": .number("5"), "muted": .list([.object([(name: "é", value: .text("x"))])])]
            try store.setSite(newer)
            #expect(try store.site() == newer && newer != site)
        }
    }

    @Test(
        "lists a published version, which is current only when it is made current",
        arguments: StoreUnderTest.Kind.available
    )
    func listing(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 9)
        let second = try subject.publish(2, model)
        let first = try subject.publish(1, model)
        #expect(try subject.store.versions() == [first, second])
        #expect(try subject.store.current() == nil)
    }

    @Test("switches to a version and back", arguments: StoreUnderTest.Kind.available)
    func switching(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let versions = try (1...3).map { try subject.publish($0, SampleModel.model(groupCount: $0)).version }
        #expect(try subject.store.currentSince() == nil)
        for version in [versions[0], versions[2], versions[1], versions[1]] {
            let before = Self.millisecondsOfLastTick()
            try subject.store.makeCurrent(version)
            #expect(try subject.store.current() == version)
            let after = Int64(Date().timeIntervalSince1970 * 1000)
            #expect((before...after).contains(try #require(try subject.store.currentSince())))
        }
    }

    /// The time of the last tick of the system's clock, which is the time that files get.
    private static func millisecondsOfLastTick() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    @Test("refuses to load or switch to a version that was not published", arguments: StoreUnderTest.Kind.available)
    func unknown(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let known = try subject.publish(1, SampleModel.model(groupCount: 3)).version
        try subject.store.makeCurrent(known)
        let unknown = try VersionName("20200101T000000-0")
        #expect(errorCode { _ = try subject.store.load(unknown) } == .unknownVersion)
        #expect(errorCode { try subject.store.makeCurrent(unknown) } == .unknownVersion)
        #expect(try subject.store.current() == known)
    }

    @Test("does not publish a version twice", arguments: StoreUnderTest.Kind.available)
    func twice(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 30)
        let written = try subject.publish(1, model)
        #expect(errorCode { try subject.publish(1, SampleModel.model(groupCount: 4)) } == .fileFailed)
        #expect(try encodedAgain(subject.store.load(written.version).model) == model)
    }

    @Test("removes the oldest versions, never the current one", arguments: StoreUnderTest.Kind.available)
    func pruning(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 40)
        let versions = try (1...5).map { try subject.publish($0, model).version }
        try subject.store.makeCurrent(versions[1])
        #expect(try subject.store.prune(keeping: 9).isEmpty)
        #expect(try subject.store.prune(keeping: 2) == [versions[0], versions[2]])
        #expect(try subject.store.versions().map(\.version) == [versions[1], versions[3], versions[4]])
        #expect(try subject.store.prune(keeping: 0) == [versions[3]])
        #expect(try subject.store.current() == versions[1])
        #expect(try encodedAgain(subject.store.load(versions[1]).model) == model)
        #expect(errorCode { _ = try subject.store.load(versions[0]) } == .unknownVersion)
    }

    @Test("keeps pinned versions until they are released", arguments: StoreUnderTest.Kind.available)
    func pins(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 4)
        let versions = try (1...4).map { try subject.publish($0, model).version }
        #expect(try subject.store.pinned().isEmpty)
        for _ in 0..<2 { try subject.store.pin(versions[0], true) }
        #expect(try subject.store.pinned() == [versions[0]])
        #expect(try subject.store.prune(keeping: 1) == [versions[1], versions[2]])
        for _ in 0..<2 { try subject.store.pin(versions[0], false) }
        #expect(try subject.store.pinned().isEmpty)
        #expect(try subject.store.prune(keeping: 1) == [versions[0]])
        #expect(errorCode { try subject.store.pin(versions[0], true) } == .unknownVersion)
        #expect(try subject.store.pinned().isEmpty)
    }

    @Test("lets a reader keep using a version that is removed", arguments: StoreUnderTest.Kind.available)
    func readingOn(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 300)
        let loaded = try subject.store.load(subject.publish(1, model).version)
        try subject.publish(2, SampleModel.model(groupCount: 2))
        #expect(try subject.store.prune(keeping: 1).count == 1)
        #expect(try encodedAgain(loaded.model) == model)
    }

    @Test(
        "refuses a version with a damaged byte", arguments: StoreUnderTest.Kind.available,
        ModelLayout.SectionName.fixed + RelationTable.standard.requiredRelations.map { .init($0) })
    func damage(kind: StoreUnderTest.Kind, section: ModelLayout.SectionName) throws {
        let subject = try StoreUnderTest(kind)
        let written = try subject.publish(1, SampleModel.model(groupCount: 200))
        try subject.damage(written, section: section)
        #expect(errorCode { _ = try subject.store.load(written.version) } == .corrupt)
    }

    @Test("refuses a second publisher while one publishes", arguments: StoreUnderTest.Kind.available)
    func exclusion(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 30)
        let codes = Recorder<Failure.Code?>()
        let store = subject.store
        let first = try store.publish(model, manifest: SampleModel.manifest(1, groupCount: 30), members: nil) { _, _ in
            codes.append(errorCode { _ = try subject.publish(2, model) })
            codes.append(errorCode { _ = try store.prune(keeping: 1) })
        }
        #expect(!codes.values.isEmpty)
        #expect(codes.values.allSatisfy { $0 == .busy })
        let second = try subject.publish(2, model)
        #expect(try store.versions() == [first, second])
    }

    @Test("reports progress up to the end", arguments: StoreUnderTest.Kind.available)
    func progress(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 3000)
        let reports = Recorder<[Int]>()
        let manifest = try SampleModel.manifest(1, groupCount: 3000)
        let written = try subject.store.publish(model, manifest: manifest, members: nil) { reports.append([$0, $1]) }
        #expect(reports.values.last == [written.byteCount, written.byteCount])
        #expect(reports.values.map { $0[0] } == reports.values.map { $0[0] }.sorted())
    }

    @Test("refuses a model that contradicts itself", arguments: StoreUnderTest.Kind.available, Contradiction.allCases)
    func contradictions(kind: StoreUnderTest.Kind, contradiction: Contradiction) throws {
        let subject = try StoreUnderTest(kind)
        let model = try SampleModel.model(groupCount: 20)
        #expect(errorCode { try subject.publish(1, contradiction.applied(to: model)) } == .corrupt)
        #expect(try subject.store.versions().isEmpty)
        #expect(try encodedAgain(subject.store.load(subject.publish(1, model).version).model) == model)
    }

    /// What can be wrong with a model.
    enum Contradiction: CaseIterable {
        case missingSection, shortSection, neighbourOutOfRange, ownNeighbour, ascendingScores

        func applied(to model: EncodedModel) throws -> EncodedModel {
            var table = SampleModel.table(groupCount: 20, limit: 5, seed: 1, isFull: true)
            switch self {
            case .missingSection: return EncodedModel(groupCount: 20, sections: model.sections.dropLast())
            case .shortSection:
                let sections = model.sections.map { section in
                    EncodedModel.Section(
                        name: section.name,
                        bytes: section.name == .init(.members) ? section.bytes.dropLast() : section.bytes)
                }
                return EncodedModel(groupCount: 20, sections: sections)
            case .neighbourOutOfRange: table.neighbours[7].index = 20
            case .ownNeighbour: table.neighbours[7].index = 1
            case .ascendingScores: table.neighbours.swapAt(5, 9)
            }
            return try EncodedModel(groups: SampleModel.groups(20), tables: [.members: table])
        }
    }
}

extension ConformanceTests {
    @Test("keeps unknown relations, and removes all of them when it prunes", arguments: StoreUnderTest.Kind.available)
    func ownRelations(kind: StoreUnderTest.Kind) throws {
        let subject = try StoreUnderTest(kind)
        let relations = ["discussions", "members", "favourites"].map { Relation(rawValue: $0) }
        let tables = relations.enumerated().map { number, relation in
            (relation, SampleModel.table(groupCount: 50, limit: 5, seed: UInt64(number)))
        }
        let model = try EncodedModel(
            groups: SampleModel.groups(50), relations: relations, sizes: [relations[0]: (0..<50).map(UInt32.init)],
            tables: Dictionary(uniqueKeysWithValues: tables))
        let loaded = try subject.store.load(subject.publish(1, model).version).model
        #expect(loaded.relations == relations)
        #expect(try encodedAgain(loaded) == model)
        #expect(loaded.neighbours(of: 1, by: .photos).isEmpty && loaded.size(of: 1, in: .photos) == 0)
        guard let server = subject.server else { return }
        try subject.publish(2, SampleModel.model(groupCount: 2))
        #expect(try subject.store.prune(keeping: 1).count == 1)
        var connection = try RedisConnection(to: RedisAddress(server.url))
        for relation in relations {
            #expect(try connection.command("KEYS", "*:\(relation.rawValue):*") == .array([]) || relation == .members)
        }
    }
}
