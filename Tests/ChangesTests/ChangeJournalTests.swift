import Basics
import Foundation
import Model
import SQLite
import TestSupport
import Testing

@testable import Changes

@Suite("Journals of daemons without a catalog")
struct ChangeJournalTests: JournalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

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

    @Test("A log that has grown gives its place on the disk back once it is in the file")
    func logSize() throws {
        let (journal, path) = (try journal(), "\(directory.path)/journal-wal")
        func logByteCount() throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        }
        try journal.database.execute(
            """
            CREATE TABLE filler (content BLOB);
            INSERT INTO filler VALUES (randomblob(\(ChangeJournal.logByteLimit + (1 << 20))));
            """)
        #expect(try logByteCount() > ChangeJournal.logByteLimit)
        // The content of the log is in the main file by now. The next commit restarts the log.
        _ = try record(journal, Self.interaction("1", .join))
        #expect(try logByteCount() <= ChangeJournal.logByteLimit)
        #expect(try sent(journal).count == 1)
    }

    @Test("Interactions are kept in the order in which they arrived, and a known id changes nothing")
    func recording() throws {
        let journal = try journal()
        let (late, early) = (Self.interaction("1", .join, at: 9), Self.interaction("2", .dismiss, at: 3))
        #expect(try record(journal, late, early, early) == .member(.recorded(new: 2, repeated: 1)))
        #expect(try record(journal, Self.interaction("1", .join, at: 5)) == .member(.recorded(new: 0, repeated: 1)))
        #expect(try record(journal, Self.interaction("1", .leave)) == .member(.otherContent(at: 0)))
        #expect(
            try record(journal, Self.interaction("1", .click), of: "bob") == .member(.recorded(new: 1, repeated: 0)))
        #expect(try journal.recentChanges(ofUser: "ann")?.interactions.map(\.id) == [late, early].map(\.id))
        #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9) == [late, early])
        #expect(try journal.interactions(ofUser: "ann", after: "1", limit: 9) == [early])
        #expect(try journal.interactions(ofUser: "ann", after: "x", limit: 9) == nil)
        #expect(try journal.interactions(ofUser: "ann", after: nil, latestFirst: true, limit: 9) == [early, late])
        #expect(try journal.interactions(ofUser: "ann", after: nil, latestFirst: true, limit: 1) == [early])
        #expect(try journal.interactions(ofUser: "ann", after: "2", latestFirst: true, limit: 9) == [late])
        #expect(try journal.recentChanges(ofUser: "eve") == nil)
        #expect(try journal.kept() == [journal.origin: SequenceRange(after: 0, last: 2)])
        #expect(try journal.timeRecorded(2, of: journal.origin) == 5)
        let sent = try sent(journal)
        #expect(sent.map(\.sequence) == [1, 2] && sent.map(\.stampMilliseconds) == [5, 6])
        #expect(sent.first?.change == .member(MemberChange(ofUser: "ann", .record([late, early]))))
        #expect(try self.sent(journal, after: 1).count == 1)
    }

    @Test("Interactions whose ids only look the same are all kept, also within a batch")
    func similarIDs() throws {
        let journal = try journal()
        let both = ["\u{E9}", "e\u{301}"].map { Self.interaction($0, .dismiss) }
        #expect(try record(journal, both[0], both[1], both[0]) == .member(.recorded(new: 2, repeated: 1)))
        #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9)?.count == 2)
    }

    @Test("Whoever opens a journal records under a new name, so that a copy never gives a number again")
    func reopening() throws {
        let first = try journal()
        _ = try record(first, Self.interaction("1", .join))
        let again = try journal()
        #expect(again.origin != first.origin && AppliedChanges.isJournalName(again.origin))
        _ = try record(again, Self.interaction("2", .join))
        #expect(
            try again.kept() == [
                first.origin: SequenceRange(after: 0, last: 1), again.origin: SequenceRange(after: 0, last: 1),
            ])
        // The stamp is later than earlier ones, although the clock stands still.
        #expect(try sent(again)[0].stampMilliseconds == 6)
        // The same holds after all changes were pruned.
        try again.prune(AppliedChanges([first.origin: 1, again.origin: 1]))
        #expect(try again.kept().isEmpty)
        _ = try record(again, Self.interaction("3", .join))
        #expect(try sent(again).map(\.sequence) == [2] && sent(again)[0].stampMilliseconds == 7)
        for name in ["journal", "journal-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let reader = try ChangeJournal(path: directory.path + "/journal", mode: .reading)
        #expect(try reader.recentChanges(ofUser: "ann")?.interactions.count == 1)
    }

    @Test("After a commit that failed no number is given again")
    func failedCommit() throws {
        let journal = try journal()
        _ = try record(journal, Self.interaction("1", .join))
        let origin = journal.origin
        try journal.database.execute("CREATE TRIGGER t BEFORE INSERT ON changes BEGIN SELECT RAISE(ABORT, 'no'); END")
        #expect(throws: Failure.self) { try record(journal, Self.interaction("2", .join)) }
        try journal.database.execute("DROP TRIGGER t")
        _ = try record(journal, Self.interaction("2", .join))
        #expect(journal.origin != origin)
        #expect(try journal.kept()[journal.origin] == SequenceRange(after: 0, last: 1))
    }

    @Test("Only changes that every version in the store includes are removed")
    func pruning() throws {
        let journal = try journal()
        for number in 1...3 { _ = try record(journal, Self.interaction("\(number)", .click)) }
        let all = try sent(journal)
        #expect(
            try journal.recentChanges(ofUser: "ann", beyond: AppliedChanges([journal.origin: 1]))?.interactions.map(
                \.id)
                == ["2", "3"])
        let taken = AppliedChanges([journal.origin: 1, "other": 9])
        try journal.prune(taken)
        #expect(try journal.recentChanges(ofUser: "ann")?.interactions.map(\.id) == ["2", "3"])
        #expect(try journal.kept() == [journal.origin: SequenceRange(after: 1, last: 3)])
        // The number of the pruned change is still known.
        #expect(try journal.follow(all, beyond: taken, at: 6).isEmpty)
        #expect(try journal.recentChanges(ofUser: "ann")?.interactions.count == 2)
    }

    @Test("Of what others did, the next change is taken and no later one, unless all versions have what is between")
    func gaps() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        for number in 1...6 { _ = try record(one, Self.interaction("\(number)", .click)) }
        let all = try sent(one)
        #expect(try other.follow([all[1], all[0], all[2]], beyond: .none, at: 1) == [all[0]])
        #expect(try other.follow(Array(all[1...2]), beyond: .none, at: 1) == Array(all[1...2]))
        #expect(try other.follow(Array(all[4...]), beyond: AppliedChanges([one.origin: 3]), at: 1).isEmpty)
        #expect(try other.kept() == [one.origin: SequenceRange(after: 0, last: 3)])
        #expect(try other.follow(Array(all[4...]), beyond: AppliedChanges([one.origin: 4]), at: 1) == Array(all[4...]))
        // The stored rows have no gap, so they tell the numbers that are here.
        #expect(try other.kept() == [one.origin: SequenceRange(after: 4, last: 6)])
        #expect(try other.recentChanges(ofUser: "ann")?.interactions.map(\.id) == ["5", "6"])
    }

    @Test("What a client told two daemons is known once, and each change is sent on as it was")
    func toldTwice() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        for journal in [one, other] { _ = try record(journal, Self.interaction("1", .join)) }
        let (ofOne, ofOther) = (try sent(one), try sent(other))
        #expect(try one.follow(ofOther, beyond: .none, at: 9) == ofOther)
        #expect(try other.follow(ofOne, beyond: .none, at: 9) == ofOne)
        for journal in [one, other] {
            #expect(try journal.interactions(ofUser: "ann", after: nil, limit: 9)?.count == 1)
            #expect(try journal.recentChanges(ofUser: "ann")?.interactions.count == 1)
            #expect(try journal.changes(of: one.origin, after: 0, limit: 9) == ofOne)
            #expect(try journal.changes(of: other.origin, after: 0, limit: 9) == ofOther)
        }
    }

    @Test("A change of a newer program is kept and passed on as it came, and what follows it is taken")
    func newer() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        let bytes = Array(#"{"v":2,"kind":1,"user":"ann"}"#.utf8)
        let newer = JournaledChange(origin: "o", sequence: 1, stampMilliseconds: 3, encoded: bytes)
        let good = JournaledChange(
            origin: "o", sequence: 2, stampMilliseconds: 4,
            change: .site(SiteChange(ofGroup: "a", .hide, atMilliseconds: 1)))
        #expect(newer.isNewer && newer.change == nil)
        #expect(try one.follow([newer, good], beyond: .none, at: 1) == [newer, good])
        #expect(try one.decisions() == [good])
        #expect(try one.newerChanges() == [newer.name] && one.examine().newerChanges == [newer.name])
        #expect(try other.follow(one.changes(of: "o", after: 0, limit: 9), beyond: .none, at: 1) == [newer, good])
        #expect(try one.traces(of: ["ann", "bob"]) == [BytewiseString("ann"): 1])
        // Whoever is forgotten is also in no such change.
        _ = try one.record([Self.forgetting("ann")], at: 9)
        #expect(try one.newerChanges() == [] && one.traces(of: ["ann"]) == [:])
        #expect(try one.changes(of: "o", after: 0, limit: 9).map(\.content) == [.nothing, good.content])
    }

    @Test("A change that an earlier opening could not read is read when a newer program opens the journal")
    func readAgain() throws {
        let path = directory.path + "/journal"
        let join = JournaledChange(
            origin: "o", sequence: 1, stampMilliseconds: 3,
            change: .member(MemberChange(ofUser: "ann", .record([Self.interaction("1", .join)]))))
        _ = try journal().follow([join], beyond: .none, at: 1)
        // As a program that knows less keeps it.
        try Database(path: path, mode: .readWrite).execute(
            "UPDATE changes SET kind = NULL, user_id = NULL; DELETE FROM interactions")
        let reader = try ChangeJournal(path: path, mode: .reading)
        #expect(try reader.recentChanges(ofUser: "ann") == nil)
        #expect(try reader.newerChanges() == [join.name])
        let upgraded = try journal()
        #expect(try upgraded.recentChanges(ofUser: "ann")?.interactions.map(\.id) == ["1"])
        #expect(try upgraded.interactions(ofUser: "ann", after: nil, limit: 9)?.count == 1)
        #expect(try upgraded.newerChanges() == [])
    }

    @Test("Only the last of what replaces earlier changes stays, in whatever order they come")
    func replacing() throws {
        let (one, other) = (try journal("one"), try journal("other"))
        for topic in ["first-topic", "second-topic", "third-topic"] {
            _ = try one.record([.member(MemberChange(ofUser: "ann", .state(interests: [topic])))], at: 5)
        }
        _ = try one.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 5)
        _ = try one.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 5)
        let kinds: [ChangeKind?] = [nil, nil, .interests, nil, .forgetInteractions]
        #expect(try sent(one).map { $0.change?.kind } == kinds)
        // As they were, from another daemon that did not know of one another.
        let earlier = (1...3).map {
            JournaledChange(
                origin: "o", sequence: Int64($0), stampMilliseconds: Int64(5 - $0),
                change: .member(MemberChange(ofUser: "ann", .state(interests: ["topic-\($0)"]))))
        }
        _ = try other.follow(earlier, beyond: .none, at: 1)
        #expect(try other.recentChanges(ofUser: "ann")?.interests == ["topic-1"])
        _ = try one.follow(earlier, beyond: .none, at: 1)
        #expect(try one.recentChanges(ofUser: "ann")?.interests == ["third-topic"])
        #expect(try one.changes(of: "o", after: 0, limit: 9).map(\.content) == [.nothing, .nothing, .nothing])
    }

    @Test("What changes nothing is recorded only while changes of others may be missing")
    func repeating() throws {
        let journal = try journal()
        let state = Change.member(MemberChange(ofUser: "ann", .state(interests: ["owls"])))
        let forget = Change.member(MemberChange(ofUser: "ann", .forget(id: nil)))
        for isComplete in [false, true, true] {
            #expect(try journal.record([state], at: 5, isComplete: isComplete) == [.member(.stated)])
        }
        for isComplete in [true, true, true] {
            #expect(try journal.record([forget], at: 5, isComplete: isComplete) == [.member(.forgotten(0))])
        }
        #expect(try sent(journal).map { $0.change } == [state, forget])
        _ = try journal.record([forget], at: 6)
        #expect(try sent(journal).map { $0.change } == [state, nil, forget])
        _ = try record(journal, Self.interaction("1", .click, at: 9))
        #expect(try journal.record([forget], at: 7, isComplete: true) == [.member(.forgotten(1))])
    }

    @Test("What a member did before they were forgotten, as the store says, is erased; what they did since stays")
    func namedForgotten() throws {
        let journal = try journal()
        _ = try journal.record([.member(MemberChange(ofUser: "ann", .state(interests: ["owls"])))], at: 50)
        _ = try record(journal, Self.interaction("1", .click), of: "bob")
        _ = try journal.record(
            [.member(MemberChange(ofUser: "ann", .record([Self.interaction("2", .click)])))], at: 100)
        #expect(try journal.erase(among: nil) { $0 == "ann" ? 90 : nil } == ["ann"])
        let recent = try #require(try journal.recentChanges(ofUser: "ann"))
        #expect(recent.interests == nil && recent.interactions.map(\.id) == ["2"])
        #expect(try journal.recentChanges(ofUser: "bob")?.interactions.count == 1)
        #expect(try journal.erase(among: nil) { $0 == "ann" ? 90 : nil } == [])
    }

    @Test("A journal of another program is refused, and it is said what to do", arguments: [2, 4])
    func otherProgram(format: Int) throws {
        let path = directory.path + "/old"
        do { _ = try ChangeJournal(path: path, mode: .recording) }
        try Database(path: path, mode: .readWrite).execute("PRAGMA user_version = \(format)")
        for mode in [ChangeJournal.Mode.reading, .recording] {
            let error = changeError { _ = try ChangeJournal(path: path, mode: mode) }
            #expect(error?.code == .otherFormat && error?.message.contains("format \(format)") == true)
            #expect(error?.message.contains(format < 3 ? "coterie restore BACKUP" : "upgrade this one") == true)
        }
    }

    @Test("Another program's database, and a file that is none, are refused and left unchanged")
    func otherFiles() throws {
        let path = directory.path + "/other"
        try Database(path: path, mode: .create).execute("CREATE TABLE t (x)")
        #expect(changeError { _ = try ChangeJournal(path: path, mode: .recording) }?.code == .otherFormat)
        try Data("no database at all, but long enough to be read as one".utf8).write(
            to: URL(fileURLWithPath: path + "2"))
        #expect(changeError { _ = try ChangeJournal(path: path + "2", mode: .recording) }?.code == .fileFailed)
        let absent = directory.path + "/none/journal"
        #expect(changeError { _ = try ChangeJournal(path: absent, mode: .recording) }?.code == .fileFailed)
    }
}

/// The error of a journal that a body throws.
private func changeError(_ body: () throws -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch { return error as? Failure }
}
