import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Changes

@Suite("What journals forget")
struct ForgettingTests: JournalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("Nothing of a forgotten member stays in a journal, be the removal made or received there")
    func forgottenMember() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        for journal in [one, other] {
            _ = try record(journal, Self.interaction("told-\(journal.origin)", .click, "telling-group"))
            _ = try record(journal, Self.interaction("2", .join, "bobs-group"), of: "bob")
            _ = try journal.record([.member(MemberChange(ofUser: "ann", .state(interests: ["telling-topic"])))], at: 6)
        }
        #expect(try one.record([Self.forgetting("ann")], at: 7) == [.removal(.pending)])
        #expect(try other.follow(sent(one), beyond: .none, at: 8).count == 4)
        for journal in [one, other] {
            #expect(try journal.eraseForgotten())
            let recent = try #require(try journal.recentChanges(ofUser: "ann"))
            #expect(recent.isForgotten && recent.interactions.isEmpty && recent.interests == nil)
            #expect(try journal.isForgotten(user: "ann", beyond: .none))
            // A version with this change already knows the member as the catalog does.
            let taken = AppliedChanges([one.origin: 4])
            #expect(try !journal.isForgotten(user: "ann", beyond: taken))
            #expect(try journal.recentChanges(ofUser: "ann", beyond: taken)?.isForgotten != true)
            #expect(try !journal.isForgotten(user: "bob", beyond: .none))
            #expect(try journal.interactions(ofUser: "bob", after: nil, limit: 9)?.isEmpty == false)
        }
        for text in ["telling-group", "telling-topic", "told-"] { #expect(try files(with: text) == []) }
        // The numbers stay without a gap. A change that arrives late is forgotten as well.
        #expect(try sent(one).map(\.sequence) == [1, 2, 3, 4])
        let late = try journal("late")
        _ = try record(late, Self.interaction("late", .click, "telling-group"))
        _ = try one.follow(sent(late), beyond: .none, at: 9)
        #expect(try one.recentChanges(ofUser: "ann")?.interactions.isEmpty == true)
        #expect(try one.interactions(ofUser: "ann", after: nil, limit: 9) == [])
    }

    @Test("An interaction that two daemons recorded is forgotten as one")
    func recordedTwice() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        let sent = [Self.interaction("1", .click), Self.interaction("2", .join), Self.interaction("3", .dismiss)]
        for journal in [one, other] { for interaction in sent { _ = try record(journal, interaction) } }
        _ = try other.follow(self.sent(one), beyond: .none, at: 8)
        func forget(_ id: String?) throws -> [Change.Outcome] {
            try other.record([.member(MemberChange(ofUser: "ann", .forget(id: id)))], at: 9)
        }
        #expect(try forget("1") == [.member(.forgotten(1))] && forget("1") == [.member(.forgotten(0))])
        #expect(try forget(nil) == [.member(.forgotten(2))] && forget(nil) == [.member(.forgotten(0))])
    }

    @Test("A deleted id is known as repeated, whether this journal recorded it or only learned of its deletion")
    func deletedIDs() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        let sent = [
            Self.interaction("a-telling-id", .click), Self.interaction("2", .dismiss), Self.interaction("3", .join),
        ]
        for interaction in sent { _ = try record(one, interaction) }
        for id in ["a-telling-id", nil] {
            _ = try one.record([.member(MemberChange(ofUser: "ann", .forget(id: id)))], at: 9)
            // Without a time, an interaction has that of its arrival; the ids decide then.
            for interaction in id == nil ? sent : [sent[0]] {
                var again = interaction
                again.atMilliseconds = 20
                #expect(try record(one, again) == .member(.recorded(new: 0, repeated: 1)))
            }
        }
        _ = try other.follow(self.sent(one), beyond: .none, at: 10)
        #expect(try record(other, sent[0]) == .member(.recorded(new: 0, repeated: 1)))
        #expect(try record(other, sent[2]) == .member(.recorded(new: 0, repeated: 1)))
        for journal in [one, other] {
            #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9) == [])
            #expect(try journal.recentChanges(ofUser: "ann")?.interactions.map(\.kind) == [.join])
        }
        // Whoever removes the member removes the digests, too.
        _ = try one.record([.removal(RemovalChange(.account("ann"), atMilliseconds: 30))], at: 30)
        #expect(try one.database.integer("SELECT count(*) FROM interactions") == 0)
        #expect(try record(one, sent[0]) == .member(.recorded(new: 1, repeated: 0)))
    }

    @Test("What is dated before a deletion of all is repeated, but a late join counts without being shown")
    func datedBefore() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        _ = try one.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 9)
        // If the clock goes back, what comes next is moved behind the deletion.
        #expect(try one.latestInteractionTime(ofUser: "ann") == 9)
        let late = [
            Self.interaction("1", .click), Self.interaction("2", .join), Self.interaction("3", .dismiss, at: 9),
        ]
        #expect(
            try one.record([.member(MemberChange(ofUser: "ann", .record(late)))], at: 20)
                == [.member(.recorded(new: 2, repeated: 1))])
        _ = try other.follow(sent(one), beyond: .none, at: 21)
        for journal in [one, other] {
            #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9)?.map(\.id) == ["3"])
            let counting = try journal.recentChanges(ofUser: "ann")?.interactions
            #expect(counting?.map(\.kind) == [.join, .dismiss])
        }
    }

    @Test("Nobody's follows name a forgotten member, whichever change comes first")
    func forgottenFollowed() throws {
        let (one, other, late) = (try journal("one"), try journal("other"), try journal("late"))
        func follow(_ id: String, _ user: String) -> InteractionRecord {
            InteractionRecord(id: id, .follow, subjectID: user, atMilliseconds: 1)
        }
        _ = try record(one, follow("1", "telling-name"), follow("2", "cat"), of: "bob")
        _ = try record(one, follow("3", "telling-name"), of: "cat")
        _ = try record(late, follow("4", "telling-name"), follow("5", "cat"), of: "dan")
        _ = try other.follow(sent(one), beyond: .none, at: 6)
        #expect(try other.traces(of: ["telling-name"]).values.sorted() == [2])
        _ = try one.record([Self.forgetting("telling-name")], at: 7)
        _ = try other.follow(sent(one, after: 2), beyond: .none, at: 8)
        for journal in [one, other] {
            _ = try journal.follow(sent(late), beyond: .none, at: 9)
            #expect(try journal.traces(of: ["telling-name"]).isEmpty)
            #expect(try journal.interactions(ofUser: "bob", after: nil, limit: 9)?.map(\.subjectID) == ["cat"])
            #expect(try journal.interactions(ofUser: "dan", after: nil, limit: 9)?.map(\.subjectID) == ["cat"])
            #expect(try journal.interactions(ofUser: "cat", after: nil, limit: 9) == [])
            let told = try journal.recentChanges(ofUser: "dan")?.told
            #expect(told?.map(\.subjectID) == ["cat"] && told?.first?.adds == true)
        }
    }

    @Test("A renaming to a removed member stays until the catalog has it, whichever change comes first")
    func renamedMember() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        let removal = RemovalChange(.account("bob"), atMilliseconds: 8)
        let removals = [Self.forgetting("ann"), Change.removal(removal)]
        _ = try other.record(removals, at: 90)
        for user in ["ann", "bob"] {
            let renaming = RenamingChange(.user, from: "telling-guest", to: user, atMilliseconds: 6)
            _ = try one.record([.renaming(renaming)], at: 6)
        }
        _ = try one.record(removals, at: 80)
        _ = try other.follow(sent(one), beyond: .none, at: 91)
        for journal in [one, other] {
            func kinds() throws -> [ChangeKind?] {
                try journal.changes(of: one.origin, after: 0, limit: 9).map(\.change?.kind)
            }
            #expect(try kinds() == [.renameUser, .renameUser, .removeMember, .removeAccount])
            // By the ledger of the catalog, which has all of it.
            #expect(try journal.erase(among: nil) { _ in 80 }.sorted() == ["ann", "bob"])
            #expect(try kinds() == [nil, nil, .removeMember, .removeAccount] && journal.eraseForgotten())
        }
        #expect(try files(with: "telling-guest") == [])
    }

    @Test("Of a deleted member, only what came before goes from every journal, whichever change comes first")
    func deletedMember() throws {
        let (one, other, late) = (try journal("one"), try journal("other"), try journal("late"))
        func follow(_ id: String, _ user: String) -> InteractionRecord {
            InteractionRecord(id: id, .follow, subjectID: user, atMilliseconds: 1)
        }
        for journal in [one, other, late] {
            _ = try record(journal, Self.interaction("told-\(journal.origin)", .dismiss, "telling-group"))
            _ = try record(journal, follow("1-\(journal.origin)", "ann"), of: "bob")
            _ = try journal.record([.member(MemberChange(ofUser: "ann", .state(interests: ["telling-topic"])))], at: 6)
        }
        let removal = RemovalChange(.account("ann"), atMilliseconds: 20)
        #expect(try one.record([.removal(removal)], at: 20) == [.removal(.pending)])
        #expect(try one.recentChanges(ofUser: "ann")?.isGone == true)
        #expect(try !one.isForgotten(user: "ann", beyond: .none))
        // The member comes back, and is followed again.
        _ = try record(one, Self.interaction("back", .join, "b"))
        _ = try record(one, follow("2", "ann"), of: "bob")
        for journal in [other, late] {
            _ = try journal.follow(sent(one), beyond: .none, at: 21)
            _ = try one.follow(sent(journal), beyond: .none, at: 22)
        }
        _ = try other.follow(sent(late), beyond: .none, at: 23)
        _ = try late.follow(sent(other), beyond: .none, at: 23)
        for journal in [one, other, late] {
            let recent = try #require(try journal.recentChanges(ofUser: "ann"))
            #expect(recent.isCleared && !recent.isGone && !recent.isForgotten && recent.interests == nil)
            #expect(recent.interactions.map(\.id) == ["back"])
            #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9)?.map(\.id) == ["back"])
            #expect(try journal.interactions(ofUser: "bob", after: nil, limit: 9)?.map(\.id) == ["2"])
            // For a version with the removal, the published data counts.
            let taken = AppliedChanges([one.origin: 4])
            #expect(try journal.recentChanges(ofUser: "ann", beyond: taken)?.isCleared == false)
            #expect(try journal.eraseForgotten())
        }
        for text in ["telling-group", "telling-topic", "told-"] { #expect(try files(with: text) == []) }
    }

    @Test("Removals of entries are their member's changes; of groups and photos, everybody's")
    func removals() throws {
        let journal = try journal()
        let left = RemovalChange(.user("ann", ofGroup: "g", table: "memberships"), atMilliseconds: 3)
        let others: [Change] = [
            .removal(RemovalChange(.group("g"), atMilliseconds: 1)),
            .removal(RemovalChange(.pooled("p", ofGroup: "g", table: "pools"), atMilliseconds: 2)),
        ]
        _ = try journal.record([.removal(left)] + others, at: 4)
        let recent = try #require(try journal.recentChanges(ofUser: "ann"))
        #expect(recent.removals == [.init(groupID: "g", table: "memberships")])
        #expect(try journal.decisions().compactMap(\.change) == others)
    }

    @Test(
        "After erasing, no file holds a forgotten interaction, whether it was in the log or the journal",
        arguments: [false, true])
    func erasing(isInJournal: Bool) throws {
        let journal = try journal()
        _ = try record(journal, Self.interaction("a-telling-id", .click, "a-telling-group"))
        // Erasing empties the log into the journal's main file.
        if isInJournal { #expect(try journal.eraseForgotten()) }
        let texts = ["a-telling-id", "a-telling-group"]
        let holder = isInJournal ? "journal" : "journal-wal"
        for text in texts { #expect(try files(with: text) == [holder]) }
        _ = try journal.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 6)
        for text in texts { #expect(try files(with: text) == [holder]) }
        #expect(try journal.eraseForgotten())
        for text in texts { #expect(try files(with: text) == []) }
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
        // The sent changes keep the membership, and forget the rest.
        let sent = try sent(journal)
        #expect(sent.map(\.sequence) == [1, 2, 3, 4])
        #expect(sent[1].content == .nothing)
        // The text stays in the log until the daemon's next pass empties it.
        #expect(try files(with: "secretly") == ["journal-wal"])
        #expect(try journal.eraseForgotten())
        #expect(try files(with: "secretly") == [])
    }
}

/// Tests with journals in a temporary folder.
protocol JournalTests {
    var directory: TemporaryDirectory { get }
}

extension JournalTests {
    static func forgetting(_ user: String) -> Change {
        .removal(RemovalChange(.member(user, withPhotos: false), atMilliseconds: 7))
    }

    func journal(_ name: String = "journal") throws -> ChangeJournal {
        try ChangeJournal(path: "\(directory.path)/\(name)", mode: .recording)
    }

    static func interaction(
        _ id: String, _ kind: Interaction.Kind, _ group: String = "a", at milliseconds: Int64 = 1
    ) -> InteractionRecord {
        InteractionRecord(
            id: id, kind, groupID: group, atMilliseconds: milliseconds, recommendationID: "r", position: 3, variant: "v"
        )
    }

    func record(_ journal: ChangeJournal, _ interactions: InteractionRecord..., of user: String = "ann") throws
        -> Change.Outcome?
    {
        try journal.record([.member(MemberChange(ofUser: user, .record(interactions)))], at: 5).first
    }

    /// Returns the changes that a journal recorded itself, as it sends them.
    func sent(_ journal: ChangeJournal, after sequence: Int64 = 0) throws -> [JournaledChange] {
        try journal.changes(of: journal.origin, after: sequence, limit: .max)
    }

    /// Returns the files that contain a text: the journal, or its write-ahead log.
    func files(with text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)"))
            return bytes.range(of: Data(text.utf8)) != nil
        }.sorted()
    }
}
