import Model
import SQLite

extension Catalog {
    private static let groupColumns = """
        group_key, group_id, title, visibility, topics, join_policy, created_at, last_active_at,
        EXISTS (SELECT 1 FROM hidden_groups WHERE hidden_groups.group_key = groups.group_key)
        """

    private func group(from row: Statement) -> GroupRecord {
        GroupRecord(
            id: row.text(1), title: row.text(2), visibility: Visibility(code: row.integer(3)),
            isHidden: row.integer(8) != 0,
            topics: row.text(4).split(separator: ";").map(String.init),
            joinPolicy: GroupJoinPolicy(code: row.integer(5)),
            createdAt: row.time(6), lastActiveAt: row.time(7), key: row.integer(0))
    }

    /// All groups, public and private, in ascending order of the bytes of their external ids.
    public func groups() throws(CatalogError) -> [GroupRecord] {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups ORDER BY group_id")
            var groups: [GroupRecord] = []
            while try rows.step() { groups.append(group(from: rows)) }
            return groups
        }
    }

    /// The group with an external id, public or private; nil if there is none.
    public func group(withID id: String) throws(CatalogError) -> GroupRecord? {
        try wrapping { () throws(DatabaseError) in
            let rows = try database.prepare("SELECT \(Self.groupColumns) FROM groups WHERE group_id = ?")
            rows.bind(id, at: 1)
            return try rows.step() ? group(from: rows) : nil
        }
    }
}

/// Who may see a group or a photo.
public enum Visibility: String, Sendable, CaseIterable {
    /// Everyone.
    case `public`
    /// Not everyone: Coterie never uses or shows it.
    case `private`
    /// Nobody has said: only a relation names it. Coterie never uses or shows it either; see `UndescribedRows`.
    case unknown

    /// How the catalog stores it.
    var code: Int64 { self == .public ? 0 : self == .private ? 1 : 2 }

    init(code: Int64) { self = code == 0 ? .public : code == 2 ? .unknown : .private }
}

/// How users become members of a group.
public enum GroupJoinPolicy: String, Sendable, CaseIterable {
    /// Anyone may join.
    case open
    /// A moderator approves.
    case approval
    /// By invitation only.
    case invite

    /// How the catalog stores it.
    public var code: Int64 { self == .open ? 0 : self == .approval ? 1 : 2 }

    init(code: Int64) { self = code == 1 ? .approval : code == 2 ? .invite : .open }
}

/// A group as the catalog has it.
public struct GroupRecord: Sendable, Equatable {
    /// The external id.
    public var id: String
    /// The title; empty if none was given.
    public var title: String
    /// Who sees it.
    public var visibility: Visibility
    /// Whether the site has hidden it, whatever its visibility.
    public var isHidden: Bool
    /// What it is about.
    public var topics: [String]
    /// How users become members.
    public var joinPolicy: GroupJoinPolicy
    /// When it was founded, in Unix seconds.
    public var createdAt: Int64?
    /// When something last happened in it, in Unix seconds.
    public var lastActiveAt: Int64?
    /// The catalog's own key.
    let key: Int64

    /// Whether it is used and shown: public, and not hidden.
    public var isShown: Bool { visibility == .public && !isHidden }
}

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

/// A set of small non-negative integers, a bit each.
struct BitSet: Sendable {
    private var words: [UInt64]

    /// A set of numbers below `count`, empty.
    init(count: Int) { words = [UInt64](repeating: 0, count: (max(0, count) + 63) / 64) }

    /// Adds a number, growing if need be.
    mutating func insert(_ number: Int) {
        if number >> 6 >= words.count {
            words += [UInt64](repeating: 0, count: max(words.count, (number >> 6) + 1 - words.count))
        }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    /// Whether a number is in it.
    func contains(_ number: Int) -> Bool {
        number >= 0 && number >> 6 < words.count && words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }
}
