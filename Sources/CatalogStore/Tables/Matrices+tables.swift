package import Basics
package import Model
import SQLite

extension Matrices {
    /// The number of rows that were written, for each table.
    package typealias TableRowCounts = [(table: String, rows: Int)]

    /// Writes a folder of tables, from which a recompute makes the same version as from the catalog.
    ///
    /// Private groups and photos are left out and counted. Users, photos and groups are in the order of their ids'
    /// bytes.
    ///
    /// - Parameters:
    ///   - path: the folder, which must not have tables yet.
    ///   - rowsPerPart: the most rows of a file, 1 or more.
    package func exportTables(to path: String, relations: RelationTable, rowsPerPart: Int) throws(Failure)
        -> TableRowCounts
    {
        var writer = try TableFolderWriter(path)
        let export = TableExport(snapshot: self, rowsPerPart: max(1, rowsPerPart))
        let shown = try groups().filter { $0.visibility == .public }
        try export.pieces(of: shown.count) { rows throws(Failure) in
            var part = TablePartContent(rows: rows.count)
            part.add("id", shown[rows].map { Array($0.id.utf8) })
            try writer.write(part, of: "groups")
        }
        var counts = [(table: "groups", rows: shown.count)]
        let users = try export.users(&writer)
        let photos = try export.photos(&writer, ownerNumbers: users)
        counts += [("users", users.count { $0 > 0 }), ("photos", photos.count { $0 > 0 })]
        let groups = shown.map(\.key)
        let members = users.indices.filter { users[$0] > 0 }.sorted { users[$0] < users[$1] }.map(Int64.init)
        for source in relations.sources {
            if !relations.isRequired(source), try !hasRows(source) { continue }
            let numbers = source.entityTable == .users ? users : photos
            let rows = try export.entries(
                of: source, &writer, rows: source.rows == .groups ? groups : members, numbers)
            counts.append((source.table, rows))
        }
        try writer.finish()
        return counts
    }
}

/// Writes the parts of the catalog in the order of a folder of tables.
private struct TableExport {
    let snapshot: Matrices
    let rowsPerPart: Int

    private var database: ReadingDatabase { snapshot.database }

    /// Calls `body` with ranges of rows that are small enough for a part.
    func pieces(of count: Int, _ body: (Range<Int>) throws(Failure) -> Void) throws(Failure) {
        for first in stride(from: 0, to: count, by: rowsPerPart) {
            try body(first..<min(first + rowsPerPart, count))
        }
    }

    /// Writes the users.
    ///
    /// - Returns: the number of each user by key, from 1; 0 for keys without a user.
    func users(_ writer: inout TableFolderWriter) throws(Failure) -> [UInt32] {
        var numbers = try numberTable("users", "user_key")
        let rows = try database.prepare("SELECT user_key, user_id, interests FROM users ORDER BY user_id")
        var count: UInt32 = 0
        // A statement that is stepped after its end would begin again.
        var hasMore = try rows.step()
        while hasMore {
            var (ids, interests): ([[UInt8]], [[UInt8]]) = ([], [])
            while hasMore, ids.count < rowsPerPart {
                count += 1
                numbers[Int(rows.integer(0))] = count
                ids.append(Array(rows.text(1).utf8))
                interests.append(Array(rows.text(2).utf8))
                hasMore = try rows.step()
            }
            var part = TablePartContent(rows: ids.count)
            part.add("id", ids)
            part.add("interests", interests)
            try writer.write(part, of: "users")
        }
        return numbers
    }

    /// Writes the public photos.
    ///
    /// - Returns: the number of each public photo by key, from 1; 0 for other keys.
    func photos(_ writer: inout TableFolderWriter, ownerNumbers: [UInt32]) throws(Failure) -> [UInt32] {
        var numbers = try numberTable("photos", "photo_key")
        let rows = try database.prepare(
            """
            SELECT photo_key, user_key, tags, latitude, longitude FROM photos WHERE visibility = 0 ORDER BY photo_id
            """)
        var count: UInt32 = 0
        var hasMore = try rows.step()
        while hasMore {
            var (owners, tags): ([UInt32], [[UInt8]]) = ([], [])
            var (latitudes, longitudes): ([Double], [Double]) = ([], [])
            while hasMore, owners.count < rowsPerPart {
                count += 1
                numbers[Int(rows.integer(0))] = count
                let owner = Int(rows.integer(1))
                owners.append(ownerNumbers.indices.contains(owner) ? ownerNumbers[owner] : 0)
                tags.append(Array(rows.text(2).utf8))
                latitudes.append(rows.optionalNumber(3) ?? .nan)
                longitudes.append(rows.optionalNumber(4) ?? .nan)
                hasMore = try rows.step()
            }
            var part = TablePartContent(rows: owners.count)
            part.add("owner", .number, owners)
            part.add("tags", tags)
            part.add("latitude", .degrees, latitudes)
            part.add("longitude", .degrees, longitudes)
            try writer.write(part, of: "photos")
        }
        return numbers
    }

    /// Writes pairs, row after row, and returns their number.
    ///
    /// - Parameters:
    ///   - keys: the keys of the rows, in the order of their numbers.
    ///   - numbers: the number of each entry by key, from 1.
    func entries(
        of source: RelationSource, _ writer: inout TableFolderWriter, rows keys: [Int64], _ numbers: [UInt32]
    ) throws(Failure) -> Int {
        let hasTimes = try source.notedTime.hasValues(in: database)
        let rows = try database.prepare(
            """
            SELECT \(([source.entryColumn] + source.valueColumns).joined(separator: ", ")) FROM \(source.table)
            WHERE \(source.rowColumn) = ?
            """)
        var written = EntryColumns(hasTimes: hasTimes, answerColumn: source.answerColumn)
        var leftOut = TableManifest.Omissions()
        var count = 0
        for (number, row) in keys.enumerated() {
            var found: [(entry: UInt32, time: Int64, isAnswer: Bool)] = []
            rows.bind(row, at: 1)
            while try rows.step() {
                let key = Int(rows.integer(0))
                let entry = numbers.indices.contains(key) ? numbers[key] : 0
                guard entry > 0 else {
                    leftOut.ofPrivatePhotos += 1
                    continue
                }
                found.append(
                    (entry - 1, rows.optionalInteger(1) ?? .min, source.repeats && rows.integer(2) > 0))
            }
            rows.reset()
            found.sort { ($0.entry, $0.time) < ($1.entry, $1.time) }
            for entry in found {
                written.add(group: UInt32(number), entry.entry, entry.time, isAnswer: entry.isAnswer)
                if written.count == rowsPerPart { try writer.write(written.take(), of: source.table) }
            }
            count += found.count
        }
        if written.count > 0 { try writer.write(written.take(), of: source.table) }
        let all = Int(try database.integer("SELECT count(*) FROM \(source.table)") ?? 0)
        leftOut.ofPrivateGroups = all - count - leftOut.ofPrivatePhotos
        writer.note(leftOut, of: source.table)
        return count
    }

    private func numberTable(_ table: String, _ key: String) throws(Failure) -> [UInt32] {
        let highest = Int(try database.integer("SELECT max(\(key)) FROM \(table)") ?? 0)
        return [UInt32](repeating: 0, count: highest + 1)
    }
}

/// The columns of some entries of a relation.
private struct EntryColumns {
    let hasTimes: Bool
    /// The column that tells whether an entry is an answer, or nil if none is.
    let answerColumn: String?
    var groups: [UInt32] = []
    var entries: [UInt32] = []
    var times: [Int64] = []
    var answers: [UInt32] = []

    var count: Int { groups.count }

    mutating func add(group: UInt32, _ entry: UInt32, _ time: Int64, isAnswer: Bool) {
        groups.append(group)
        entries.append(entry)
        times.append(time)
        if answerColumn != nil { answers.append(isAnswer ? 1 : 0) }
    }

    /// Returns the entries as a part, and empties the columns.
    mutating func take() -> TablePartContent {
        var part = TablePartContent(rows: count)
        part.add("group", .number, groups)
        part.add("entry", .number, entries)
        if hasTimes { part.add("time", .time, times) }
        if let answerColumn { part.add(answerColumn, .number, answers) }
        self = EntryColumns(hasTimes: hasTimes, answerColumn: answerColumn)
        return part
    }
}
