import Model
import SQLite
import TestSupport
import Testing

@testable import Changes

@Suite("Damaged changes of journals")
struct DamagedChangesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func journal(_ name: String = "journal") throws -> ChangeJournal {
        try ChangeJournal(path: "\(directory.path)/\(name)", mode: .recording)
    }

    private static func interaction(_ id: String, _ kind: Interaction.Kind) -> InteractionRecord {
        InteractionRecord(id: id, kind, groupID: "a", atMilliseconds: 1, recommendationID: "r")
    }

    private func record(_ journal: ChangeJournal, _ interactions: InteractionRecord...) throws -> Change.Outcome? {
        try journal.record([.member(MemberChange(ofUser: "ann", .record(interactions)))], at: 5).first
    }

    /// Returns the changes that a journal recorded itself, as it sends them.
    private func sent(_ journal: ChangeJournal, after sequence: Int64 = 0) throws -> [JournaledChange] {
        try journal.changes(of: journal.origin, after: sequence, limit: .max)
    }

    @Test("Indexes that lack a row are made again when a daemon opens the journal")
    func damagedIndex() throws {
        let path = directory.path + "/indexed"
        do {
            let journal = try journal("indexed")
            for group in ["a", "b", "c"] {
                _ = try journal.record([.site(SiteChange(ofGroup: group, .hide, atMilliseconds: 1))], at: 6)
            }
            try journal.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let database = try Database(path: path, mode: .readWrite)
        // The index seems to be one of other rows, and lacks two of three.
        try database.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'kind > 0', 'sequence = 1') WHERE name = 'changes_of_site';
            """)
        try Database(path: path, mode: .readWrite).execute("REINDEX changes_of_site")
        try database.execute(
            """
            UPDATE sqlite_schema SET sql = replace(sql, 'sequence = 1', 'kind > 0') WHERE name = 'changes_of_site';
            """)
        let journal = try journal("indexed")
        #expect(try journal.decisions().count == 1)
        #expect(try !journal.mendIndexes().isEmpty)
        #expect(try journal.decisions().count == 3)
        #expect(try journal.mendIndexes().isEmpty)
    }

    @Test(
        "Whatever bit of a row has flipped, the change is not read, not sent, and told of; repaired, all is as before")
    func damage() throws {
        let path = directory.path + "/journal"
        let journal = try journal()
        _ = try record(journal, Self.interaction("1", .join), Self.interaction("2", .dismiss))
        _ = try journal.record([.site(SiteChange(ofGroup: "a", .hide, atMilliseconds: 1))], at: 6)
        _ = try record(journal, Self.interaction("3", .click))
        let whole = try sent(journal)
        let before = try journal.recentChanges(ofUser: "ann")
        for change in whole {
            for place in 0..<change.encoded.count {
                var damaged = change.encoded
                damaged[place] ^= UInt8(1 << (place % 8))
                let hex = damaged.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                try Database(path: path, mode: .readWrite).execute(
                    "UPDATE changes SET body = x'\(hex)' WHERE sequence = \(change.sequence)")
                // What follows a damaged change is sent only after it.
                let (before, after) = (whole.prefix(Int(change.sequence) - 1), whole.dropFirst(Int(change.sequence)))
                #expect(try sent(journal) == Array(before.isEmpty ? after : before))
                #expect(try journal.damagedChanges() == [change.name])
                _ = try journal.recentChanges(ofUser: "ann")
                try journal.repair(with: change, at: 9)
                #expect(try journal.damagedChanges() == [])
            }
        }
        // Columns by which a change is found, too.
        for column in ["kind = 4", "user_id = 'bnn'", "group_id = 'b'", "stamp = stamp + 1", "seal = seal + 1"] {
            try Database(path: path, mode: .readWrite).execute("UPDATE changes SET \(column) WHERE sequence = 3")
            let found = try ChangeJournal(path: path, mode: .reading).examine().damagedChanges
            #expect(found == [whole[2].name], "\(column)")
            try journal.repair(with: whole[2], at: 9)
        }
        #expect(try sent(journal) == whole)
        #expect(try journal.recentChanges(ofUser: "ann") == before)
        #expect(try journal.examine().damagedChanges == [])
    }

    @Test("A damaged or missing change that is given up leaves its number, and later ones are sent")
    func givingUp() throws {
        let journal = try journal()
        for number in 1...4 { _ = try record(journal, Self.interaction("\(number)", .click)) }
        let whole = try sent(journal)
        try journal.database.execute(
            """
            UPDATE changes SET body = x'00', stamp = 1 << 50 WHERE sequence = 2;
            DELETE FROM changes WHERE sequence = 3;
            """
        )
        #expect(try sent(journal).map(\.sequence) == [1])
        #expect(try sent(journal, after: 1).map(\.sequence) == [4])
        try journal.giveUp(whole[1].name, at: 9)
        #expect(try sent(journal).map(\.sequence) == [1, 2])
        #expect(try journal.damagedChanges() == [whole[2].name])
        try journal.giveUp(whole[2].name, at: 9)
        let sent = try sent(journal)
        #expect(sent.map(\.content) == [whole[0].content, .nothing, .nothing, whole[3].content])
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
        #expect(try journal.damagedChanges() == [] && journal.examine().damagedChanges == [])
        // Others take all of them.
        #expect(try self.journal("other").follow(sent, beyond: .none, at: 1) == sent)
    }
}
