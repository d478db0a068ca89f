import CatalogStore
import Changes
import Foundation
import Model
import SQLite
import TestSupport

/// Imports, and changes of a journal, on a connection that stays open.
struct CatalogWork: Work {
    static let stepCount = 7
    static let losesWithPower = false

    private let path: String
    private var recording: Catalog?

    init(in folder: String) { path = folder + "/catalog" }

    mutating func perform(_ step: Int) throws {
        switch step {
        case 0:
            try importing(.groups, "group_id,title\n" + (0..<5).map { "g\($0),Title \($0)\n" }.joined())
        case 1, 4:
            let rows = (0..<9).map { "g\(step),member-\(step)-\($0)\n" }
            try importing(.memberships, "group_id,user_id\n" + rows.joined())
        case 5: try record(.site(SiteChange(ofGroup: "g2", .hide, atMilliseconds: 5)))
        default:
            let interactions = (0..<4).map {
                InteractionRecord(id: "\(step)-\($0)", .join, groupID: "g\($0 % 2)", atMilliseconds: 5)
            }
            try record(.member(MemberChange(ofUser: "user-\(step)", .record(interactions))))
        }
    }

    private func importing(_ kind: ImportKind, _ text: String) throws {
        // Beside the disk, as the file is not what is tried.
        let file = path + ".import"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let catalog = try Catalog(path: path, mode: .writing)
        _ = try Importer(into: catalog, kind: kind, options: ImportOptions(rejectsPath: path + ".rejected"))
            .run([file])
    }

    private mutating func record(_ change: Change) throws {
        let catalog = try recording ?? Catalog(path: path, mode: .recording)
        recording = catalog
        // Without the groups of the first step, a part would be left out.
        for group in ["g0", "g1"] where try !catalog.facts.has(group, in: .groups) {
            throw Damage(description: "there is no group \(group)")
        }
        guard try catalog.take([change]) == 0 else { throw Damage(description: "it was not recorded") }
    }

    static func steps(in folder: String) throws -> Set<Int> {
        let path = folder + "/catalog"
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let database = try Database(path: path, mode: .readWrite)
        guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'hidden_groups'") == 1 else {
            return []
        }
        guard try database.text("PRAGMA integrity_check") == "ok" else {
            throw Damage(description: "the catalog is not whole")
        }
        var steps: Set<Int> = []
        func note(_ step: Int, _ sql: String, of whole: Int) throws {
            if try isWhole(step, database.integer(sql).map { Int($0) }, of: whole) { steps.insert(step) }
        }
        try note(0, "SELECT count(*) FROM groups WHERE title LIKE 'Title%'", of: 5)
        for step in [1, 4] {
            let rows = "FROM memberships JOIN users USING (user_key) WHERE user_id LIKE 'member-\(step)-%'"
            try note(step, "SELECT count(*) \(rows)", of: 9)
        }
        for step in [2, 3, 6, 7] {
            try note(step, "SELECT count(*) FROM interactions WHERE id LIKE '\(step)-%'", of: 4)
            let rows = "FROM memberships JOIN users USING (user_key) WHERE user_id = 'user-\(step)'"
            let joined = try isWhole(step, database.integer("SELECT count(*) \(rows)").map { Int($0) }, of: 2)
            guard joined == steps.contains(step) else {
                throw Damage(description: "the interactions of step \(step) are there without memberships")
            }
        }
        try note(5, "SELECT count(*) FROM hidden_groups", of: 1)
        return steps
    }
}
