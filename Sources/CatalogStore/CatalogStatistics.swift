package import Basics
import Model
import Recommendation
import SQLite

/// The statistics of a catalog, counted in passes over its tables.
package struct CatalogStatistics: Sendable {
    /// The number of rows with a time in a column, and the range of these times.
    package struct Dates: Sendable, Equatable {
        /// The number of rows with a time.
        package var count = 0
        /// The first and the last time, in Unix seconds, or `nil` if there are none.
        package var range: ClosedRange<Int64>?
    }

    /// The statistics of a relation.
    package struct Relation: Sendable, Equatable {
        package var name: String
        /// The number of entries.
        package var rows: Int
        package var dates: Dates
        /// The histogram of the number of entries of each group, or of each user for what members tell.
        package var groupSizes: SizeHistogram
        /// The kind of its rows: "groups" or "users".
        package var rowKind: String
        /// The histogram of the number of groups, or of users, of each user or photo.
        package var entrySizes: SizeHistogram
        /// The kind of its entries: "users" or "photos".
        package var entries: String
    }

    /// A group with most of the members, or a member of most of the groups.
    package struct Ubiquitous: Sendable, Equatable {
        package var id: String
        /// The number of members or groups.
        package var count: Int
        /// The number of all members with a shown group, or of all groups with a member.
        package var total: Int
    }

    /// The statistics of groups, users or photos.
    ///
    /// Rows with a property are counted under a name such as "private" or "with tags".
    package struct EntityCounts: Sendable {
        package var name: String
        package var rows: Int
        /// The number of rows with each property.
        package var properties: [(name: String, count: Int)]
        /// The first pairs of ids that differ only in their spelling.
        package var twins: [IDTwins.Pair] = []

        /// Returns the number of rows with a property, or 0 for a property that is not counted.
        package func count(_ property: String) -> Int { properties.first { $0.name == property }?.count ?? 0 }
    }

    /// The statistics of groups, users and photos.
    package var things: [EntityCounts]
    /// The statistics of relations, in the order of their tables' names.
    package var relations: [Relation]
    /// The number of recorded interactions.
    package var interactions: Int
    /// The number of forgotten members.
    package var forgotten: Int
    /// The shown groups that most members are in, the largest first; at most `ubiquityLimit`.
    package var ubiquitousGroups: [Ubiquitous]
    /// The members who are in most groups, the ones with the most groups first; at most `ubiquityLimit`.
    package var ubiquitousMembers: [Ubiquitous]

    /// The greatest number of ubiquitous groups, and of such members, that are named.
    package static let ubiquityLimit = 5
}

/// A histogram of sizes, with the buckets 0, 1, 2 to 3, 4 to 7 and so on.
package struct SizeHistogram: Sendable, Equatable {
    /// The number of sizes by bucket: first that of 0, then by the number of binary digits.
    package private(set) var counts: [Int] = []

    mutating func add(_ size: Int, times: Int = 1) {
        let bucket = size == 0 ? 0 : Int.bitWidth - size.leadingZeroBitCount
        while counts.count <= bucket { counts.append(0) }
        counts[bucket] += times
    }

    package static func sizes(ofBucket bucket: Int) -> ClosedRange<Int> {
        bucket == 0 ? 0...0 : 1 << (bucket - 1)...(1 << bucket) - 1
    }

    package var total: Int { counts.reduce(0, +) }

    /// Returns the number of sizes below a power of two.
    package func count(below power: Int) -> Int {
        counts.indices.filter { Self.sizes(ofBucket: $0).upperBound < power }.reduce(0) { $0 + counts[$1] }
    }
}

extension CatalogStatistics {
    /// Counts everything in one state of a catalog; that takes some seconds for each fifty million rows.
    package init(of catalog: Facts) throws(Failure) {
        self = try Counting(catalog).statistics()
    }
}

/// The counting of the statistics of a catalog.
private struct Counting {
    private let database: ReadingDatabase
    private let relations: RelationTable

    init(_ catalog: Facts) { (database, relations) = (catalog.database, catalog.relations) }

    func statistics() throws(Failure) -> CatalogStatistics {
        try database.snapshot { () throws(Failure) in
            var counted: [CatalogStatistics.Relation] = []
            for source in relations.sources.sorted(by: { $0.table < $1.table }) {
                counted.append(try statistics(of: source))
            }
            let required = Set(relations.sources.filter(relations.isRequired).map(\.table))
            counted.removeAll { !required.contains($0.name) && $0.rows == 0 }
            let ubiquity = try ubiquity(counted)
            return CatalogStatistics(
                things: [try groupStatistics(), try userStatistics(), try photoStatistics()], relations: counted,
                interactions: Int(
                    try database.integer("SELECT count(*) FROM interactions WHERE is_forgotten = 0") ?? 0),
                forgotten: Int(
                    try database.integer("SELECT count(*) FROM ledger WHERE forgotten_at > readmitted_at") ?? 0),
                ubiquitousGroups: ubiquity.groups, ubiquitousMembers: ubiquity.members)
        }
    }

    /// Returns the groups of most members, by the bound of members' lists, and the members of most groups.
    private func ubiquity(_ counted: [CatalogStatistics.Relation]) throws(Failure)
        -> (groups: [CatalogStatistics.Ubiquitous], members: [CatalogStatistics.Ubiquitous])
    {
        guard let memberships = relations[.membership]?.source,
            let counted = counted.first(where: { $0.name == memberships.table })
        else { return ([], []) }
        let table = memberships.table
        let memberCount = try database.integer(
            """
            SELECT count(*) FROM users WHERE EXISTS (
                SELECT 1 FROM \(table) JOIN groups USING (group_key)
                WHERE \(table).user_key = users.user_key AND \(CatalogSchema.isShown))
            """)
        let groupCount = counted.groupSizes.total - (counted.groupSizes.counts.first ?? 0)
        return (
            try ubiquitous(
                "group_id", "groups", by: "group_key", in: table, of: Int(memberCount ?? 0),
                where: CatalogSchema.isShown),
            try ubiquitous("user_id", "users", by: "user_key", in: table, of: groupCount, where: "true")
        )
    }

    private func ubiquitous(
        _ id: String, _ things: String, by key: String, in table: String, of total: Int, where condition: String
    ) throws(Failure) -> [CatalogStatistics.Ubiquitous] {
        guard let least = PlanConfiguration.Ubiquity().leastSize(inCommunityOf: total) else { return [] }
        let rows = try database.prepare(
            """
            SELECT \(id), size FROM
                (SELECT \(key), count(*) AS size FROM \(table) GROUP BY \(key) HAVING count(*) >= \(least))
                JOIN \(things) USING (\(key))
            WHERE \(condition) ORDER BY size DESC, \(id) LIMIT \(CatalogStatistics.ubiquityLimit)
            """)
        return try rows.map { .init(id: $0.text(0), count: Int($0.integer(1)), total: total) }
    }

    private func groupStatistics() throws(Failure) -> CatalogStatistics.EntityCounts {
        try things(
            .groups,
            [
                ("private", "visibility = 1"), ("undescribed", try undescribed(.groups)),
                ("hidden", "EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key)"),
                ("with a title", "title IS NOT NULL"), ("with topics", "topics IS NOT NULL"),
                ("with a last activity", "last_active_at IS NOT NULL"),
            ])
    }

    /// Returns the SQL condition for a row that only relations name.
    private func undescribed(_ table: EntityTable) throws(Failure) -> String {
        try UndescribedRows(of: table, database)?.condition() ?? "false"
    }

    private func userStatistics() throws(Failure) -> CatalogStatistics.EntityCounts {
        var users = try things(
            .users,
            [
                ("with a name", "name IS NOT NULL"), ("with interests", "interests IS NOT NULL"),
                ("listed", "listed IS 1"), ("not listed", "listed IS 0"),
            ])
        users.properties.removeAll { $0.name.hasSuffix("listed") && $0.count == 0 }
        return users
    }

    private func photoStatistics() throws(Failure) -> CatalogStatistics.EntityCounts {
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
        throws(Failure) -> CatalogStatistics.EntityCounts
    {
        let counts = properties.map { "coalesce(sum(\($0.condition)), 0)" }.joined(separator: ", ")
        let row = try database.prepare("SELECT count(*), \(counts) FROM \(table.rawValue)")
        _ = try row.step()
        defer { row.reset() }
        let twins = try IDTwins(in: table, database)
        let doubts = [("invisible characters", twins.invisible), ("spelling", twins.spelling)]
            .filter { $0.1 > 0 }.map { ("with an id that differs from another only in \($0.0)", $0.1) }
        return .init(
            name: table.rawValue, rows: Int(row.integer(0)),
            properties: properties.indices.map { (properties[$0].name, Int(row.integer(Int32($0 + 1)))) } + doubts,
            twins: twins.pairs)
    }

    private func statistics(of source: RelationSource) throws(Failure) -> CatalogStatistics.Relation {
        let (table, time) = (source.table, source.timeColumn)
        let row = try database.prepare("SELECT count(*), count(\(time)), min(\(time)), max(\(time)) FROM \(table)")
        _ = try row.step()
        defer { row.reset() }
        let dated = Int(row.integer(1))
        let entity = source.entityTable
        return .init(
            name: table, rows: Int(row.integer(0)),
            dates: .init(count: dated, range: dated > 0 ? row.integer(2)...max(row.integer(2), row.integer(3)) : nil),
            groupSizes: try sizes(by: source.rowColumn, in: table, of: source.rowTable), rowKind: source.rows.rawValue,
            entrySizes: try sizes(by: source.entryColumn, in: table, of: entity), entries: entity.rawValue)
    }

    /// Returns the histogram of a table's rows by group, user or photo, including those without rows.
    private func sizes(by column: String, in table: String, of entity: EntityTable) throws(Failure)
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
