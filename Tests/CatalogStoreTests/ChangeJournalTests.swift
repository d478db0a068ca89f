import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Journals of daemons without a catalog")
struct ChangeJournalTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func journal(_ name: String = "journal") throws -> ChangeJournal {
        try ChangeJournal(path: "\(directory.path)/\(name)", mode: .recording)
    }

    private static func interaction(
        _ id: String, _ kind: Interaction.Kind, _ group: String = "a", at milliseconds: Int64 = 1
    ) -> InteractionRecord {
        InteractionRecord(
            id: id, kind, groupID: group, atMilliseconds: milliseconds, recommendationID: "r", position: 3, variant: "v"
        )
    }

    private func record(_ journal: ChangeJournal, _ interactions: InteractionRecord..., of user: String = "ann") throws
        -> CatalogChange.Outcome?
    {
        try journal.record([.member(MemberChange(ofUser: user, .record(interactions)))], at: 5).first
    }

    private static func position(_ number: Int) throws -> StreamPosition { try #require(StreamPosition("7-\(number)")) }

    @Test("Only its owner may read it and the files next to it")
    func permissions() throws {
        let journal = try journal()
        _ = try record(journal, Self.interaction("1", .join))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.contains("journal"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    /// The files that hold a text: the journal, or its write-ahead log.
    private func files(with text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)"))
            return bytes.range(of: Data(text.utf8)) != nil
        }.sorted()
    }

    @Test(
        "After erasing, no file holds a forgotten interaction, whether it was in the log or the journal",
        arguments: [false, true])
    func erasing(isInJournal: Bool) throws {
        let journal = try journal()
        _ = try record(journal, Self.interaction("a-telling-id", .click, "a-telling-group"))
        // Emptying the log brings what it holds to the journal itself.
        if isInJournal { #expect(try journal.eraseForgotten()) }
        let texts = ["a-telling-id", "a-telling-group"]
        let holder = isInJournal ? "journal" : "journal-wal"
        for text in texts { #expect(try files(with: text) == [holder]) }
        _ = try journal.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 6)
        for text in texts { #expect(try files(with: text) == [holder]) }
        #expect(try journal.eraseForgotten())
        for text in texts { #expect(try files(with: text) == []) }
    }

    @Test("Interactions are kept in the order of their times, and a known id changes nothing")
    func recording() throws {
        let journal = try journal()
        let (late, early) = (Self.interaction("1", .join, at: 9), Self.interaction("2", .dismiss, at: 3))
        #expect(try record(journal, late, early, early) == .member(.recorded(new: 2, repeated: 1)))
        #expect(try record(journal, Self.interaction("1", .leave)) == .member(.recorded(new: 0, repeated: 1)))
        #expect(
            try record(journal, Self.interaction("1", .click), of: "bob") == .member(.recorded(new: 1, repeated: 0)))
        #expect(try journal.recentChanges(ofUser: "ann")?.interactions == [early, late])
        #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9) == [late, early])
        #expect(try journal.interactions(ofUser: "ann", after: "1", limit: 9) == [early])
        #expect(try journal.interactions(ofUser: "ann", after: "x", limit: 9) == nil)
        #expect(try journal.recentChanges(ofUser: "eve") == nil)
        #expect(try journal.backlog().count == 2 && journal.backlog().since == 5)
        let waiting = try journal.waiting(after: 0, limit: 9)
        #expect(waiting.map(\.sequence) == [1, 2])
        #expect(waiting.first?.change == .member(MemberChange(ofUser: "ann", .record([late, early]))))
        #expect(try journal.waiting(after: 1, limit: 9).count == 1)
    }

    @Test("Interactions whose ids only look the same are all kept, also within a batch")
    func similarIDs() throws {
        let journal = try journal()
        let both = ["\u{E9}", "e\u{301}"].map { Self.interaction($0, .dismiss) }
        #expect(try record(journal, both[0], both[1], both[0]) == .member(.recorded(new: 2, repeated: 1)))
        #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9)?.count == 2)
    }

    @Test("The journal keeps its name and its numbers when it is opened again")
    func reopening() throws {
        let first = try journal()
        _ = try record(first, Self.interaction("1", .join))
        let again = try journal()
        #expect(again.origin == first.origin && !again.origin.isEmpty)
        _ = try record(again, Self.interaction("2", .join))
        #expect(try again.waiting(after: 0, limit: 9).map(\.sequence) == [1, 2])
        #expect(try journal("other").origin != first.origin)
        for name in ["journal", "journal-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let reader = try ChangeJournal(path: directory.path + "/journal", mode: .reading)
        #expect(try reader.recentChanges(ofUser: "ann")?.interactions.count == 2)
    }

    @Test("Forgotten interactions are gone from the files, but memberships stay")
    func forgetting() throws {
        let journal = try journal()
        _ = try record(journal, Self.interaction("1", .join, "a"), Self.interaction("2", .dismiss, "secretly"))
        _ = try record(journal, Self.interaction("3", .click, "b"))
        #expect(
            try journal.record([.member(MemberChange(ofUser: "ann", .forget(id: "3")))], at: 6)
                == [.member(.forgotten(1))])
        #expect(
            try journal.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 6)
                == [.member(.forgotten(2))])
        let member = try #require(try journal.recentChanges(ofUser: "ann"))
        #expect(member.forgetsEarlier && member.interactions.map(\.kind) == [.join])
        #expect(member.interactions[0].recommendationID == nil)
        #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9) == [])
        // What is sent on still makes the member one of the group, and forgets the rest.
        #expect(try journal.waiting(after: 0, limit: 9).count == 3)
        // It stays in the log until that is emptied, which is when the daemon's next pass erases it.
        #expect(try files(with: "secretly") == ["journal-wal"])
        #expect(try journal.eraseForgotten())
        #expect(try files(with: "secretly") == [])
    }

    @Test("Only changes that every version in the store includes are removed")
    func pruning() throws {
        let journal = try journal()
        for number in 1...3 { _ = try record(journal, Self.interaction("\(number)", .click)) }
        let waiting = try journal.waiting(after: 0, limit: 9)
        let entries = try waiting.prefix(2).enumerated().map { (position: try Self.position($0 + 1), change: $1) }
        #expect(try journal.follow(entries, through: Self.position(2), at: 6).isEmpty)
        #expect(try journal.cursor() == Self.position(2))
        #expect(
            try journal.recentChanges(ofUser: "ann", beyond: TakenChanges([journal.origin: 1]))?.interactions.map(\.id)
                == [
                    "2", "3",
                ])
        #expect(try journal.lastSent()?.sequence == 2 && journal.lastSent()?.position == Self.position(2))
        try journal.prune(TakenChanges([journal.origin: 1, "other": 9]))
        #expect(try journal.recentChanges(ofUser: "ann")?.interactions.map(\.id) == ["2", "3"])
        #expect(try journal.waiting(after: 0, limit: 9).map(\.sequence) == [3])
        // Its number is still known.
        #expect(try journal.follow([(try Self.position(9), waiting[0])], through: Self.position(9), at: 6).isEmpty)
        #expect(try journal.recentChanges(ofUser: "ann")?.interactions.count == 2)
        try journal.sendAgain(beyond: TakenChanges([journal.origin: 2]))
        #expect(try journal.waiting(after: 0, limit: 9).map(\.sequence) == [3])
        try journal.sendAgain(beyond: TakenChanges())
        #expect(try journal.waiting(after: 0, limit: 9).map(\.sequence) == [2, 3])
        #expect(try journal.cursor() == .start)
    }

    @Test("A journal restored from an older copy reuses no number")
    func restored() throws {
        let journal = try journal()
        _ = try record(journal, Self.interaction("1", .click))
        try journal.number(beyond: TakenChanges([journal.origin: 7, "other": 50]))
        try journal.number(beyond: TakenChanges([journal.origin: 3]))
        _ = try record(journal, Self.interaction("2", .click))
        #expect(try journal.waiting(after: 0, limit: 9).map(\.sequence) == [1, 8])
    }

    @Test("Another program's database, and a file that is none, are refused and left unchanged")
    func otherFiles() throws {
        let path = directory.path + "/other"
        try Database(path: path, mode: .create).execute("CREATE TABLE t (x)")
        #expect(catalogError { _ = try ChangeJournal(path: path, mode: .recording) }?.code == .notACatalog)
        try Data("no database at all, but long enough to be read as one".utf8).write(
            to: URL(fileURLWithPath: path + "2"))
        #expect(catalogError { _ = try ChangeJournal(path: path + "2", mode: .recording) }?.code == .fileFailed)
        let absent = directory.path + "/none/journal"
        #expect(catalogError { _ = try ChangeJournal(path: absent, mode: .recording) }?.code == .fileFailed)
    }

    /// Changes are made in three journals and sent on and followed at random, some twice; the stream is lost at times.
    @Test("All journals converge on the same changes, which the catalog applies", arguments: 0..<12)
    func agreement(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let losesStream = seed.isMultiple(of: 2)
        let journals = try (0..<3).map { try journal("journal\($0)") }
        var stream: [(position: StreamPosition, change: JournaledChange)] = []
        var lost: [(position: StreamPosition, change: JournaledChange)] = []
        var clock = 0
        func follow(_ journal: ChangeJournal, limit: Int) throws {
            let cursor = try journal.cursor()
            let entries = Array(stream.filter { $0.position > cursor }.prefix(limit))
            _ = try journal.follow(entries, through: entries.last?.position ?? cursor, at: 1)
        }
        func send(_ journal: ChangeJournal, limit: Int) throws {
            for change in try journal.waiting(after: 0, limit: limit) {
                clock += 1
                stream.append((try Self.position(clock), change))
            }
        }
        let (users, groups) = (["ann", "bob"], ["a", "b", "c"])
        for number in 0..<120 {
            let journal = try #require(journals.randomElement(using: &generator))
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<11:
                let user = try #require(users.randomElement(using: &generator))
                let action: MemberChange.Action =
                    // In a new stream the interactions to forget may have other positions.
                    switch Int.random(in: losesStream ? 2..<20 : 0..<20, using: &generator) {
                    case 0: .forget(id: nil)
                    case 1: .forget(id: "\(Int.random(in: 0..<120, using: &generator))")
                    case 2: .state(interests: ["\(number)"])
                    default:
                        .record([
                            InteractionRecord(
                                id: Bool.random(using: &generator) ? "\(number)" : "\(number / 3)",
                                try #require(Interaction.Kind.allCases.randomElement(using: &generator)),
                                groupID: try #require(groups.randomElement(using: &generator)),
                                // Of interactions with the same id only the first is kept.
                                atMilliseconds: Int64(number / 3) * 1000)
                        ])
                    }
                // A client must not give one id to two interactions.
                if case .record(let records) = action, records[0].id != "\(number)" { continue }
                _ = try journal.record([.member(MemberChange(ofUser: user, action))], at: 1)
            case 11..<14: try send(journal, limit: 3)
            // A daemon that is killed before it reads back its own changes sends them again.
            case 14: try send(journal, limit: 2)
            case 15..<19: try follow(journal, limit: 5)
            default:
                guard losesStream else { continue }
                lost += stream
                stream = []
                for journal in journals { try journal.sendAgain(beyond: TakenChanges()) }
            }
        }
        for _ in 0..<2 {
            for journal in journals {
                try follow(journal, limit: .max)
                try send(journal, limit: .max)
            }
            for journal in journals { try follow(journal, limit: .max) }
        }
        let catalog = try CatalogUnderTest()
        try catalog.importing(.groups, "group_id\na\nb\nc\n")
        // A change may have been applied before the stream lost it.
        _ = try catalog.catalog.apply(
            journaled: lost.prefix(Int.random(in: 0...lost.count, using: &generator)).map(\.change))
        _ = try catalog.catalog.apply(journaled: stream.map(\.change))
        for user in users {
            let members = try journals.map { try $0.recentChanges(ofUser: user) }
            #expect(members[0] == members[1] && members[0] == members[2])
            let kept = try journals[0].interactions(ofUser: user, after: nil, limit: 999) ?? []
            let taken = try catalog.catalog.interactions(ofUser: user, limit: 999) ?? []
            if lost.isEmpty {
                #expect(Set(kept.map(\.id)) == Set(taken.map(\.id)))
                #expect(try members[0]?.interests ?? [] == catalog.catalog.member(withID: user)?.interests ?? [])
                var joined: Set<String> = []
                for interaction in members[0]?.interactions ?? [] {
                    if interaction.kind == .join { joined.insert(interaction.groupID) }
                    if interaction.kind == .leave { joined.remove(interaction.groupID) }
                }
                #expect(joined == Set(try catalog.catalog.member(withID: user)?.memberships.map(\.groupID) ?? []))
            } else {
                #expect(Set(taken.map(\.id)) == Set(kept.map(\.id)))
            }
        }
        for journal in journals { #expect(try journal.backlog().count == 0) }
    }

    @Test("Acknowledged changes are applied once, and only those about groups that do not exist are left out")
    func takeover() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id,visibility\na,public\nsecret,private\n")
        func change(_ sequence: Int64, _ interactions: [InteractionRecord]) -> JournaledChange {
            JournaledChange(
                origin: "o", sequence: sequence, change: .member(MemberChange(ofUser: "ann", .record(interactions))))
        }
        let first = change(
            4,
            [
                Self.interaction("1", .join), Self.interaction("2", .click, "none"),
                Self.interaction("3", .click, "secret"),
            ])
        var counts = try test.catalog.apply(journaled: [first, first])
        #expect(counts.applied == 1 && counts.repeated == 1 && counts.leftOut == 1)
        counts = try test.catalog.apply(journaled: [first, change(5, [Self.interaction("1", .leave)])])
        #expect(counts.applied == 1 && counts.repeated == 1 && counts.leftOut == 0)
        #expect(try test.catalog.interactions(ofUser: "ann", limit: 9)?.map(\.id) == ["1", "3"])
        #expect(try test.catalog.member(withID: "ann")?.memberships.map(\.groupID) == ["a"])
        let hide = CatalogChange.site(SiteChange(ofGroup: "a", .hide, atMilliseconds: 1))
        _ = try test.catalog.apply(journaled: [JournaledChange(origin: "p", sequence: 1, change: hide)])
        #expect(try test.catalog.unshownGroupIDs() == ["a", "secret"])
    }

    @Test("A late, earlier unhide does not show a group that was hidden in the catalog")
    func earlierDecision() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\na\n")
        func decide(_ action: SiteChange.Action, at instant: Int64) throws -> SiteChange.Outcome {
            try test.catalog.apply(SiteChange(ofGroup: "a", action, atMilliseconds: instant))
        }
        var sequence: Int64 = 0
        func applyJournaled(_ action: SiteChange.Action, at instant: Int64) throws {
            sequence += 1
            let change = CatalogChange.site(SiteChange(ofGroup: "a", action, atMilliseconds: instant))
            _ = try test.catalog.apply(journaled: [JournaledChange(origin: "o", sequence: sequence, change: change)])
        }
        func isHidden() throws -> Bool { try test.catalog.unshownGroupIDs() == ["a"] }
        #expect(try decide(.hide, at: 10) == .changed)
        try applyJournaled(.unhide, at: 9)
        #expect(try isHidden())
        try applyJournaled(.unhide, at: 10)
        #expect(try !isHidden())
        // It is hidden already; hiding it again is a decision too.
        try applyJournaled(.hide, at: 11)
        #expect(try decide(.hide, at: 20) == .unchanged)
        try applyJournaled(.unhide, at: 15)
        #expect(try isHidden())
        #expect(try decide(.unhide, at: 14) == .changed)
        // Between journals the order of the stream counts, because clocks may differ.
        try applyJournaled(.hide, at: 30)
        try applyJournaled(.unhide, at: 29)
        #expect(try !isHidden())
    }
}
