/// The reason why a group is not shown; the raw values are for people, and for the files of a store.
package enum Concealment: String, Codable, Sendable {
    /// The site hides the group.
    case hidden
    /// The group is private now.
    case `private`
    /// No file of groups describes the group any more.
    case undescribed
    /// The group was removed, or has another id, or has a reason that this program does not know.
    case removed

    package init(from decoder: any Decoder) throws {
        self = Concealment(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .removed
    }
}

/// The groups in versions of a store that are private, undescribed or removed by now.
///
/// No version may show them.
///
/// Daemons without a catalog hide them. Each recompute finds them anew, before it publishes a version. The record also
/// has the public groups that the newest version lacks, so that they are known when they turn private later.
package struct WithdrawnGroups: Codable, Sendable, Equatable {
    /// Groups in the same state that the same version was the last to have.
    package struct Batch: Codable, Sendable, Equatable {
        /// The newest version that has the groups.
        package var lastVersion: VersionName
        /// The reason, or nil if the groups are public.
        package var reason: Concealment?
        /// The external ids, in ascending order of their bytes.
        package var groupIds: [String]
    }

    /// The newest version whose groups were compared with the catalog.
    package private(set) var through: VersionName
    /// The groups, in the order of their last versions and reasons.
    package private(set) var batches: [Batch]

    /// Creates the record.
    ///
    /// - Parameters:
    ///   - lastVersions: the newest version that has a group, by the group's external id.
    ///   - through: the newest version whose groups are there.
    ///   - reason: returns the reason that a group is not shown, or nil if it is public.
    package init(
        _ lastVersions: [BytewiseString: VersionName], through: VersionName, reason: (String) -> Concealment?
    ) {
        var found: [VersionName: [Concealment?: [String]]] = [:]
        for (id, version) in lastVersions {
            found[version, default: [:]][reason(id.text), default: []].append(id.text)
        }
        self.through = through
        batches = found.sorted { $0.key < $1.key }.flatMap { version, reasons in
            reasons.sorted { $0.key?.rawValue ?? "" < $1.key?.rawValue ?? "" }.map { reason, ids in
                Batch(
                    lastVersion: version, reason: reason,
                    groupIds: ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            }
        }
    }

    /// The external ids of the groups that must not be shown.
    package var groupIDs: [String] { batches.filter { $0.reason != nil }.flatMap(\.groupIds) }

    /// The newest version that has each group of the record, for groups that a version from `oldest` on has.
    package func lastVersions(since oldest: VersionName) -> [BytewiseString: VersionName] {
        var found: [BytewiseString: VersionName] = [:]
        for batch in batches where batch.lastVersion >= oldest {
            for id in batch.groupIds { found[BytewiseString(id)] = batch.lastVersion }
        }
        return found
    }

    /// Returns the reason that a group is withdrawn, or nil if it is not.
    ///
    /// - Complexity: O(batches · log groups).
    package func reason(forGroup id: String) -> Concealment? {
        for batch in batches.reversed() where batch.reason != nil {
            if batch.groupIds.containsSorted(id) { return batch.reason }
        }
        return nil
    }
}
