public import Model
import SQLite

/// How much work a matrix makes.
public struct WorkEstimate: Sendable, Equatable {
    /// Entries of the relation, counted.
    public var rows: Int
    /// Σ d(u)² over users or photos u in d(u) groups, the increments of a full count; estimated from a sample.
    public var increments: Double
    /// False if no row has a date.
    public var hasDates: Bool

    /// An amount of work.
    public init(rows: Int, increments: Double, hasDates: Bool = false) {
        self.rows = rows
        self.increments = increments
        self.hasDates = hasDates
    }
}

/// How much content the photos have: tags and locations.
public struct ContentEstimate: Sendable, Equatable {
    /// Photos, private ones included; 0 if none has tags or a location.
    public var photos: Int
    /// The tags of all photos together; estimated from a sample.
    public var tags: Int
    /// False if no photo has a location.
    public var hasPlaces: Bool

    /// An estimate.
    public init(photos: Int = 0, tags: Int = 0, hasPlaces: Bool = false) {
        self.photos = photos
        self.tags = tags
        self.hasPlaces = hasPlaces
    }
}

extension Catalog {
    /// How many entries a relation has.
    public func rowCount(_ source: RelationSource) throws(CatalogError) -> Int {
        try wrapping { () throws(DatabaseError) in
            Int(try database.integer("SELECT count(*) FROM \(source.table)") ?? 0)
        }
    }

    /// How many groups there are, public and private.
    public func groupCount() throws(CatalogError) -> Int {
        try wrapping { () throws(DatabaseError) in Int(try database.integer("SELECT count(*) FROM groups") ?? 0) }
    }

    /// Estimates the work that a matrix makes, in well under a second at any size.
    ///
    /// Σ d² = rows · (Σ d² / Σ d), the ratio taken over 20,000 users or photos, evenly spread. Heavy tails make it
    /// uncertain by some tenths of its value; the same catalog gives the same estimate.
    public func workEstimate(_ source: RelationSource) throws(CatalogError) -> WorkEstimate {
        let (table, entry) = (source.table, source.entryColumn)
        let rows = try rowCount(source)
        return try wrapping { () throws(DatabaseError) in
            let highest = Int(try database.integer("SELECT max(\(entry)) FROM \(source.entityTable.rawValue)") ?? 0)
            let hasDates = try mayHaveValues(source.notedTime)
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
            return WorkEstimate(rows: rows, increments: increments, hasDates: hasDates)
        }
    }

    /// Estimates how much content the photos have, from the tags of 20,000 of them, evenly spread.
    public func contentEstimate() throws(CatalogError) -> ContentEstimate {
        try wrapping { () throws(DatabaseError) in
            let (hasTags, hasPlaces) = (try mayHaveValues(.tags), try mayHaveValues(.latitude))
            guard hasTags || hasPlaces else { return ContentEstimate() }
            let highest = Int(try database.integer("SELECT max(photo_key) FROM photos") ?? 0)
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
    }

    /// At most 20,000 keys from 1 to the highest.
    ///
    /// Multiples of the golden ratio spread them evenly, whatever the order of
    /// the keys means.
    private static func sampleKeys(upTo highest: Int) -> [Int] {
        guard highest > 20_000 else { return Array(1..<highest + 1) }
        return (0..<20_000).map { sample in
            let fraction = (Double(sample) * 0.618_033_988_749_894_8).truncatingRemainder(dividingBy: 1)
            return 1 + Int(fraction * Double(highest))
        }
    }
}
