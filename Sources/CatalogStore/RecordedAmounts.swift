package import Basics
package import Model
import SQLite

/// The amount of work for a matrix.
package struct WorkEstimate: Sendable, Equatable {
    /// The number of entries of the relation, counted.
    package var rows: Int
    /// Σ d(u)² over users or photos u in d(u) groups: the increments of a full count, estimated from a sample.
    package var increments: Double
    /// Whether any row may have a date.
    package var hasDates: Bool
    /// The number of rows with dates in the last weeks, estimated from a sample.
    package var recentRows: Int

    package init(rows: Int, increments: Double, hasDates: Bool = false, recentRows: Int = 0) {
        self.rows = rows
        self.increments = increments
        self.hasDates = hasDates
        self.recentRows = recentRows
    }
}

/// The amount of content of the photos: tags and locations.
package struct ContentEstimate: Sendable, Equatable {
    /// The number of photos, including private ones, or 0 if none has tags or a location.
    package var photos: Int
    /// The number of tags of all photos together, estimated from a sample.
    package var tags: Int
    /// Whether any photo may have a location.
    package var hasPlaces: Bool

    package init(photos: Int = 0, tags: Int = 0, hasPlaces: Bool = false) {
        self.photos = photos
        self.tags = tags
        self.hasPlaces = hasPlaces
    }
}

extension Facts {
    /// Estimates the work for a matrix, in well under a second for a catalog of any size.
    ///
    /// Σ d² = rows · (Σ d² / Σ d). The ratio is measured on 20,000 users or photos, evenly spread. With heavy tails,
    /// the estimate may be wrong by some tenths of its value. The same catalog gives the same estimate.
    ///
    /// - Parameter recentWeeks: the number of weeks, back from the last date, whose dates are recent.
    package func workEstimate(_ source: RelationSource, recentWeeks: Int = 0) throws(Failure) -> WorkEstimate {
        let (table, entry) = (source.table, source.entryColumn)
        let rows = try rowCount(source)
        let (highest, highestGroup) = (
            try database.highestKey(of: source.entityTable), try database.highestKey(of: .groups)
        )
        let hasDates = try source.notedTime.hasValues(in: database)
        let count = try database.prepare("SELECT count(*) FROM \(table) WHERE \(entry) = ?")
        var (sum, squares) = (0.0, 0.0)
        for key in Self.sampleKeys(upTo: highest) {
            count.bind(Int64(key), at: 1)
            guard try count.step() else { continue }
            let degree = Double(count.integer(0))
            count.reset()
            sum += degree
            squares += degree * degree
        }
        let increments = sum > 0 ? Double(rows) * squares / sum : 0
        let share = hasDates ? try recentShare(source, weeks: recentWeeks, upTo: highestGroup) : 0
        return WorkEstimate(
            rows: rows, increments: increments, hasDates: hasDates, recentRows: Int(share * Double(rows)))
    }

    /// Returns the share of rows with dates in the last weeks, from the first rows of 200 groups, evenly spread.
    private func recentShare(_ source: RelationSource, weeks: Int, upTo highest: Int) throws(Failure) -> Double {
        let rows = try database.prepare(
            "SELECT \(source.timeColumn) FROM \(source.table) WHERE group_key = ? LIMIT 500")
        var times: [Int64?] = []
        for key in Self.sampleKeys(upTo: highest, count: 200) {
            rows.bind(Int64(key), at: 1)
            while try rows.step() { times.append(rows.time(0)) }
        }
        guard let last = times.lazy.compactMap(\.self).max() else { return 0 }
        let first = last - Int64(weeks) * ActivityCalendar.weekSeconds
        return Double(times.count { $0.map { $0 > first } ?? false }) / Double(times.count)
    }

    /// Estimates the amount of content of the photos, from the tags of 20,000 of them, evenly spread.
    package func contentEstimate() throws(Failure) -> ContentEstimate {
        let highest = try database.highestKey(of: .photos)
        let (hasTags, hasPlaces) = (
            try NotedColumn.tags.hasValues(in: database), try NotedColumn.latitude.hasValues(in: database)
        )
        guard hasTags || hasPlaces else { return ContentEstimate() }
        var (sampled, tags) = (0, 0)
        let list = try database.prepare("SELECT tags FROM photos WHERE photo_key = ?")
        for key in Self.sampleKeys(upTo: hasTags ? highest : 0) {
            list.bind(Int64(key), at: 1)
            if try list.step() { tags += list.text(0).utf8.split(separator: UInt8(ascii: ";")).count }
            list.reset()
            sampled += 1
        }
        let total = sampled > 0 ? Double(tags) / Double(sampled) * Double(highest) : 0
        return ContentEstimate(photos: highest, tags: Int(total), hasPlaces: hasPlaces)
    }

    /// Returns at most `count` keys from 1 to the highest.
    ///
    /// Multiples of the golden ratio spread the keys evenly, even if the keys follow a pattern.
    private static func sampleKeys(upTo highest: Int, count: Int = 20_000) -> [Int] {
        guard highest > count else { return Array(1..<highest + 1) }
        return (0..<count).map { sample in
            let fraction = (Double(sample) * 0.618_033_988_749_894_8).truncatingRemainder(dividingBy: 1)
            return 1 + Int(fraction * Double(highest))
        }
    }
}

/// A column for which `catalog_state` records whether it ever had a value.
///
/// The record saves scanning the table. The record is 1 from the first value on. It stays 1 if all values are removed
/// later, which only costs time. The columns are the times of every relation, and the tags and latitudes of photos.
struct NotedColumn: RawRepresentable, Hashable, Sendable {
    /// The table and the column, separated by a dot.
    let rawValue: String

    static let tags = NotedColumn(rawValue: "photos.tags")
    static let latitude = NotedColumn(rawValue: "photos.latitude")

    init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the column of a table, or returns `nil` if `catalog_state` has no record for it.
    init?(_ table: EntityTable, target: String) {
        self.init(rawValue: "\(table.rawValue).\(target)")
        guard self == .tags || self == .latitude else { return nil }
    }
}

extension NotedColumn {
    /// Whether the column has ever had a value.
    func hasValues(in database: ReadingDatabase) throws(Failure) -> Bool {
        let statement = try database.prepare("SELECT value FROM catalog_state WHERE name = ?", rawValue)
        return try statement.step() && statement.integer(0) != 0
    }

    /// Records that columns have values; call it within the transaction that writes them.
    static func note(_ columns: Set<NotedColumn>, in database: Database) throws(Failure) {
        let statement = try database.prepare("UPDATE catalog_state SET value = 1 WHERE name = ? AND value = 0")
        for column in columns {
            try statement.run(column.rawValue)
        }
    }
}
