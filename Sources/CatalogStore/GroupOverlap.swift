package import Basics
package import Model
import SQLite

/// The common entries of another group and a given group.
package struct Overlap: Sendable, Equatable {
    /// The other group's external id.
    package var groupID: String
    /// c: the number of common public photos, or of common members.
    package var common: Int
    /// n: the number of the other group's public photos, or of its members.
    package var size: Int
    /// The sum of the weights of the common entries, or 0 without weights.
    package var weightSum: UInt64

    package init(groupID: String, common: Int, size: Int, weightSum: UInt64 = 0) {
        self.groupID = groupID
        self.common = common
        self.size = size
        self.weightSum = weightSum
    }
}

/// The weight of an entry as a function of the number of groups it is in.
package struct EntryWeights {
    /// The least number of entries of a group that counts, inclusive; only shown groups count.
    package var minimumEntries: Int
    /// The weight of an entry that is in `degree` groups.
    package var weight: (_ degree: Int) -> UInt32

    package init(minimumEntries: Int, weight: @escaping (_ degree: Int) -> UInt32) {
        self.minimumEntries = minimumEntries
        self.weight = weight
    }
}

/// The overlaps of a group with all shown groups.
package struct OverlapReport: Sendable, Equatable {
    /// n of the given group.
    package var size: Int
    /// The shown groups with enough common entries, in ascending order of the bytes of their ids.
    package var overlaps: [Overlap]
}

extension OverlapReport {
    /// Counts the common entries of a group and every shown group, to compare them with a model version.
    ///
    /// - Parameters:
    ///   - group: the group, shown or not.
    ///   - source: a relation of the catalog; private photos do not count.
    ///   - minimumCommon: the least number of common entries of a group in the report, inclusive.
    ///   - required: a group that is always in the report.
    ///   - weights: the weights of common entries, or `nil` if no sums are needed. With weights, all groups of the
    ///     common entries are read.
    package init(
        of group: GroupRecord, in source: RelationSource, of catalog: Facts, minimumCommon: Int,
        alwaysIncluding required: GroupRecord? = nil, weights: EntryWeights? = nil
    ) throws(Failure) {
        var counts = try GroupCounting(catalog, source)
        let entries = try counts.visibleEntries(ofGroup: group.key)
        var found: [Int64: (common: Int, weightSum: UInt64)] = required.map { [$0.key: (0, 0)] } ?? [:]
        for entry in entries {
            let groups = try counts.groups(ofEntry: entry)
            var weight: UInt64 = 0
            if let weights {
                weight = UInt64(
                    weights.weight(try counts.shownGroups(groups, withAtLeast: weights.minimumEntries)))
            }
            for key in groups {
                let before = found[key] ?? (0, 0)
                found[key] = (before.common + 1, before.weightSum + weight)
            }
        }
        found[group.key] = nil
        var overlaps: [Overlap] = []
        for (key, sums) in found where sums.common >= minimumCommon || key == required?.key {
            guard let other = try counts.description(ofGroup: key), other.isShown || key == required?.key else {
                continue
            }
            overlaps.append(
                Overlap(groupID: other.id, common: sums.common, size: other.size, weightSum: sums.weightSum))
        }
        overlaps.sort { $0.groupID.utf8.lexicographicallyPrecedes($1.groupID.utf8) }
        self.init(size: entries.count, overlaps: overlaps)
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

    init(_ catalog: Facts, _ source: RelationSource) throws(Failure) {
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
        return try statement.map { $0.integer(0) }
    }
}
