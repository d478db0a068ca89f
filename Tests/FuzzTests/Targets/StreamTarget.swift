import Model
import Redis
import TestSupport

@testable import Changes

/// Entries of a stream, the seal and then a field a line: whatever a journal takes of them, it sends on as something
/// that means the same.
struct StreamTarget: FuzzTarget {
    private let folder: TemporaryDirectory
    private let journal: ChangeJournal
    private var sequence: Int64 = 0

    init() throws {
        folder = try TemporaryDirectory()
        journal = try ChangeJournal(path: folder.path + "/journal", mode: .recording)
    }

    func seeds() -> [[UInt8]] {
        let record = InteractionRecord(
            id: "1", .join, groupID: "é", atMilliseconds: 1_795_000_000_000, recommendationID: "r", position: 3,
            variant: "b")
        let changes: [Change] = [
            .member(MemberChange(ofUser: "ann", .record([record]))),
            .member(MemberChange(ofUser: "ann", .forget(id: nil))),
            .member(MemberChange(ofUser: "ann", .forget(id: "1"))),
            .member(MemberChange(ofUser: "ann", .state(interests: ["owls", "é"]))),
            .site(SiteChange(ofGroup: "g", .hide, atMilliseconds: 5)),
            .site(SiteChange(ofGroup: "g", .curate(position: 1, startsAt: nil, expiresAt: 9), atMilliseconds: 5)),
        ]
        // The body stands last, as it may have line feeds of its own.
        return changes.flatMap { change in
            let sealed = JournaledChange(
                origin: "fuzz", sequence: 7, stampMilliseconds: 1_795_000_000_000, change: change)
            return ["", sealed.sealText].map {
                Array("\($0)\n7-0\nstamp\n1795000000000\nchange\n".utf8) + change.encoded
            }
        }
    }

    mutating func take(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 10, maxSplits: 5, omittingEmptySubsequences: false).map { Array($0) }
        guard lines.count > 1 else { return }
        let seal = lines[0].isEmpty ? [] : [Array("seal".utf8), lines[0]]
        let entry = RedisReply.array([
            .bytes(lines[1]), .array((lines.dropFirst(2) + seal).map { .bytes($0) }),
        ])
        guard case .change(let found) = JournalStreams.entry(entry, of: "fuzz") else { return }
        try require(
            found.sequence > 0 && ChangeStamp.bounds.contains(found.stampMilliseconds), "\(found) is out of bounds")
        sequence += 1
        let change = JournaledChange(
            origin: "fuzz", sequence: sequence, stampMilliseconds: found.stampMilliseconds, encoded: found.encoded)
        if let read = change.change {
            let again = JournaledChange(origin: "fuzz", sequence: 1, stampMilliseconds: 0, change: read)
            try require(again.change == read, "\(read) is read as something else than it is written")
        }
        let taken = try journal.follow([change], beyond: AppliedChanges(["fuzz": sequence - 1]), at: 0)
        try require(taken == [change], "the next change is not taken")
        let kept = try journal.changes(of: "fuzz", after: sequence - 1, limit: 2)
        try require(kept.count == 1, "there are \(kept.count) changes of one number")
        try require(kept[0] == change, "\(change) is sent on as \(kept[0])")
        // A change that stays might forget what the next one records.
        try journal.prune(AppliedChanges(["fuzz": sequence]))
    }
}
