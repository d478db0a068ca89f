package import Basics
import Glibc
package import Model
import SQLite

/// A rule for the memberships that are held out of learning.
package enum HoldOutRule: Sendable, Equatable {
    /// A share of each member's groups, above 0 and below 1, chosen by a hash.
    ///
    /// The number of groups is rounded down, but is at least one for members with two or more groups. Members with one
    /// group keep it.
    case share(Double)
    /// The group that each member with two or more groups joined last.
    ///
    /// Unknown times count as the earliest. A member with unknown times only keeps all groups. Among groups joined at
    /// the same time, a hash chooses, because the order of groups in a file may tell of their size or subject.
    case last
    /// All memberships with a join time at or after this Unix second, and with them everything else from then on.
    ///
    /// The copy is the catalog as it would have been at that moment. It has no later entries of any relation, no later
    /// photos and groups, and nothing that members did later. Rows without a time count as earlier ones. Stated
    /// interests are left out unless the time of the statement is known and earlier.
    case after(Int64)
}

extension HoldOutRule {
    /// Writes a copy of a catalog without the memberships that the rule holds out, and without their interactions.
    ///
    /// The rule can also be applied to another table. Favourites and follows are held out member by member, pool
    /// entries photo by photo.
    ///
    /// - Parameter path: the path of the copy, which must not exist yet.
    /// - Returns: the number of entries held out.
    package func copy(_ catalog: Facts, to path: String, of source: RelationSource = .memberships)
        throws(Failure) -> Int
    {
        try catalog.database.copy(to: path)
        let copy = try Catalog(path: path, mode: .writing, relations: catalog.relations)
        return try copy.database.transaction { () throws(Failure) in
            let count = try apply(to: copy, source)
            if case .after(let moment) = self { try Self.cut(copy, at: moment) }
            return count
        }
    }

    private func apply(to copy: Catalog, _ source: RelationSource) throws(Failure) -> Int {
        let database = copy.database
        var removals = [
            try database.prepare(
                "DELETE FROM \(source.table) WHERE \(source.thingColumn) = ? AND \(source.holderColumn) = ?")
        ]
        if RelationSource.changed.contains(source) {
            removals.append(
                try database.prepare("DELETE FROM interactions WHERE \(source.thingColumn) = ? AND user_key = ?"))
        }
        var count = 0
        for (holder, thing) in try heldOut(of: source, copy.facts) {
            for statement in removals {
                try statement.run(thing, holder)
            }
            count += 1
        }
        try copy.recordChanges(Int64(count))
        return count
    }

    /// The rows that a catalog did not have before a moment, by table, as conditions of SQL.
    ///
    /// - Parameter moment: the moment in Unix seconds.
    private static func laterRows(_ relations: RelationTable, from moment: Int64)
        -> [(table: String, condition: String)]
    {
        [
            ("interactions", "occurred_at >= \(moment * 1000)"), ("exposures", "first_at >= \(moment * 1000)"),
            ("curated_groups", "starts_at >= \(moment)"),
        ] + relations.sources.map { ($0.table, "\($0.timeColumn) >= \(moment)") }
    }

    /// The groups and photos that did not exist before a moment, which are like those that nobody may see.
    private static func laterThings(from moment: Int64) -> [(table: String, condition: String)] {
        [("groups", "created_at >= \(moment)"), ("photos", "coalesce(uploaded_at, taken_at) >= \(moment)")]
    }

    /// Removes everything from a moment on, in Unix seconds; hidden groups stay hidden.
    private static func cut(_ copy: Catalog, at moment: Int64) throws(Failure) {
        for (table, condition) in laterThings(from: moment) {
            try copy.database.run("UPDATE \(table) SET visibility = 1 WHERE \(condition)")
        }
        for (table, condition) in laterRows(copy.relations, from: moment) {
            try copy.database.run("DELETE FROM \(table) WHERE \(condition)")
        }
        // The last activity before the moment is not known.
        try copy.database.run("UPDATE groups SET last_active_at = NULL WHERE last_active_at >= ?", moment)
        try copy.database.run(
            "UPDATE users SET interests = NULL WHERE (interests_stamp < ?) IS NOT TRUE", moment * 1000)
        try copy.recordChanges(1)
    }

    /// Returns a connection that shows a catalog without what the rule holds out; there is no copy.
    ///
    /// Temporary views of the connection stand before the tables. Only the rule `after` can do that.
    package func past(ofCatalog path: String, relations: RelationTable) throws(Failure) -> Facts {
        guard case .after(let moment) = self else { preconditionFailure("only a moment has a past") }
        let past = try Catalog(path: path, mode: .trying, relations: relations)
        try past.database.execute("PRAGMA temp_store = MEMORY")
        for (table, condition) in Self.laterThings(from: moment) + Self.laterRows(relations, from: moment) {
            try past.database.execute(
                "CREATE TEMP VIEW \(table) AS SELECT * FROM main.\(table) WHERE (\(condition)) IS NOT TRUE")
        }
        try past.database.execute(
            """
            CREATE TEMP VIEW users AS SELECT user_key, user_id, name, listed, interests_stamp,
                CASE WHEN interests_stamp < \(moment * 1000) THEN interests END AS interests
            FROM main.users
            """)
        return past.facts
    }

    private func heldOut(of source: RelationSource, _ catalog: Facts) throws(Failure)
        -> [(holder: Int64, thing: Int64)]
    {
        let rows = try catalog.database.prepare(
            """
            SELECT \(source.holderColumn), \(source.thingColumn), \(source.timeColumn) FROM \(source.table)
            ORDER BY \(source.holderColumn), \(source.thingColumn)
            """)
        var chosen: [(holder: Int64, thing: Int64)] = []
        var user: Int64?
        var groups: [(group: Int64, joinedAt: Int64?)] = []
        func choose() {
            guard let user else { return }
            chosen += heldOut(of: groups, ofUser: user).map { (user, $0) }
        }
        while try rows.step() {
            if rows.integer(0) != user {
                choose()
                user = rows.integer(0)
                groups = []
            }
            groups.append((rows.integer(1), rows.optionalInteger(2)))
        }
        choose()
        return chosen
    }

    /// Returns the groups of a user that the rule holds out.
    ///
    /// - Parameters:
    ///   - groups: the user's groups with their join times in Unix seconds.
    ///   - fold: the validation fold. If the rule is a share, each fold holds out other groups of the user.
    func heldOut(of groups: [(group: Int64, joinedAt: Int64?)], ofUser user: Int64, fold: Int = 0) -> [Int64] {
        switch self {
        case .share(let share):
            guard groups.count > 1 else { return [] }
            let count = max(1, Int((share * Double(groups.count)).rounded(.down)))
            let ranked = groups.map { ($0.group, Self.hash(user, $0.group)) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
            return (0..<count).map { ranked[(fold * count + $0) % ranked.count].0 }
        case .last:
            guard groups.count > 1 else { return [] }
            let last = groups.max {
                ($0.joinedAt ?? .min, Self.hash(user, $0.group)) < ($1.joinedAt ?? .min, Self.hash(user, $1.group))
            }
            return last.flatMap { $0.joinedAt == nil ? nil : [$0.group] } ?? []
        case .after(let moment): return groups.filter { $0.joinedAt ?? .min >= moment }.map(\.group)
        }
    }

    /// Returns a hash of a pair, which is the same in every run; similar pairs have unrelated hashes.
    private static func hash(_ user: Int64, _ group: Int64) -> UInt64 {
        var mixed = UInt64(bitPattern: user) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: group)
        // Both shifts are 30, unlike in SplitMix64: another hash would hold out other pairs than earlier programs.
        for factor in [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB] as [UInt64] {
            mixed = (mixed ^ (mixed >> 30)) &* factor
        }
        return mixed ^ (mixed >> 31)
    }
}

extension RelationSource {
    /// The column of the member or photo whose things are held out.
    fileprivate var holderColumn: String { rows == .users ? rowColumn : entryColumn }
    /// The column of the groups, photos or members that are held out.
    fileprivate var thingColumn: String { rows == .users ? entryColumn : rowColumn }
}
