public import Model
import SQLite

/// What changes whenever groups are removed, or one is added.
public struct GroupRevision: Sendable, Equatable {
    /// How often groups were removed; 0 if that never happened.
    public var removals: Int64
    /// The greatest key of a group; 0 without any.
    var latestKey: Int64
}

extension Catalog {
    /// The present revision of the groups.
    ///
    /// - Complexity: O(log groups).
    public func groupRevision() throws(CatalogError) -> GroupRevision {
        try wrapping { () throws(DatabaseError) in
            GroupRevision(
                removals: try database.integer("SELECT value FROM catalog_state WHERE name = 'groupRemovals'") ?? 0,
                latestKey: try database.integer("SELECT max(group_key) FROM groups") ?? 0)
        }
    }

    /// The groups of a version that the catalog does not have any more.
    ///
    /// - Complexity: O(groups · log groups).
    public func missingGroups(of model: ModelVersion) throws(CatalogError) -> Set<UInt32> {
        try wrapping { () throws(DatabaseError) in
            var isHere = [Bool](repeating: false, count: model.groupCount)
            let ids = try database.prepare("SELECT group_id FROM groups")
            while try ids.step() { if let group = model.index(ofID: ids.text(0)) { isHere[group] = true } }
            return Set(isHere.indices.lazy.filter { !isHere[$0] }.map { UInt32($0) })
        }
    }

    /// Notes that groups were removed; within the transaction that does so.
    func noteGroupRemoval() throws(DatabaseError) {
        try database.execute(
            """
            INSERT INTO catalog_state VALUES ('groupRemovals', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
            """)
    }
}
