import Model
import SQLite

/// Looks up groups and entries of one relation one at a time, and caches the groups.
struct GroupCounting {
    private let entriesOfGroup: Statement
    private let groupsOfEntry: Statement
    private let group: Statement
    private var known: [Int64: Description] = [:]

    /// What counting needs to know of a group.
    struct Description {
        var id: String
        var isShown: Bool
        /// Members, or public photos.
        var size: Int
    }

    init(_ catalog: Catalog, _ source: RelationSource) throws(DatabaseError) {
        let (table, entry, entity) = (source.table, source.entryColumn, source.entityTable)
        var visibleEntries = "SELECT \(entry) FROM \(table)"
        if entity.hasVisibility { visibleEntries += " JOIN \(entity.rawValue) USING (\(entry))" }
        visibleEntries += " WHERE group_key = ?"
        if entity.hasVisibility { visibleEntries += " AND visibility = 0" }
        entriesOfGroup = try catalog.database.prepare(visibleEntries)
        groupsOfEntry = try catalog.database.prepare("SELECT group_key FROM \(table) WHERE \(entry) = ?")
        group = try catalog.database.prepare(
            "SELECT group_id, \(CatalogSchema.isShown) FROM groups WHERE group_key = ?")
    }

    /// The keys of a group's members, or of the public photos in its pool.
    func visibleEntries(ofGroup key: Int64) throws(DatabaseError) -> [Int64] { try keys(entriesOfGroup, key) }

    /// The keys of all groups that an entry is in.
    func groups(ofEntry key: Int64) throws(DatabaseError) -> [Int64] { try keys(groupsOfEntry, key) }

    /// How many of the groups are shown and have at least `minimumEntries` entries (inclusive).
    mutating func shownGroups(_ keys: [Int64], withAtLeast minimumEntries: Int) throws(DatabaseError) -> Int {
        var count = 0
        for key in keys {
            if let group = try description(ofGroup: key), group.isShown, group.size >= minimumEntries { count += 1 }
        }
        return count
    }

    /// A group; nil if there is none.
    mutating func description(ofGroup key: Int64) throws(DatabaseError) -> Description? {
        if let description = known[key] { return description }
        group.bind(key, at: 1)
        guard try group.step() else { return nil }
        let description = Description(
            id: group.text(0), isShown: group.integer(1) != 0, size: try visibleEntries(ofGroup: key).count)
        group.reset()
        known[key] = description
        return description
    }

    private func keys(_ statement: Statement, _ key: Int64) throws(DatabaseError) -> [Int64] {
        statement.bind(key, at: 1)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }
}
