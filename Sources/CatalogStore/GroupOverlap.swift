public import Model
import SQLite

/// What another group has in common with a given one.
public struct Overlap: Sendable, Equatable {
    /// The other group's external id.
    public var groupID: String
    /// c: common public photos, or common members.
    public var common: Int
    /// n: the other group's public photos, or members.
    public var size: Int
    /// The sum of the weights of the common entries; 0 if no weights were asked for.
    public var weightSum: UInt64

    /// Counts.
    public init(groupID: String, common: Int, size: Int, weightSum: UInt64 = 0) {
        self.groupID = groupID
        self.common = common
        self.size = size
        self.weightSum = weightSum
    }
}

/// The weight of an entry as a function of the number of groups it is in.
public struct EntryWeights {
    /// Only shown groups with at least so many entries (inclusive) are counted.
    public var minimumEntries: Int
    /// The weight of an entry in so many groups.
    public var weight: (_ degree: Int) -> UInt32

    /// Weights.
    public init(minimumEntries: Int, weight: @escaping (_ degree: Int) -> UInt32) {
        self.minimumEntries = minimumEntries
        self.weight = weight
    }
}

/// What a group has in common with all shown groups.
public struct OverlapReport: Sendable, Equatable {
    /// n of the given group.
    public var size: Int
    /// Shown groups with at least the wanted number of common entries, in ascending order of the bytes of their ids.
    public var overlaps: [Overlap]
}

extension Catalog {
    /// Counts what a group has in common with every shown group, to compare it with a model version.
    ///
    /// - Parameters:
    ///   - group: the group, shown or not.
    ///   - source: by which relation; private photos do not count.
    ///   - minimumCommon: groups with fewer common entries are left out (inclusive).
    ///   - required: a group that is reported even if it has fewer.
    ///   - weights: the weights of common entries, if their sum is wanted; this reads all groups they are in.
    public func overlaps(
        of group: GroupRecord, in source: RelationSource, minimumCommon: Int,
        alwaysIncluding required: GroupRecord? = nil, weights: EntryWeights? = nil
    ) throws(CatalogError) -> OverlapReport {
        try wrapping { () throws(DatabaseError) in
            var counts = try GroupCounting(self, source)
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
            return OverlapReport(size: entries.count, overlaps: overlaps)
        }
    }
}
