package import Basics
package import Model
import SQLite

extension Catalog {
    private static let groupColumns = """
        group_key, group_id, title, visibility, topics, join_policy, created_at, last_active_at,
        EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key)
        """

    private func group(from row: Statement) throws(Failure) -> GroupRecord {
        guard let joinPolicy = JoinPolicy(code: row.integer(5)) else {
            throw .damaged("group \(row.text(1)) has the join policy \(row.integer(5))")
        }
        return GroupRecord(
            id: row.text(1), title: row.text(2), visibility: Visibility(code: row.integer(3)),
            isHidden: row.integer(8) != 0,
            topics: row.text(4).split(separator: ";").map(String.init),
            joinPolicy: joinPolicy,
            createdAt: row.time(6), lastActiveAt: row.time(7), key: row.integer(0))
    }

    /// Returns all groups, public and private, in ascending order of the bytes of their external ids.
    package func groups() throws(Failure) -> [GroupRecord] {
        let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups ORDER BY group_id")
        var groups: [GroupRecord] = []
        while try rows.step() { groups.append(try group(from: rows)) }
        return groups
    }

    /// Returns the group with an external id, public or private, or `nil` if there is none.
    package func group(withID id: String) throws(Failure) -> GroupRecord? {
        let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups WHERE group_id = ?")
        rows.bind(id, at: 1)
        return try rows.step() ? try group(from: rows) : nil
    }
}

/// The visibility of a group or a photo.
package enum Visibility: String, Sendable, CaseIterable {
    /// Visible to everyone.
    case `public`
    /// Not visible to everyone: Coterie never uses or shows it.
    case `private`
    /// Not known, because only a relation names it: Coterie never uses or shows it; see `UndescribedRows`.
    case unknown

    /// The number in the catalog.
    var code: Int64 { self == .public ? 0 : self == .private ? 1 : 2 }

    init(code: Int64) { self = code == 0 ? .public : code == 2 ? .unknown : .private }
}

/// A group as stored in the catalog.
package struct GroupRecord: Sendable, Equatable {
    package var id: String
    /// The title, or empty if none was given.
    package var title: String
    package var visibility: Visibility
    /// Whether the site has hidden the group; independent of its visibility.
    package var isHidden: Bool
    package var topics: [String]
    /// The way in which users become members.
    package var joinPolicy: JoinPolicy
    /// The time at which it was founded, in Unix seconds.
    package var createdAt: Int64?
    /// The time of the last activity in it, in Unix seconds.
    package var lastActiveAt: Int64?
    /// The key within the catalog.
    let key: Int64

    /// Whether the group is used and shown: public and not hidden.
    package var isShown: Bool { visibility == .public && !isHidden }
}

/// A caller's index for each group.
///
/// The indexes let a caller read the memberships of many users without looking up the groups.
package struct GroupIndexes: Sendable {
    /// The mark of a group without an index.
    fileprivate static let none = UInt32.max

    /// The indexes by group key.
    fileprivate let indexes: [UInt32]
    /// The value of `Catalog.changeCount` when the groups were read.
    fileprivate let changeCount: Int64
}

/// A user's memberships by the indexes of groups.
package struct IndexedMember: Sendable {
    /// The stated interests, as imported.
    package var interests: [String]
    /// The groups that have an index, in no particular order, with the join times in Unix seconds, if known.
    package var memberships: [(group: UInt32, joinedAt: Int64?)]
}

extension Catalog {
    /// Returns the indexes of all groups.
    ///
    /// - Parameter index: a function that returns the index of an external id, below 2³² − 1, or `nil` for no index.
    /// - Complexity: O(groups).
    package func groupIndexes(_ index: (_ id: String) -> UInt32?) throws(Failure) -> GroupIndexes {
        let changeCount = try changeCount()
        // An implausible highest key throws an error, because every key takes memory.
        _ = try highestKey(of: .groups)
        let rows = try database.prepare("SELECT group_key, group_id FROM groups ORDER BY group_key")
        var indexes: [UInt32] = []
        while try rows.step() {
            let key = rows.integer(0)
            guard key >= indexes.count, key <= Self.keyLimit else {
                throw .damaged("the keys of groups are out of order or bounds")
            }
            indexes += repeatElement(GroupIndexes.none, count: Int(key) - indexes.count)
            indexes.append(index(rows.text(1)) ?? GroupIndexes.none)
        }
        return GroupIndexes(indexes: indexes, changeCount: changeCount)
    }

    /// Whether the indexes still match the groups.
    ///
    /// After a change, a group may have the key of another group that was removed.
    package func isCurrent(_ groups: GroupIndexes) throws(Failure) -> Bool {
        try changeCount() == groups.changeCount
    }

    /// Returns a user with the groups that have an index; the indexes must be current.
    ///
    /// - Returns: the user, or `nil` if there is none.
    package func member(withID id: String, in groups: GroupIndexes) throws(Failure) -> IndexedMember? {
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

/// Looks up groups and entries of one relation one by one, and caches the groups.
struct GroupCounting {
    private let entriesOfGroup: Statement
    private let groupsOfEntry: Statement
    private let group: Statement
    private var known: [Int64: Description] = [:]

    /// The facts about a group that counting needs.
    struct Description {
        var id: String
        var isShown: Bool
        /// The number of members, or of public photos.
        var size: Int
    }

    init(_ catalog: Catalog, _ source: RelationSource) throws(Failure) {
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

    /// Returns the keys of a group's members, or of the public photos in its pool.
    func visibleEntries(ofGroup key: Int64) throws(Failure) -> [Int64] { try keys(entriesOfGroup, key) }

    /// Returns the keys of all groups that an entry is in.
    func groups(ofEntry key: Int64) throws(Failure) -> [Int64] { try keys(groupsOfEntry, key) }

    /// Returns the number of these groups that are shown and have at least `minimumEntries` entries (inclusive).
    mutating func shownGroups(_ keys: [Int64], withAtLeast minimumEntries: Int) throws(Failure) -> Int {
        var count = 0
        for key in keys {
            if let group = try description(ofGroup: key), group.isShown, group.size >= minimumEntries { count += 1 }
        }
        return count
    }

    /// Returns the facts about a group, or `nil` if there is none.
    mutating func description(ofGroup key: Int64) throws(Failure) -> Description? {
        if let description = known[key] { return description }
        group.bind(key, at: 1)
        guard try group.step() else { return nil }
        let description = Description(
            id: group.text(0), isShown: group.integer(1) != 0, size: try visibleEntries(ofGroup: key).count)
        group.reset()
        known[key] = description
        return description
    }

    private func keys(_ statement: Statement, _ key: Int64) throws(Failure) -> [Int64] {
        statement.bind(key, at: 1)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.integer(0)) }
        return keys
    }
}

/// A set of small non-negative integers, one bit each.
struct BitSet: Sendable {
    private var words: [UInt64]

    /// Creates an empty set with memory for numbers below `count`.
    init(count: Int) { words = [UInt64](repeating: 0, count: (max(0, count) + 63) / 64) }

    /// Adds a number; the set grows as needed.
    mutating func insert(_ number: Int) {
        if number >> 6 >= words.count {
            words += [UInt64](repeating: 0, count: max(words.count, (number >> 6) + 1 - words.count))
        }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    /// Whether the set contains a number.
    func contains(_ number: Int) -> Bool {
        number >= 0 && number >> 6 < words.count && words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }
}

extension Concealment {
    /// Creates the reason that follows from a visibility; nil for public groups.
    package init?(_ visibility: Visibility) {
        switch visibility {
        case .public: return nil
        case .private: self = .private
        case .unknown: self = .undescribed
        }
    }
}
