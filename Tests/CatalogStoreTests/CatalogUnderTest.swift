import Basics
import Changes
import Foundation
import Model
import SQLite
import TestSupport

@testable import CatalogStore

/// A catalog in a folder of its own, with helpers to import texts and to read by SQL.
final class CatalogUnderTest {
    let directory: TemporaryDirectory
    let catalog: Catalog
    private var fileCount = 0

    var path: String { directory.path + "/catalog.sqlite" }
    var rejectsPath: String { directory.path + "/rejects.tsv" }
    var reasonsPath: String { directory.path + "/rejects-reasons.tsv" }

    init() throws {
        directory = try TemporaryDirectory()
        catalog = try Catalog(path: directory.path + "/catalog.sqlite", mode: .writing)
    }

    /// Writes a file with a new name, and returns its path.
    func file(_ content: [UInt8], _ ending: String = "csv") throws -> String {
        fileCount += 1
        let path = "\(directory.path)/file\(fileCount).\(ending)"
        try Data(content).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Imports texts, each from a file of its own.
    @discardableResult
    func importing(
        _ kind: ImportKind, _ texts: String..., ending: String = "csv", change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportSummary {
        try importing(kind, bytes: texts.map { Array($0.utf8) }, ending: ending, change: change)
    }

    /// Imports bytes, each from a file of its own.
    @discardableResult
    func importing(
        _ kind: ImportKind, bytes: [[UInt8]], ending: String = "csv", change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportSummary {
        var options = ImportOptions(rejectsPath: rejectsPath)
        options.maximumRejectedShare = 1
        change(&options)
        let paths = try bytes.map { try file($0, ending) }
        return try Importer(into: catalog, kind: kind, options: options).run(paths)
    }

    /// Returns the first column of all rows, as text.
    func lines(_ sql: String) throws -> [String] {
        let rows = try Database(path: path, mode: .readOnly).prepare(sql)
        var lines: [String] = []
        while try rows.step() { lines.append(rows.text(0)) }
        return lines
    }

    /// Returns the ids of a member's interactions that are not forgotten, in the order in which they were recorded.
    func interactionIDs(of user: String) throws -> [String] {
        try lines(
            """
            SELECT id FROM interactions JOIN users USING (user_key)
            WHERE user_id = '\(user)' AND is_forgotten = 0 ORDER BY interaction_key
            """)
    }

    /// Returns all rows of a kind with external ids, absent values as `~`, in the order of the ids' bytes.
    func content(_ kind: ImportKind) throws -> [String] {
        func joined(_ columns: String) -> String {
            columns.split(separator: " ").map { "ifnull(\($0), '~')" }.joined(separator: " || '|' || ")
        }
        return switch kind {
        case .entities(.groups):
            try lines(
                """
                SELECT \(joined("group_id title description visibility topics join_policy created_at last_active_at"))
                FROM groups ORDER BY group_id
                """)
        case .entities(.users):
            try lines("SELECT \(joined("user_id name interests listed")) FROM users ORDER BY user_id")
        case .entities(.photos):
            try lines(
                """
                SELECT \(joined("photo_id user_id visibility taken_at uploaded_at tags latitude longitude width height"))
                FROM photos LEFT JOIN users USING (user_key) ORDER BY photo_id
                """)
        case .relation(let source): try lines(pairs(source, joined))
        }
    }

    /// Returns the query for the pairs of a table, by external ids.
    private func pairs(_ source: RelationSource, _ joined: (String) -> String) -> String {
        let (rows, entries) = (source.rowTable, source.entityTable)
        let ids = ["one.\(rows.idColumn)", "other.\(entries.idColumn)"]
        return """
            SELECT \(joined((ids + source.valueColumns).joined(separator: " "))) FROM \(source.table) AS pairs
            LEFT JOIN \(rows.rawValue) AS one ON one.\(rows.keyColumn) = pairs.\(source.rowColumn)
            LEFT JOIN \(entries.rawValue) AS other ON other.\(entries.keyColumn) = pairs.\(source.entryColumn)
            ORDER BY \(ids[0]), \(ids[1]), \(source.timeColumn)
            """
    }

    /// Returns the rows of all kinds, by kind.
    func everything() throws -> [String: [String]] {
        var all: [String: [String]] = [:]
        for kind in ImportKind.all() { all[kind.name] = try content(kind) }
        return all
    }

    /// Returns the content of a file in the folder, or nil if there is no such file.
    func content(of name: String) -> String? {
        FileManager.default.contents(atPath: directory.path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the number of lines of a file in the folder.
    func rejectedLines(_ name: String) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: directory.path + name)).count { $0 == UInt8(ascii: "\n") }
    }

    /// Returns the fields of each line in the file of reasons, without the header; empty if there is no file.
    func rejects() throws -> [[String]] {
        guard let data = FileManager.default.contents(atPath: reasonsPath) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

/// Runs a closure that must throw an error of the catalog, and returns the error.
func catalogError(_ body: () throws -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch { return error as? Failure }
}

extension ImportKind {
    /// A required column beside the ids, and a value of it.
    var furtherColumn: (name: String, value: String) { self == .posts ? (",posted_at", ",500000001") : ("", "") }

    /// The kinds of the product without what members tell: groups, users, photos, memberships and pools.
    static let ofGroups = ImportKind.all(of: RelationTable(RelationTable.standard.filter(\.isRequired)))
}

extension Facts {
    /// Returns the number of rows of each table.
    func counts() throws(Failure) -> [(table: String, rows: Int64)] {
        var counts: [(table: String, rows: Int64)] = []
        for table in EntityTable.allCases.map(\.rawValue) + relations.sources.map(\.table).sorted() {
            counts.append((table, try database.integer("SELECT count(*) FROM \(table)") ?? 0))
        }
        return counts
    }
}
