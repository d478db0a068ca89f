import Model
import SQLite

/// What a catalog has, counted in passes over its tables.
public struct CatalogStatistics: Sendable, Equatable {
    /// How many rows have a value in a column of times, and between when.
    public struct Dates: Sendable, Equatable {
        /// Rows with a value.
        public var count = 0
        /// The first and the last, in Unix seconds; nil if there is none.
        public var range: ClosedRange<Int64>?
    }

    /// A relation.
    public struct Relation: Sendable, Equatable {
        /// Its table.
        public var name: String
        /// Entries.
        public var rows: Int
        /// When they began.
        public var dates: Dates
        /// How many groups have how many entries.
        public var groupSizes: SizeHistogram
        /// How many users or photos are in how many groups.
        public var entrySizes: SizeHistogram
        /// What its entries are: "users" or "photos".
        public var entries: String
    }

    /// Rows of groups, users and photos, and of these so many with a property, by names such as "private" or "with
    /// tags".
    public struct Things: Sendable, Equatable {
        /// Its table.
        public var name: String
        /// All.
        public var rows: Int
        /// Those with a property.
        public var properties: [(name: String, count: Int)]

        /// Compares all of it.
        public static func == (one: Things, other: Things) -> Bool {
            one.name == other.name && one.rows == other.rows
                && one.properties.elementsEqual(other.properties) { $0 == $1 }
        }

        /// How many have a property; 0 for one that is not counted.
        public func count(_ property: String) -> Int { properties.first { $0.name == property }?.count ?? 0 }
    }

    /// Groups, users, photos.
    public var things: [Things]
    /// In the order of their tables' names.
    public var relations: [Relation]
    /// Interactions that were recorded.
    public var interactions: Int
    /// Members who were forgotten.
    public var forgotten: Int
}

/// How many sizes fall into 0, 1, 2 to 3, 4 to 7 and so on.
public struct SizeHistogram: Sendable, Equatable {
    /// By bucket: that of 0, then by the number of binary digits.
    public private(set) var counts: [Int] = []

    /// Nothing.
    public init() {}

    mutating func add(_ size: Int, times: Int = 1) {
        let bucket = size == 0 ? 0 : Int.bitWidth - size.leadingZeroBitCount
        while counts.count <= bucket { counts.append(0) }
        counts[bucket] += times
    }

    /// The sizes of a bucket.
    public static func sizes(ofBucket bucket: Int) -> ClosedRange<Int> {
        bucket == 0 ? 0...0 : 1 << (bucket - 1)...(1 << bucket) - 1
    }

    /// How many sizes were counted.
    public var total: Int { counts.reduce(0, +) }

    /// How many are below a power of two.
    public func count(below power: Int) -> Int {
        counts.indices.filter { Self.sizes(ofBucket: $0).upperBound < power }.reduce(0) { $0 + counts[$1] }
    }
}

extension Catalog {
    /// Counts everything on one state of the catalog; that takes some seconds for each fifty million rows.
    public func statistics() throws(CatalogError) -> CatalogStatistics {
        try snapshot { () throws(CatalogError) in
            try wrapping { () throws(DatabaseError) in
                var counted: [CatalogStatistics.Relation] = []
                for source in relations.map(\.source).sorted(by: { $0.table < $1.table }) {
                    counted.append(try statistics(of: source))
                }
                return CatalogStatistics(
                    things: [try groupStatistics(), try userStatistics(), try photoStatistics()], relations: counted,
                    interactions: Int(try database.integer("SELECT count(*) FROM interactions") ?? 0),
                    forgotten: Int(try database.integer("SELECT count(*) FROM forgotten_members") ?? 0))
            }
        }
    }

    private func groupStatistics() throws(DatabaseError) -> CatalogStatistics.Things {
        try things(
            .groups,
            [
                ("private", "visibility = 1"), ("undescribed", try undescribed(.groups)),
                ("hidden", "EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key)"),
                ("with a title", "title IS NOT NULL"), ("with topics", "topics IS NOT NULL"),
                ("with a last activity", "last_active_at IS NOT NULL"),
            ])
    }

    /// The condition for a row to be named by relations alone.
    private func undescribed(_ table: EntityTable) throws(DatabaseError) -> String {
        try UndescribedRows(of: table, database)?.condition() ?? "false"
    }

    private func userStatistics() throws(DatabaseError) -> CatalogStatistics.Things {
        try things(.users, [("with a name", "name IS NOT NULL"), ("with interests", "interests IS NOT NULL")])
    }

    private func photoStatistics() throws(DatabaseError) -> CatalogStatistics.Things {
        try things(
            .photos,
            [
                ("private", "visibility = 1"), ("undescribed", try undescribed(.photos)),
                ("with an owner", "user_key IS NOT NULL"),
                ("with tags", "tags IS NOT NULL"), ("with a place", "latitude IS NOT NULL AND longitude IS NOT NULL"),
                ("with a date", "coalesce(taken_at, uploaded_at) IS NOT NULL"),
            ])
    }

    private func things(_ table: EntityTable, _ properties: [(name: String, condition: String)])
        throws(DatabaseError) -> CatalogStatistics.Things
    {
        let counts = properties.map { "coalesce(sum(\($0.condition)), 0)" }.joined(separator: ", ")
        let row = try database.prepare("SELECT count(*), \(counts) FROM \(table.rawValue)")
        _ = try row.step()
        defer { row.reset() }
        return .init(
            name: table.rawValue, rows: Int(row.integer(0)),
            properties: properties.indices.map { (properties[$0].name, Int(row.integer(Int32($0 + 1)))) })
    }

    private func statistics(of source: RelationSource) throws(DatabaseError) -> CatalogStatistics.Relation {
        let (table, time) = (source.table, source.timeColumn)
        let row = try database.prepare("SELECT count(*), count(\(time)), min(\(time)), max(\(time)) FROM \(table)")
        _ = try row.step()
        defer { row.reset() }
        let dated = Int(row.integer(1))
        let entity = source.entityTable
        return .init(
            name: table, rows: Int(row.integer(0)),
            dates: .init(count: dated, range: dated > 0 ? row.integer(2)...max(row.integer(2), row.integer(3)) : nil),
            groupSizes: try sizes(by: "group_key", in: table, of: .groups),
            entrySizes: try sizes(by: source.entryColumn, in: table, of: entity), entries: entity.rawValue)
    }

    /// How many rows of a table each group, user or photo has, also those that have none.
    private func sizes(by column: String, in table: String, of entity: EntityTable) throws(DatabaseError)
        -> SizeHistogram
    {
        var histogram = SizeHistogram()
        let sizes = try database.prepare("SELECT count(*) FROM \(table) GROUP BY \(column)")
        while try sizes.step() { histogram.add(Int(sizes.integer(0))) }
        let all = Int(try database.integer("SELECT count(*) FROM \(entity.rawValue)") ?? 0)
        if all > histogram.total { histogram.add(0, times: all - histogram.total) }
        return histogram
    }
}
