import CatalogStore
import Testing
import TestSupport

/// Random imports in small batches, with caches that are emptied all the time, against a model in memory.
@Suite("Imports against a model in memory")
struct ImportModelTests {
    @Test("any sequence of imports gives the same as applying its rows one by one", arguments: 0..<12)
    func sequences(seed: UInt64) throws {
        let test = try CatalogUnderTest()
        var generator = SeededGenerator(seed: seed)
        var model = CommunityModel()
        for _ in 0..<25 {
            let kind = ImportKind.ofGroups.randomElement(using: &generator) ?? .groups
            let files = (0..<Int.random(in: 1...3, using: &generator)).map { _ in RandomFile(kind, &generator) }
            let replaces = Int.random(in: 0..<5, using: &generator) == 0
            let batchRows = Int.random(in: 1...40, using: &generator)
            let identifierBytes = [0, 20_000, 1 << 30].randomElement(using: &generator) ?? 0
            func run() throws -> ImportSummary {
                try test.importing(kind, bytes: files.map { Array($0.text.utf8) }) {
                    $0.replaces = replaces
                    $0.allowsShrinking = true
                    $0.batchRows = batchRows
                    $0.identifierBytes = identifierBytes
                }
            }
            let summary = try run()
            model.apply(kind, files, replaces: replaces)
            #expect(try test.everything().filter { model.everything[$0.key] != nil } == model.everything)
            #expect(summary.rows == files.reduce(0) { $0 + $1.rows.count } && summary.rejected == 0)
            let again = try run()
            #expect(again.removed == 0 && again.created.isEmpty)
            #expect(try test.everything().filter { model.everything[$0.key] != nil } == model.everything)
        }
    }
}

/// The rows of a file.
///
/// A missing column is absent, and an empty cell is "".
struct RandomFile {
    var rows: [[String: String]] = []
    var text: String

    init(_ kind: ImportKind, _ generator: inout SeededGenerator) {
        let required = kind == .memberships || kind == .pools ? 2 : 1
        let names = kind.columnNames
        let columns = names.indices.filter { $0 < required || Bool.random(using: &generator) }.map { names[$0] }
            .shuffled(using: &generator)
        for _ in 0..<Int.random(in: 1...50, using: &generator) {
            var row: [String: String] = [:]
            for column in columns { row[column] = Self.value(column, kind, &generator) }
            rows.append(row)
        }
        let lines = [columns] + rows.map { row in columns.map { row[$0] ?? "" } }
        text = lines.map { $0.joined(separator: ",") + "\n" }.joined()
    }

    private static func value(_ column: String, _ kind: ImportKind, _ generator: inout SeededGenerator) -> String {
        switch column {
        case "group_id": return "g\(Int.random(in: 0..<9, using: &generator))"
        case "photo_id": return "p\(Int.random(in: 10..<24, using: &generator))"
        case "user_id":
            if kind == .photos, Bool.random(using: &generator) { return "" }
            return "u\(Int.random(in: 10..<24, using: &generator))"
        default: break
        }
        guard Int.random(in: 0..<3, using: &generator) > 0 else { return "" }
        switch column {
        case "visibility": return Bool.random(using: &generator) ? "public" : "private"
        case "join_policy": return ["open", "approval", "invite"].randomElement(using: &generator) ?? ""
        case "listed": return Bool.random(using: &generator) ? "yes" : "no"
        case "width", "height": return "\(Int.random(in: 1...9, using: &generator))00"
        case "latitude", "longitude": return "\(Int.random(in: -89...89, using: &generator)).5"
        default:
            return column.hasSuffix("_at")
                ? "50000000\(Int.random(in: 0..<5, using: &generator))" : "t\(Int.random(in: 0..<5, using: &generator))"
        }
    }
}

/// The simplest possible import: dictionaries, and one row at a time.
struct CommunityModel {
    typealias Row = [String: String]
    private var things: [String: [String: Row]] = ["groups": [:], "users": [:], "photos": [:]]
    private var pairs: [String: [String: Row]] = ["memberships": [:], "pools": [:]]
    /// Groups or photos of which there was a file: what no such file has is unknown.
    private var described: Set<String> = []
    /// The groups or photos that a row of the current import made private.
    private var madePrivate: Set<String> = []

    mutating func apply(_ kind: ImportKind, _ files: [RandomFile], replaces: Bool) {
        var seen: Set<String> = []
        if kind == .groups || kind == .photos, described.insert(kind.name).inserted {
            for id in things[kind.name]?.keys ?? [:].keys { things[kind.name]?[id]?["visibility"] = "unknown" }
        }
        madePrivate = []
        for row in files.flatMap(\.rows) {
            let key =
                kind == .memberships || kind == .pools
                ? pair(kind, row) : thing(kind.name, row[kind.columnNames[0]] ?? "", row)
            seen.insert(key)
        }
        guard replaces else { return }
        pairs[kind.name] = pairs[kind.name]?.filter { seen.contains($0.key) }
        things[kind.name] = things[kind.name]?.filter { seen.contains($0.key) }
        for name in ["memberships", "pools"] {
            pairs[name] = pairs[name]?.filter { _, row in
                things["groups"]?[row["group_id"] ?? ""] != nil
                    && (name == "pools"
                        ? things["photos"]?[row["photo_id"] ?? ""] : things["users"]?[row["user_id"] ?? ""]) != nil
            }
        }
        for (id, row) in things["photos"] ?? [:] where things["users"]?[row["user_id"] ?? ""] == nil {
            things["photos"]?[id]?["user_id"] = nil
        }
    }

    private mutating func thing(_ table: String, _ id: String, _ row: Row) -> String {
        var known = things[table]?[id] ?? [:]
        if known["visibility"] == "unknown" { known["visibility"] = nil }
        for (column, value) in row {
            if value.isEmpty, ["visibility", "join_policy"].contains(column) { continue }
            // No value takes a yes back, but not a no.
            if value.isEmpty, column == "listed", known[column] == "no" { continue }
            known[column] = value.isEmpty ? nil : value
            // Of the rows of one import that make something private and public, the private ones count.
            if column == "visibility", value == "private" { madePrivate.insert(id) }
            if column == "visibility", madePrivate.contains(id) { known[column] = "private" }
            if column == "user_id", table == "photos", !value.isEmpty { _ = thing("users", value, ["user_id": value]) }
        }
        things[table]?[id] = known
        return id
    }

    /// Makes what an entry names, if it is not there.
    private mutating func name(_ table: String, _ id: String, _ column: String) {
        guard things[table]?[id] == nil else { return }
        things[table]?[id] = [column: id, "visibility": described.contains(table) ? "unknown" : ""]
    }

    private mutating func pair(_ kind: ImportKind, _ row: Row) -> String {
        let (time, other) = kind == .pools ? ("added_at", "photo_id") : ("joined_at", "user_id")
        let (group, entry) = (row["group_id"] ?? "", row[other] ?? "")
        name("groups", group, "group_id")
        name(kind == .pools ? "photos" : "users", entry, other)
        var known = pairs[kind.name]?["\(group) \(entry)"] ?? ["group_id": group, other: entry]
        if let value = row[time], !value.isEmpty { known[time] = value }
        pairs[kind.name]?["\(group) \(entry)"] = known
        return "\(group) \(entry)"
    }

    /// The rows of all kinds, in the form of `CatalogUnderTest.everything`.
    var everything: [String: [String]] {
        func lines(_ rows: [String: Row], _ columns: [String]) -> [String] {
            rows.values.map { row in
                columns.map { column in
                    switch column {
                    case "visibility": row[column] == "private" ? "1" : row[column] == "unknown" ? "2" : "0"
                    case "join_policy": row[column] == "invite" ? "2" : row[column] == "approval" ? "1" : "0"
                    case "listed": row[column].map { $0 == "yes" ? "1" : "0" } ?? "~"
                    default: row[column] ?? "~"
                    }
                }.joined(separator: "|")
            }.sorted()
        }
        var all: [String: [String]] = [:]
        for kind in ImportKind.ofGroups {
            all[kind.name] = lines((things[kind.name] ?? pairs[kind.name]) ?? [:], kind.columnNames)
        }
        return all
    }
}
