import SQLite

/// The indexes that a caller has given to groups, by which the memberships of many users are read without looking up
/// their groups.
public struct GroupIndexes: Sendable {
    /// What stands for a group without an index.
    fileprivate static let none = UInt32.max

    /// By group key.
    fileprivate let indexes: [UInt32]
    /// `Catalog.changeCount` when the groups were read.
    fileprivate let changeCount: Int64
}

/// A user's memberships by the indexes of groups.
public struct IndexedMember: Sendable {
    /// Stated interests, as imported.
    public var interests: [String]
    /// The groups that have an index, in no particular order, and when they were joined in Unix seconds, if known.
    public var memberships: [(group: UInt32, joinedAt: Int64?)]
}

extension Catalog {
    /// The indexes of all groups.
    ///
    /// - Parameter index: the index of an external id, below 2³² − 1; nil to leave the group out.
    /// - Complexity: O(groups).
    public func groupIndexes(_ index: (_ id: String) -> UInt32?) throws(CatalogError) -> GroupIndexes {
        let changeCount = try changeCount()
        // Throws if it is incredible: there must be memory for every key.
        _ = try highestKey(of: .groups)
        let indexes: [UInt32]? = try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT group_key, group_id FROM groups ORDER BY group_key")
            var indexes: [UInt32] = []
            while try rows.step() {
                let key = rows.integer(0)
                guard key >= indexes.count, key <= Self.keyLimit else { return nil }
                indexes += repeatElement(GroupIndexes.none, count: Int(key) - indexes.count)
                indexes.append(index(rows.text(1)) ?? GroupIndexes.none)
            }
            return indexes
        }
        guard let indexes else { throw .damaged("the keys of groups are out of order or bounds") }
        return GroupIndexes(indexes: indexes, changeCount: changeCount)
    }

    /// Whether the groups are those of the indexes; a group may since have got the key of another that was removed.
    public func isCurrent(_ groups: GroupIndexes) throws(CatalogError) -> Bool {
        try changeCount() == groups.changeCount
    }

    /// A user with the groups that have an index; the indexes must be current.
    ///
    /// - Returns: nil if there is no such user.
    public func member(withID id: String, in groups: GroupIndexes) throws(CatalogError) -> IndexedMember? {
        try wrapping { () throws(DatabaseError) in
            let user = try database.prepare("SELECT user_key, interests FROM users WHERE user_id = ?")
            user.bind(id, at: 1)
            guard try user.step() else { return nil }
            let rows = try database.prepare("SELECT group_key, joined_at FROM memberships WHERE user_key = ?")
            rows.bind(user.integer(0), at: 1)
            var memberships: [(group: UInt32, joinedAt: Int64?)] = []
            while try rows.step() {
                let key = Int(rows.integer(0))
                guard groups.indexes.indices.contains(key), groups.indexes[key] != GroupIndexes.none else { continue }
                memberships.append((groups.indexes[key], rows.time(1)))
            }
            return IndexedMember(
                interests: user.text(1).split(separator: ";").map(String.init), memberships: memberships)
        }
    }
}
