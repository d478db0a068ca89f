import Basics
import Changes
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

@Suite("What journals tell one another, and the catalog")
struct JournalTakeoverTests {
    private static func interaction(_ id: String, _ kind: Interaction.Kind, _ group: String = "a") -> InteractionRecord
    {
        InteractionRecord(id: id, kind, groupID: group, atMilliseconds: 1)
    }

    /// Random changes in three journals, which send and follow them at random; the streams are sometimes lost.
    @Test("All journals come to know the same, which is what the catalog takes over", arguments: 0..<24)
    func agreement(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let journals = try (0..<3).map { try ChangeJournal(path: "\(directory.path)/journal\($0)", mode: .recording) }
        var streams: [String: [JournaledChange]] = [:]
        /// Takes the steps that follow from a comparison, at most `limit` of them.
        func exchange(_ journal: ChangeJournal, limit: Int) throws {
            let exchange = ChangeExchange(
                here: try journal.kept(),
                streams: streams.mapValues { stream in
                    StreamedNumbers(
                        after: (stream.first?.sequence ?? 1) - 1, last: stream.last?.sequence ?? 0, count: stream.count)
                }, prunable: .none)
            for step in exchange.steps.prefix(limit) {
                switch step {
                case .take(let origin, let last):
                    let found = streams[origin]?.filter { $0.sequence > last }.prefix(limit) ?? []
                    _ = try journal.follow(Array(found), beyond: .none, at: 1)
                case .add(let origin, let last, let isRemade):
                    let added = try journal.changes(of: origin, after: last, limit: limit)
                    streams[origin] = (isRemade ? [] : streams[origin] ?? []) + added
                case .wait: Issue.record("nothing is missing")
                }
            }
        }
        // Nobody follows cat, who is removed at times: the catalog leaves out follows of members who are not there.
        let (users, groups) = (["ann", "bob", "cat"], ["a", "b", "c"])
        func interaction(_ number: Int) throws -> InteractionRecord {
            let id = Bool.random(using: &generator) ? "\(number)" : "\(number / 3)"
            let kind = try #require(Interaction.Kind.allCases.randomElement(using: &generator))
            // Photos have the same ids as groups.
            let subjects = kind.subject == .user ? ["ann", "bob"] : groups
            return InteractionRecord(
                id: id, kind, subjectID: try #require(subjects.randomElement(using: &generator)),
                // If several interactions have the same id, only the first is kept.
                atMilliseconds: Int64(number / 3) * 1000)
        }
        for number in 0..<120 {
            let journal = try #require(journals.randomElement(using: &generator))
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<11:
                let user = try #require(users.randomElement(using: &generator))
                let action: MemberChange.Action =
                    switch Int.random(in: 0..<20, using: &generator) {
                    case 0: .forget(id: nil)
                    case 1: .forget(id: "\(Int.random(in: 0..<120, using: &generator))")
                    case 2: .state(interests: ["\(number)"])
                    default: .record([try interaction(number)])
                    }
                // A client must not give one id to two interactions.
                if case .record(let records) = action, records[0].id != "\(number)" { continue }
                _ = try journal.record([.member(MemberChange(ofUser: user, action))], at: 1)
            case 11..<18: try exchange(journal, limit: 3)
            case 18:
                _ = try journal.record([.removal(RemovalChange(.account("cat"), atMilliseconds: 1))], at: 1)
            default: streams = [:]
            }
        }
        for _ in 0..<4 { for journal in journals { try exchange(journal, limit: .max) } }
        let catalog = try CatalogUnderTest()
        try catalog.importing(.groups, "group_id\na\nb\nc\n")
        try catalog.importing(.photos, "photo_id\na\nb\nc\n")
        try catalog.importing(.users, "user_id\nann\nbob\ncat\n")
        let counts = try catalog.catalog.ingest.apply(journaled: streams.values.joined().sorted { $0.stamp < $1.stamp })
        #expect(counts.held == 0 && counts.repeated == 0)
        for user in users {
            let members = try journals.map { try $0.recentChanges(ofUser: user) }
            #expect(members[0] == members[1] && members[0] == members[2])
            let kept = try journals[0].interactions(ofUser: user, after: nil, limit: 999) ?? []
            #expect(try Set(kept.map(\.id)) == Set(catalog.interactionIDs(of: user)))
            #expect(try members[0]?.interests ?? [] == catalog.catalog.facts.member(withID: user)?.interests ?? [])
            var memberships: [String: PairState] = [:]
            for interaction in members[0]?.interactions ?? [] {
                guard let change = interaction.kind.pairChange, change.source == .memberships else { continue }
                memberships[interaction.subjectID, default: .unknown].settle(
                    change.adds, atSeconds: interaction.atMilliseconds / 1000)
            }
            let joined = Set(memberships.filter(\.value.holds).keys)
            #expect(joined == Set(try catalog.catalog.facts.member(withID: user)?.memberships.map(\.groupID) ?? []))
            for kind in ToldKind.allCases {
                let told = (members[0]?.told ?? []).filter { $0.kind == kind && $0.adds }.map(\.subjectID)
                let rows = try catalog.content(.relation(kind.source)).map { $0.split(separator: "|") }
                #expect(told.sorted() == rows.filter { $0[0] == user }.map { String($0[1]) }, "\(kind)")
            }
        }
        for journal in journals { #expect(try journal.kept() == journals[0].kept()) }
    }

    @Test("Acknowledged changes are applied once, and only those about groups that do not exist are left out")
    func takeover() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nsecret,private\n")
        func change(_ sequence: Int64, _ interactions: [InteractionRecord]) -> JournaledChange {
            JournaledChange(
                origin: "o", sequence: sequence, stampMilliseconds: sequence,
                change: .member(MemberChange(ofUser: "ann", .record(interactions))))
        }
        let first = change(
            1,
            [
                Self.interaction("1", .join), Self.interaction("2", .click, "none"),
                Self.interaction("3", .click, "secret"),
            ])
        var counts = try test.catalog.ingest.apply(journaled: [first, first])
        #expect(counts.applied == 1 && counts.repeated == 1 && counts.leftOut == 1)
        // A change after a gap waits.
        let (second, third) = (change(2, [Self.interaction("1", .leave)]), change(3, []))
        counts = try test.catalog.ingest.apply(journaled: [third])
        #expect(counts.applied == 0 && counts.held == 1)
        #expect(try test.catalog.facts.appliedChanges() == AppliedChanges(["o": 1]))
        counts = try test.catalog.ingest.apply(journaled: [first, second, third])
        #expect(counts.applied == 2 && counts.repeated == 1 && counts.leftOut == 0 && counts.held == 0)
        try test.catalog.ingest.skipMissing(through: 7, of: "o")
        try test.catalog.ingest.skipMissing(through: 2, of: "o")
        #expect(try test.catalog.facts.appliedChanges() == AppliedChanges(["o": 7]))
        #expect(try test.interactionIDs(of: "ann") == ["1", "3"])
        #expect(try test.catalog.facts.member(withID: "ann")?.memberships.map(\.groupID) == ["a"])
        let hide = Change.site(SiteChange(ofGroup: "a", .hide, atMilliseconds: 1))
        try test.catalog.take([hide])
        #expect(try test.catalog.facts.unshownGroupIDs() == ["a", "secret"])
    }

    @Test("A late, earlier unhide does not show a group that a replaced catalog had hidden later")
    func earlierDecision() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\na\n")
        func isHidden(after action: SiteChange.Action, at instant: Int64) throws -> Bool {
            try test.catalog.take([.site(SiteChange(ofGroup: "a", action, atMilliseconds: instant))])
            return try test.catalog.facts.unshownGroupIDs() == ["a"]
        }
        #expect(try isHidden(after: .hide, at: 10))
        // As a restore notes it.
        try test.catalog.database.execute("UPDATE hidden_groups SET decided_at = 10")
        #expect(try isHidden(after: .unhide, at: 9))
        #expect(try !isHidden(after: .unhide, at: 10))
        // Among journals, the order of changes counts, and not the clocks, which may differ.
        #expect(try isHidden(after: .hide, at: 30))
        #expect(try !isHidden(after: .unhide, at: 29))
    }

    private static let newer = Array(#"{"v":2,"kind":1,"user":"ann","group":"a"}"#.utf8)

    @Test("A change of a newer program stops its journal, loses nothing, and is given up only if that is asked for")
    func newer() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\na\nb\n")
        func change(_ origin: String, _ sequence: Int64, _ group: String) -> JournaledChange {
            JournaledChange(
                origin: origin, sequence: sequence, stampMilliseconds: sequence,
                change: .member(MemberChange(ofUser: "ann", .record([Self.interaction(origin + group, .join, group)]))))
        }
        let newer = JournaledChange(origin: "o", sequence: 2, stampMilliseconds: 2, encoded: Self.newer)
        let streams = [
            "o": [change("o", 1, "a"), newer, change("o", 3, "b")], "p": [change("p", 1, "a"), change("p", 2, "b")],
        ]
        func takeOver(skipsMissing: Bool, _ streams: [String: [JournaledChange]]) throws -> [String: StoppingChange] {
            try test.catalog.ingest.takeOver(
                through: streams.mapValues { $0.last?.sequence ?? 0 }, skipsMissing: skipsMissing
            ) { origin, after, limit throws(Failure) in
                Array((streams[origin] ?? []).filter { $0.sequence > after }.prefix(limit))
            }.stopping
        }
        for _ in 0..<2 {
            #expect(
                try takeOver(skipsMissing: false, streams) == ["o": StoppingChange(2, last: 3, isNewer: true)])
            #expect(try test.catalog.facts.appliedChanges() == AppliedChanges(["o": 1, "p": 2]))
            #expect(try test.interactionIDs(of: "ann") == ["oa", "pa", "pb"])
        }
        // An upgraded program reads the same bytes.
        var upgraded = streams
        upgraded["o"]?[1] = change("o", 2, "a")
        #expect(try takeOver(skipsMissing: false, upgraded) == [:])
        #expect(try test.catalog.facts.appliedChanges() == AppliedChanges(["o": 3, "p": 2]))
        let other = ["q": [JournaledChange(origin: "q", sequence: 1, stampMilliseconds: 1, encoded: Self.newer)]]
        #expect(try takeOver(skipsMissing: true, other) == [:])
        #expect(try test.catalog.facts.appliedChanges().last(of: "q") == 1)
    }
}
