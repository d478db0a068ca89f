import Basics
import Model
import SQLite
import Similarity
import Synchronization
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Reading matrices")
struct MatrixTests {
    @Test("equals the result of SQL, for any number of threads and any order of import", arguments: 0..<6)
    func againstSQL(seed: UInt64) throws {
        let test = try RandomCatalog.filled(seed: seed)
        let groups = try test.catalog.facts.groups()
        let publicIDs = groups.filter { $0.visibility == .public }.map(\.id)
        #expect(publicIDs == publicIDs.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for (kind, table) in [(RelationSource.memberships, "memberships"), (.pools, "pools")] {
            let expected = try rowsBySQL(test, kind)
            var first: BinaryMatrix?
            for threads in 1...4 {
                let told = Mutex(0)
                let snapshot = try Matrices(of: test.catalog.facts, threads: threads)
                let reading = try snapshot.matrix(kind) { rows in told.withLock { $0 = max($0, rows) } }
                #expect(reading.matrix.rowCount == publicIDs.count)
                let rows = (0..<reading.matrix.rowCount).map { Array(reading.matrix.row($0)) }
                #expect(rows.map(\.count) == publicIDs.map { expected[$0]?.count ?? 0 })
                if kind == .memberships {
                    let users = try snapshot.users().ids
                    #expect(
                        rows.map { row in Set(row.map { users[Int($0)] }) }
                            == publicIDs.map { expected[$0] ?? [] })
                }
                #expect(shape(rows) == shape(publicIDs.map { expected[$0] ?? [] }))
                #expect(first == nil || first == reading.matrix)
                first = reading.matrix
                let all = try test.lines("SELECT count(*) FROM \(table)").map { Int($0) ?? -1 }[0]
                #expect(told.withLock { $0 } == all)
                #expect(
                    reading.entriesOfPrivateGroups + reading.entriesOfPrivatePhotos + reading.matrix.entryCount == all)
                let hidden = """
                    SELECT count(*) FROM \(table) WHERE group_key IN (SELECT group_key FROM groups WHERE visibility = 1)
                    """
                #expect(try test.lines(hidden) == ["\(reading.entriesOfPrivateGroups)"])
            }
        }
    }

    @Test("reads the memberships of each user with their times, as SQL does", arguments: 0..<6, 1...3)
    func memberships(seed: UInt64, threads: Int) throws {
        let test = try RandomCatalog.filled(seed: seed)
        // Some have no time. Others are before 1970, or very late.
        try Database(path: test.path, mode: .readWrite).execute(
            """
            UPDATE memberships SET joined_at = user_key * 1000 + group_key;
            UPDATE memberships SET joined_at = NULL WHERE user_key % 5 = 1 AND group_key % 3 = 0;
            UPDATE memberships SET joined_at = -86400 * 7 WHERE user_key % 7 = 2;
            UPDATE memberships SET joined_at = 86400 * 70000 WHERE user_key % 11 = 3;
            UPDATE catalog_state SET value = 1 WHERE name = 'memberships.joined_at';
            """)
        let snapshot = try Matrices(of: test.catalog.facts, threads: threads)
        let (groups, users) = (try snapshot.groups().filter(\.isShown), try snapshot.users().ids)
        let parts = try snapshot.memberships(.memberships) { memberships in
            memberships.users.map { Array(memberships[$0]) }
        }
        let found = parts.flatMap(\.self)
        #expect(found.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0.group < $1.group } })
        let lines = found.enumerated().flatMap { column, memberships in
            memberships.map { membership in
                let time = membership.seconds.map(String.init) ?? "never"
                #expect(Int(membership.user) == column)
                return "\(users[column]) \(groups[Int(membership.group)].id) \(time)"
            }
        }
        let expected = try test.lines(
            """
            SELECT user_id || ' ' || group_id || ' ' || coalesce(joined_at, 'never')
            FROM memberships JOIN users USING (user_key) JOIN groups USING (group_key) WHERE visibility = 0
            """)
        #expect(lines.sorted() == expected.sorted() && !expected.isEmpty)
    }

    /// Returns the members, or the public photos, of each public group.
    private func rowsBySQL(_ test: CatalogUnderTest, _ kind: RelationSource) throws -> [String: Set<String>] {
        let sql =
            switch kind {
            case .memberships:
                """
                SELECT group_id || ' ' || user_id FROM memberships NATURAL JOIN users
                JOIN groups USING (group_key) WHERE visibility = 0
                """
            case .pools:
                """
                SELECT group_id || ' ' || photo_id FROM pools
                JOIN photos USING (photo_key) JOIN groups USING (group_key)
                WHERE groups.visibility = 0 AND photos.visibility = 0
                """
            default: preconditionFailure("there is no table \(kind.table)")
            }
        var rows: [String: Set<String>] = [:]
        for line in try test.lines(sql) {
            let parts = line.split(separator: " ").map(String.init)
            rows[parts[0], default: []].insert(parts[1])
        }
        return rows
    }

    /// Returns a matrix without the names of its columns: the rows of each entry, as a sorted list.
    private func shape<Entries: Sequence>(_ rows: [Entries]) -> [[Int]] where Entries.Element: Hashable {
        var rowsOfEntry: [Entries.Element: [Int]] = [:]
        for (row, entries) in rows.enumerated() {
            for entry in entries { rowsOfEntry[entry, default: []].append(row) }
        }
        return rowsOfEntry.values.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test("a key of a million needs a row for every hundred keys; a smaller one needs none")
    func highestKeys() throws {
        let test = try CatalogUnderTest()
        /// Whether rows with the keys 1, 2 and so on, and one with the highest key, are plausible.
        func isPlausible(rows: Int, highest: Int) throws -> Bool {
            let database = try Database(path: test.path, mode: .readWrite)
            try database.execute(
                """
                DELETE FROM users;
                WITH keys (key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM keys WHERE key < \(rows - 1))
                INSERT INTO users (user_key, user_id) SELECT key, 'u' || key FROM keys;
                INSERT INTO users (user_key, user_id) VALUES (\(highest), 'last');
                """)
            do throws(Failure) { return try test.catalog.facts.database.highestKey(of: .users) == highest } catch {
                #expect(error.code == .badData && error.message.contains("\(highest)"))
                return false
            }
        }
        #expect(try isPlausible(rows: 2, highest: 1 << 20) && !isPlausible(rows: 2, highest: 1 << 20 + 1))
        let highest = 1_100_000
        #expect(try isPlausible(rows: highest / 100, highest: highest))
        #expect(try !isPlausible(rows: highest / 100 - 1, highest: highest))
    }

    @Test("an empty catalog gives empty matrices")
    func empty() throws {
        let test = try CatalogUnderTest()
        for kind in [RelationSource.memberships, .pools] {
            let reading = try Matrices(of: test.catalog.facts, threads: 3).matrix(kind) { _ in }
            #expect(reading.matrix.rowCount == 0 && reading.matrix.entryCount == 0)
        }
        try test.importing(.groups, "group_id,visibility\na,private\nb,public\n")
        let reading = try Matrices(of: test.catalog.facts, threads: 1).matrix(.pools) { _ in }
        #expect(reading.matrix.rowCount == 1 && reading.matrix.entryCount == 0)
    }
}

/// Random catalogs of a few dozen groups, users and photos, some of them private, imported in random order.
enum RandomCatalog {
    static func filled(seed: UInt64) throws -> CatalogUnderTest {
        let test = try CatalogUnderTest()
        var generator = SeededGenerator(seed: seed)
        let groups = (0..<Int.random(in: 5...40, using: &generator)).map { "g\($0)" }.shuffled(using: &generator)
        let users = (0..<Int.random(in: 5...60, using: &generator)).map { "u\($0)" }
        let photos = (0..<Int.random(in: 5...80, using: &generator)).map { "p\($0)" }
        func visibility() -> String { Int.random(in: 0..<4, using: &generator) == 0 ? "private" : "public" }
        func pairs(_ others: [String]) -> String {
            var lines: [String] = []
            for group in groups {
                let share = Double.random(in: 0...1, using: &generator)
                for other in others where Double.random(in: 0...1, using: &generator) < share * share {
                    lines.append("\(group),\(other)\n")
                }
            }
            return lines.shuffled(using: &generator).joined()
        }
        // Some groups and photos first appear in pairs.
        try test.importing(.memberships, "group_id,user_id\n" + pairs(users)) { $0.batchRows = 50 }
        try test.importing(.groups, "group_id,visibility\n" + groups.map { "\($0),\(visibility())\n" }.joined())
        let rows = photos.map { "\($0),\(visibility()),\(users.randomElement(using: &generator) ?? "")\n" }
        try test.importing(.photos, "photo_id,visibility,user_id\n" + rows.joined())
        try test.importing(.pools, "group_id,photo_id\n" + pairs(photos)) { $0.batchRows = 50 }
        return test
    }
}
