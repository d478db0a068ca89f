import CatalogStore
import Changes
import Foundation
import Model
import SQLite
import TestSupport

/// A daemon's journal: what it records, what it reads of others, and what it removes.
struct JournalWork: Work {
    static let stepCount = 7
    static let losesWithPower = false

    private let path: String
    private var journal: ChangeJournal?

    init(in folder: String) { path = folder + "/journal" }

    mutating func perform(_ step: Int) throws {
        let journal = try journal ?? ChangeJournal(path: path, mode: .recording)
        self.journal = journal
        switch step {
        case 2, 4:
            let changes = (1...3).map { number in
                JournaledChange(
                    origin: "other\(step)", sequence: number, stampMilliseconds: 10 * number,
                    change: Self.change(step, Int(number)))
            }
            guard try journal.follow(changes, beyond: .none, at: 9).count == 3 else {
                throw Damage(description: "changes of another journal were not taken")
            }
        case 5:
            guard try journal.kept()["other2"] != nil else { throw Damage(description: "there is nothing to prune") }
            try journal.prune(AppliedChanges(["other2": 2]))
        default:
            // A batch of several requests, as one commit has them.
            let outcomes = try journal.record((1...3).map { Self.change(step, $0) }, at: 9)
            guard outcomes == Array(repeating: .member(.recorded(new: 2, repeated: 0)), count: 3) else {
                throw Damage(description: "it was not recorded: \(outcomes)")
            }
        }
    }

    private static func change(_ step: Int, _ number: Int) -> Change {
        let interactions = (0..<2).map {
            InteractionRecord(id: "\(step)-\(number)-\($0)", .click, groupID: "g", atMilliseconds: 5)
        }
        return .member(MemberChange(ofUser: "user-\(number)", .record(interactions)))
    }

    static func steps(in folder: String) throws -> Set<Int> {
        let path = folder + "/journal"
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let database = try Database(path: path, mode: .readWrite)
        guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'interactions'") == 1 else {
            return []
        }
        guard try database.text("PRAGMA integrity_check") == "ok" else {
            throw Damage(description: "the journal is not whole")
        }
        let journal = try ChangeJournal(path: path, mode: .reading)
        let kept = try journal.kept()
        for (origin, numbers) in kept {
            let sequences = try journal.changes(of: origin, after: 0, limit: .max).map(\.sequence)
            guard sequences == Array(numbers.after + 1...numbers.last) else {
                throw Damage(description: "\(origin) has a gap: \(sequences)")
            }
        }
        var steps = Set(
            try [0, 1, 3, 4, 6, 7].filter { step in
                let count = try database.integer("SELECT count(*) FROM interactions WHERE id LIKE '\(step)-%'")
                return try isWhole(step, count.map { Int($0) }, of: 6)
            })
        // Step 5 removes two of the three changes that step 2 has added.
        switch try database.integer("SELECT count(*) FROM interactions WHERE id LIKE '2-%'") {
        case 0: break
        case 6: steps.insert(2)
        case 2: steps.formUnion([2, 5])
        case let count: throw Damage(description: "step 2 or 5 is there in part: \(count ?? -1)")
        }
        return steps
    }
}
