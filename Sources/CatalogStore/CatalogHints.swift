public import Model
import Recommendation
import SQLite

/// The groups that a member's favourite photos and followed members point to, read from the catalog.
extension Catalog {
    /// Returns the hints of a member, in the order of the kinds, then of the groups.
    ///
    /// Only public photos, shown groups and members who may be listed count. Kinds that no list uses are not read.
    func hints(ofUser id: String, for planner: Planner) throws(CatalogError) -> [GroupHint] {
        let (model, tables) = (planner.model, relations)
        let wanted = planner.configuration.evidence.filter { evidence in
            evidence.weight > 0 && tables.memberTables.contains(evidence.kind.source)
        }
        guard !wanted.isEmpty else { return [] }
        return try wrapping { () throws(DatabaseError) in
            guard let key = try key(of: id, in: .users) else { return [] }
            var hints: [GroupHint] = []
            for evidence in wanted {
                let rows = try database.prepare(evidence.kind.groupsOfEntries)
                rows.bind(key, at: 1)
                var (groups, last) = ([[UInt32]](), Int64.min)
                while try rows.step() {
                    if rows.integer(0) != last { groups.append([]) }
                    last = rows.integer(0)
                    // A version may be older than a group.
                    guard let group = model.index(ofID: rows.text(1)) else { continue }
                    groups[groups.count - 1].append(UInt32(group))
                }
                let sizes = { (group: UInt32) in planner.configuration.relations.size(of: group, evidence.kind, model) }
                let found =
                    switch evidence.kind {
                    case .favourites:
                        HintFormula.hints(ofPhotosIn: groups, groupCount: model.groupCount, sizes: sizes)
                    case .follows: HintFormula.hints(ofMembersIn: groups, sizes: sizes)
                    }
                hints += found
            }
            return hints
        }
    }
}

extension EvidenceKind {
    /// The table of what members tell.
    public var source: RelationSource {
        switch self {
        case .favourites: .favourites
        case .follows: .follows
        }
    }

    /// The SQL that returns the shown groups of each favourite photo, or of each followed member, of the user `?1`.
    fileprivate var groupsOfEntries: String {
        switch self {
        case .favourites:
            """
            SELECT photo_key, group_id FROM favourites JOIN photos USING (photo_key) JOIN pools USING (photo_key)
            JOIN groups USING (group_key)
            WHERE favourites.user_key = ?1 AND photos.visibility = 0 AND \(CatalogSchema.isShown)
            ORDER BY photo_key
            """
        case .follows:
            """
            SELECT followed_key, group_id FROM follows JOIN users ON users.user_key = followed_key
            JOIN memberships ON memberships.user_key = followed_key JOIN groups USING (group_key)
            WHERE follows.user_key = ?1 AND followed_key <> ?1 AND listed IS NOT 0 AND \(CatalogSchema.isShown)
            ORDER BY followed_key
            """
        }
    }
}

extension CatalogSnapshot {
    /// Returns whether a table of pairs has any row.
    public func hasRows(_ source: RelationSource) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            try database.integer("SELECT EXISTS (SELECT 1 FROM \(source.table))") == 1
        }
    }

    /// Returns the columns of the users who are not listed, in a matrix of this snapshot.
    public func unlistedUsers() throws(CatalogError) -> Set<UInt32> {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT user_key FROM users WHERE listed = 0")
            var found: Set<UInt32> = []
            while try rows.step() { found.insert(UInt32(clamping: rows.integer(0))) }
            return found
        }
    }
}
