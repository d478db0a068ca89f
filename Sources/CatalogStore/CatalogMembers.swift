package import Basics
package import Changes
package import Model
import SQLite

/// A user as stored in the catalog: memberships and stated interests, by external ids.
package struct CatalogMember: Sendable, Equatable {
    /// A membership of the user.
    package struct Membership: Sendable, Equatable {
        package var groupID: String
        /// The time of joining in Unix seconds, if known.
        package var joinedAt: Int64?
    }

    package var id: String
    /// The stated interests, as imported.
    package var interests: [String]
    /// Whether the catalog has the interests, even if there are none.
    package var hasStatedInterests: Bool
    /// The memberships of public and private groups, in ascending order of the groups' ids.
    package var memberships: [Membership]
}

extension Catalog {
    /// Returns a user with all memberships, of public and private groups.
    ///
    /// - Returns: the user, or `nil` if there is none.
    package func member(withID id: String) throws(Failure) -> CatalogMember? {
        let user = try database.prepare(
            "SELECT user_key, interests, interests_stamp FROM users WHERE user_id = ?")
        user.bind(id, at: 1)
        guard try user.step() else { return nil }
        let rows = try database.prepare(
            """
            SELECT group_id, joined_at FROM memberships JOIN groups USING (group_key)
            WHERE user_key = ? ORDER BY group_id
            """)
        rows.bind(user.integer(0), at: 1)
        var memberships: [CatalogMember.Membership] = []
        while try rows.step() {
            memberships.append(.init(groupID: rows.text(0), joinedAt: rows.time(1)))
        }
        return CatalogMember(
            id: id, interests: user.text(1).split(separator: ";").map(String.init),
            hasStatedInterests: !user.isNull(1) || !user.isNull(2), memberships: memberships)
    }

    /// Returns at most `limit` users' ids in ascending order of their bytes, after an id or from the beginning.
    package func userIDs(after id: String?, limit: Int) throws(Failure) -> [String] {
        let rows = try database.prepare(
            "SELECT user_id FROM users WHERE ?1 IS NULL OR user_id > ?1 ORDER BY user_id LIMIT ?2")
        rows.bind(id, at: 1)
        rows.bind(Int64(limit), at: 2)
        var ids: [String] = []
        while try rows.step() { ids.append(rows.text(0)) }
        return ids
    }

    /// Returns the number of users whose ids are at or before an id, or of all users if the id is `nil`.
    package func userCount(through id: String?) throws(Failure) -> Int {
        let count = try database.prepare("SELECT count(*) FROM users WHERE ?1 IS NULL OR user_id <= ?1")
        count.bind(id, at: 1)
        return try count.step() ? Int(count.integer(0)) : 0
    }

    /// Returns suggestions ("did you mean") for an id that does not exist.
    ///
    /// The suggestions are the ids before and after the given one, and groups with it as their title.
    ///
    /// - Parameters:
    ///   - id: the id that does not exist.
    ///   - limit: the greatest number of suggestions of each kind.
    package func idsNear(_ id: String, in table: EntityTable, limit: Int = 8) throws(Failure) -> [String] {
        var found: [String] = []
        var conditions = [
            "\(table.idColumn) >= ?1 ORDER BY \(table.idColumn)",
            "\(table.idColumn) < ?1 ORDER BY \(table.idColumn) DESC",
        ]
        if table == .groups { conditions.insert("title = ?1 COLLATE NOCASE ORDER BY group_id", at: 0) }
        for condition in conditions {
            let rows = try database.prepare(
                "SELECT \(table.idColumn) FROM \(table.rawValue) WHERE \(condition) LIMIT \(limit)")
            rows.bind(id, at: 1)
            for candidate in try rows.texts() where !found.contains(candidate) { found.append(candidate) }
        }
        return found
    }

    /// Returns whether there is something with an external id.
    package func has(_ id: String, in table: EntityTable) throws(Failure) -> Bool {
        try key(of: id, in: table) != nil
    }

    /// Returns whether a relation of groups has a pair.
    ///
    /// - Parameter table: the relation's table; false for another one.
    package func hasPair(_ table: String, ofGroup group: String, _ entry: String) throws(Failure) -> Bool {
        guard let source = relations.sources.first(where: { $0.table == table && $0.rows == .groups }) else {
            return false
        }
        guard let row = try key(of: group, in: .groups), let column = try key(of: entry, in: source.entityTable)
        else { return false }
        let pair = try database.prepare(
            "SELECT 1 FROM \(source.table) WHERE \(source.rowColumn) = ?1 AND \(source.entryColumn) = ?2")
        pair.bind(row, at: 1)
        pair.bind(column, at: 2)
        return try pair.step()
    }

    func key(of id: String, in table: EntityTable) throws(Failure) -> Int64? {
        let row = try database.prepare(
            "SELECT \(table.keyColumn) FROM \(table.rawValue) WHERE \(table.idColumn) = ?")
        row.bind(id, at: 1)
        return try row.step() ? row.integer(0) : nil
    }

    /// Returns the number of rows of each table.
    package func counts() throws(Failure) -> [(table: String, rows: Int64)] {
        var counts: [(table: String, rows: Int64)] = []
        for table in EntityTable.allCases.map(\.rawValue) + relations.sources.map(\.table).sorted() {
            counts.append((table, try database.integer("SELECT count(*) FROM \(table)") ?? 0))
        }
        return counts
    }
}

extension CatalogSnapshot {
    /// Returns the texts of all users, by their column in a matrix.
    package func users() throws(Failure) -> UserTexts {
        let rows = try database.prepare(
            "SELECT user_key, user_id, interests, interests_stamp FROM users ORDER BY user_key")
        var texts = UserTexts()
        while try rows.step() {
            let key = rows.integer(0)
            guard key >= texts.ids.count, key <= Catalog.keyLimit else {
                throw .damaged("keys of users are out of order or bounds")
            }
            unsafe rows.withText(1) { unsafe texts.ids.append($0, at: Int(key)) }
            unsafe rows.withText(2) { unsafe texts.interests.append($0, at: Int(key)) }
            if let stamp = rows.optionalInteger(3) { texts.interestsStamps[UInt32(key)] = stamp }
        }
        return texts
    }
}

/// The tables of things that have an external id.
package enum EntityTable: String, Sendable, CaseIterable {
    case groups
    case users
    case photos

    /// The noun for one of its rows, in messages.
    package var singular: String { String(rawValue.dropLast()) }
    var idColumn: String { singular + "_id" }
    var keyColumn: String { singular + "_key" }
    /// Whether its rows have a visibility.
    var hasVisibility: Bool { self != .users }
}

extension Catalog {
    /// Returns all interactions of a member with groups or the own list, in the order in which they were recorded.
    ///
    /// - Parameters:
    ///   - impressionsSince: the earliest time of an impression to return, inclusive, in Unix milliseconds.
    ///   - forgotten: the ids of interactions that the member has forgotten; joins and leaves among them stay.
    package func history(ofUser id: String, impressionsSince: Int64, without forgotten: Set<BytewiseString> = [])
        throws(Failure) -> [InteractionRecord]
    {
        let rows = try database.prepare(
            Self.selectGroupInteractions + "AND (kind <> ? OR occurred_at >= ?) ORDER BY interaction_key")
        rows.bind(id, at: 1)
        rows.bind(Interaction.Kind.impression.number, at: 2)
        rows.bind(impressionsSince, at: 3)
        let history = try InteractionRecord.all(in: rows)
        guard !forgotten.isEmpty else { return history }
        return history.filter { $0.kind.pairChange != nil || !forgotten.contains(BytewiseString($0.id)) }
    }

    /// Returns the ids of some members, spread over all of them in the order in which they became known.
    ///
    /// - Complexity: O(`limit` · log(members)).
    package func someMembers(limit: Int) throws(Failure) -> [String] {
        let highest = try database.integer("SELECT max(user_key) FROM users") ?? 0
        let row = try database.prepare(
            "SELECT user_id, user_key FROM users WHERE user_key >= ? ORDER BY user_key LIMIT 1")
        var (ids, last): ([String], Int64) = ([], 0)
        for number in 0..<Int64(limit) {
            row.bind(max(last + 1, number * highest / Int64(limit) + 1), at: 1)
            guard try row.step() else { break }
            ids.append(row.text(0))
            last = row.integer(1)
            row.reset()
        }
        return ids
    }

    /// Returns the approximate size of a member's recorded interactions, in bytes.
    package func keptBytes(ofUser id: String) throws(Failure) -> Int {
        let row = try database.prepare(
            """
            SELECT total(\(RecordedAmount.bytesOfInteraction)
                + length(CAST(id AS BLOB)) + coalesce(length(CAST(recommendation_id AS BLOB)), 0)
                + coalesce(length(CAST(variant AS BLOB)), 0))
            FROM interactions
            WHERE user_key = (SELECT user_key FROM users WHERE user_id = ?1) AND is_forgotten = 0
            """)
        row.bind(id, at: 1)
        return try row.step() ? Int(row.optionalNumber(0) ?? 0) : 0
    }

    /// Returns the number of all members' interactions from a time on, inclusive, in Unix milliseconds.
    package func interactionCount(since instant: Int64) throws(Failure) -> Int {
        let row = try database.prepare(
            "SELECT count(*) FROM interactions WHERE occurred_at >= ? AND is_forgotten = 0")
        row.bind(instant, at: 1)
        return try row.step() ? Int(row.integer(0)) : 0
    }

    /// The SQL query for `InteractionRecord.all` with groups and pauses; its parameter is the user.
    private static let selectGroupInteractions = """
        SELECT id, kind, coalesce(group_id, ''), occurred_at, recommendation_id, position, variant, seconds
        FROM interactions JOIN users USING (user_key) LEFT JOIN groups USING (group_key)
        WHERE user_id = ? AND (group_id IS NOT NULL OR kind IN (\(Interaction.Kind.pauseNumbers)))
        """ + " "

    /// Applies all recorded events to a table of pairs again, after an import has written some pairs.
    ///
    /// Call it within the transaction of the import.
    ///
    /// - Returns: the number of pairs that the import has written and that a later event removed.
    func reapplyInteractions(to source: RelationSource) throws(Failure) -> Int {
        guard RelationSource.changed.contains(source) else { return 0 }
        let pairs = try database.prepare(
            """
            SELECT DISTINCT \(source.rowColumn), \(source.entryColumn) FROM interactions WHERE \(source.isChanged)
            """)
        let events = try PairEvents(database, source)
        var removed = 0
        while try pairs.step() {
            if try events.settle(row: pairs.integer(0), entry: pairs.integer(1)) { removed += 1 }
        }
        return removed
    }
}

extension CatalogSnapshot {
    /// Returns the column of a user or photo in a matrix of this snapshot, or `nil` if there is none with the id.
    package func column(of id: String, in table: EntityTable) throws(Failure) -> UInt32? {
        try catalog.key(of: id, in: table).map { UInt32(clamping: $0) }
    }

    /// Returns the columns of the users who agreed to be shown to others.
    package func listedUsers() throws(Failure) -> [UInt32] {
        try columns("SELECT user_key FROM users WHERE listed = 1")
    }

    /// Returns the columns of a user's own photos.
    package func photos(ofOwner user: UInt32) throws(Failure) -> [UInt32] {
        try columns("SELECT photo_key FROM photos WHERE user_key = ?1", Int64(user))
    }

    /// Returns the columns of the users who are not listed.
    package func unlistedUsers() throws(Failure) -> Set<UInt32> {
        Set(try columns("SELECT user_key FROM users WHERE listed = 0"))
    }

    /// Returns the keys in the first column of a query, whose only parameter is a number, if it has one.
    private func columns(_ query: String, _ value: Int64? = nil) throws(Failure) -> [UInt32] {
        let rows = try database.prepare(query)
        if let value { rows.bind(value, at: 1) }
        var columns: [UInt32] = []
        while try rows.step() { columns.append(UInt32(clamping: rows.integer(0))) }
        return columns
    }
}
