import Foundation
import Model
import Redis
import TestSupport
import Testing

@testable import Changes

/// A journal that a daemon of November 2026 left, and the entries of its stream in Redis.
@Suite("Journals and streams of earlier programs")
struct EarlierFilesTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Earlier"
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/journal" }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: Self.folder + "/journal.sqlite", toPath: path)
    }

    /// The entries of the stream, as a server gives them.
    private static func entries() throws -> (origin: String, entries: [RedisReply]) {
        let lines = try String(contentsOfFile: folder + "/stream.txt", encoding: .utf8).split(separator: "\n")
        let rows = lines.map { $0.split(separator: "\t").map { Array($0.utf8) } }
        let origin = String(decoding: try #require(rows.first?.first), as: UTF8.self)
        return (
            origin,
            rows.map { .array([.bytes($0[1]), .array($0.dropFirst(2).map { .bytes($0) })]) }
        )
    }

    /// Checks what was done through the daemon.
    private func check(_ journal: ChangeJournal) throws {
        let (origin, _) = try Self.entries()
        #expect(try journal.kept() == [origin: SequenceRange(after: 0, last: 13)])
        let ann = try #require(try journal.recentChanges(ofUser: "u1"))
        #expect(ann.interactions.map(\.id) == ["a1", "a2", "a4"])
        let first = try #require(try journal.interactions(ofUser: "u1", after: nil, limit: 9)?.first)
        #expect(first.kind == .join && first.subjectID == "g4" && first.recommendationID == "r1")
        #expect(first.position == 2 && first.variant == "v")
        #expect(try journal.interactions(ofUser: "u1", after: "a1", limit: 9)?.map(\.id) == ["a2", "a4"])
        #expect(try journal.recentChanges(ofUser: "u2")?.interests == ["snow"])
        let forgetful = try #require(try journal.recentChanges(ofUser: "u3"))
        #expect(forgetful.forgetsEarlier && forgetful.interactions.map(\.subjectID) == ["g6"])
        #expect(try journal.interactions(ofUser: "u3", after: nil, limit: 9) == [])
        #expect(try journal.recentChanges(ofUser: "u4")?.interactions.map(\.kind) == [.leave])
        #expect(try journal.isForgotten(user: "u5", beyond: .none))
        #expect(try journal.recentChanges(ofUser: "u6")?.removals.map(\.groupID) == ["g1"])
        let ofSite = try journal.decisions().compactMap(\.change).filter { $0.userID == nil }
        #expect(ofSite.map(\.kind) == [.hide, .removePhoto])
        #expect(try journal.examine().damagedChanges == [] && journal.newerChanges() == [])
    }

    @Test("A journal is upgraded by the daemon that opens it, and nothing is lost; it goes on under a name of its own")
    func journal() throws {
        let journal = try ChangeJournal(path: path, mode: .recording)
        try check(journal)
        #expect(try journal.latestInteractionTime(ofUser: "u1") != nil)
        #expect(try journal.recordedAmount(ofUser: "u1", recent: 0).recent == 3)
        let (origin, _) = try Self.entries()
        let sent = try journal.changes(of: origin, after: 0, limit: 99)
        #expect(sent.map(\.sequence) == Array(1...13))
        let again = Change.member(
            MemberChange(
                ofUser: "u1", .record([InteractionRecord(id: "a2", .dismiss, groupID: "g5", atMilliseconds: 1)])))
        #expect(try journal.record([again], at: 1) == [.member(.recorded(new: 0, repeated: 1))])
        #expect(
            try journal.record([.member(MemberChange(ofUser: "u1", .forget(id: "a2")))], at: 1) == [
                .member(.forgotten(1))
            ])
        // Opened again, it is what it was.
        #expect(
            try ChangeJournal(path: path, mode: .reading).changes(of: origin, after: 1, limit: 99) == Array(sent[1...]))
    }

    @Test("A command that only reads sees the same, and leaves the file as it is")
    func reading() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        do { try check(ChangeJournal(path: path, mode: .reading)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("What its stream has is taken over by a new journal, with the same outcome")
    func stream() throws {
        let (origin, entries) = try Self.entries()
        let changes = try entries.map { entry in
            guard case .change(let change) = JournalStreams.entry(entry, of: origin) else {
                throw ChangeError(.badStreams, "an entry is no change")
            }
            return change
        }
        #expect(changes.allSatisfy { $0.change != nil } && changes.count == 13)
        let journal = try ChangeJournal(path: directory.path + "/new", mode: .recording)
        #expect(try journal.follow(changes, beyond: .none, at: 1) == changes)
        try check(journal)
    }
}
