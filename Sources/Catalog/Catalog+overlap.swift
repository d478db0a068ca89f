import SQLite

/// What another group has in common with a given one.
public struct Overlap: Sendable, Equatable {
    /// The other group's outside id.
    public var groupID: String
    /// c: common public photos, or common members.
    public var common: Int
    /// n: the other group's public photos, or members.
    public var size: Int

    /// Counts.
    public init(groupID: String, common: Int, size: Int) {
        self.groupID = groupID
        self.common = common
        self.size = size
    }
}

/// Everything that a group has in common with public groups.
public struct OverlapReport: Sendable, Equatable {
    /// n of the given group.
    public var size: Int
    /// Public groups with at least the wanted number of common entries, in ascending order of the bytes of their ids.
    public var overlaps: [Overlap]
}

extension Catalog {
    /// Counts afresh what a group has in common with every public group, for looking into a model version.
    ///
    /// - Parameters:
    ///   - group: the group, public or private.
    ///   - kind: by photos (public ones only) or by members.
    ///   - minimumCommon: groups with fewer common entries are left out (inclusive).
    ///   - required: a group that is reported even if it has fewer.
    public func overlaps(
        of group: GroupRecord, _ kind: MatrixKind, minimumCommon: Int, alwaysIncluding required: GroupRecord? = nil
    ) throws(CatalogError) -> OverlapReport {
        try wrapping { () throws(DatabaseError) in
            let entries = try visibleEntries(ofGroup: group.key, kind)
            var common: [Int64: Int] = required.map { [$0.key: 0] } ?? [:]
            let groupsOfEntry = try database.prepare(
                "SELECT group_key FROM \(kind.table.name) WHERE \(kind.table.entryColumn) = ?")
            for entry in entries {
                groupsOfEntry.bind(entry, at: 1)
                while try groupsOfEntry.step() { common[groupsOfEntry.integer(0), default: 0] += 1 }
            }
            common[group.key] = nil
            let description = try database.prepare("SELECT group_id, visibility FROM groups WHERE group_key = ?")
            var overlaps: [Overlap] = []
            for (key, count) in common where count >= minimumCommon || key == required?.key {
                description.bind(key, at: 1)
                guard try description.step() else { continue }
                if description.integer(1) == 0 || key == required?.key {
                    let size = try visibleEntries(ofGroup: key, kind).count
                    overlaps.append(Overlap(groupID: description.text(0), common: count, size: size))
                }
                description.reset()
            }
            overlaps.sort { $0.groupID.utf8.lexicographicallyPrecedes($1.groupID.utf8) }
            return OverlapReport(size: entries.count, overlaps: overlaps)
        }
    }

    /// The keys of a group's members, or of the public photos in its pool.
    private func visibleEntries(ofGroup key: Int64, _ kind: MatrixKind) throws(DatabaseError) -> [Int64] {
        let sql =
            switch kind {
            case .memberships: "SELECT user_key FROM memberships WHERE group_key = ?"
            case .pools:
                "SELECT photo_key FROM pools JOIN photos USING (photo_key) WHERE group_key = ? AND visibility = 0"
            }
        let rows = try database.prepare(sql)
        rows.bind(key, at: 1)
        var entries: [Int64] = []
        while try rows.step() { entries.append(rows.integer(0)) }
        return entries
    }
}
