import Basics
import Model
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

extension WorkEstimate {
    /// Estimates the work for a matrix, in well under a second for a catalog of any size.
    ///
    /// Σ d² = rows · (Σ d² / Σ d). The ratio is measured on 20,000 users or photos, evenly spread. With heavy tails,
    /// the estimate may be wrong by some tenths of its value. The same catalog gives the same estimate.
    ///
    /// - Parameter recentWeeks: the number of weeks, back from the last date, whose dates are recent.
    init(_ source: RelationSource, of catalog: Facts, recentWeeks: Int = 0) throws(Failure) {
        let database = catalog.database
        let (table, entry) = (source.table, source.entryColumn)
        let rows = try catalog.rowCount(source)
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
        let share = hasDates ? try Self.recentShare(source, weeks: recentWeeks, upTo: highestGroup, database) : 0
        self.init(
            rows: rows, increments: increments, hasDates: hasDates, recentRows: Int(share * Double(rows)))
    }

    /// Returns the share of rows with dates in the last weeks, from the first rows of 200 groups, evenly spread.
    private static func recentShare(
        _ source: RelationSource, weeks: Int, upTo highest: Int, _ database: ReadingDatabase
    ) throws(Failure) -> Double {
        let rows = try database.prepare(
            "SELECT \(source.timeColumn) FROM \(source.table) WHERE group_key = ? LIMIT 500")
        var times: [Int64?] = []
        for key in sampleKeys(upTo: highest, count: 200) {
            rows.bind(Int64(key), at: 1)
            while try rows.step() { times.append(rows.time(0)) }
        }
        guard let last = times.lazy.compactMap(\.self).max() else { return 0 }
        let first = last - Int64(weeks) * ActivityCalendar.weekSeconds
        return Double(times.count { $0.map { $0 > first } ?? false }) / Double(times.count)
    }

    /// Returns at most `count` keys from 1 to the highest.
    ///
    /// Multiples of the golden ratio spread the keys evenly, even if the keys follow a pattern.
    fileprivate static func sampleKeys(upTo highest: Int, count: Int = 20_000) -> [Int] {
        guard highest > count else { return Array(1..<highest + 1) }
        return (0..<count).map { sample in
            let fraction = (Double(sample) * 0.618_033_988_749_894_8).truncatingRemainder(dividingBy: 1)
            return 1 + Int(fraction * Double(highest))
        }
    }
}

extension ContentEstimate {
    /// Estimates the amount of content of the photos, from the tags of 20,000 of them, evenly spread.
    init(of database: ReadingDatabase) throws(Failure) {
        let highest = try database.highestKey(of: .photos)
        let (hasTags, hasPlaces) = (
            try NotedColumn.tags.hasValues(in: database), try NotedColumn.latitude.hasValues(in: database)
        )
        self.init()
        guard hasTags || hasPlaces else { return }
        var (sampled, tags) = (0, 0)
        let list = try database.prepare("SELECT tags FROM photos WHERE photo_key = ?")
        for key in WorkEstimate.sampleKeys(upTo: hasTags ? highest : 0) {
            list.bind(Int64(key), at: 1)
            if try list.step() { tags += list.text(0).utf8.split(separator: UInt8(ascii: ";")).count }
            list.reset()
            sampled += 1
        }
        let total = sampled > 0 ? Double(tags) / Double(sampled) * Double(highest) : 0
        self.init(photos: highest, tags: Int(total), hasPlaces: hasPlaces)
    }
}
