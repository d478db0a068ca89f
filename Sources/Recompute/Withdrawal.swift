package import CatalogStore
import Model
package import ModelStore

/// The groups that versions of a store have and that are not public any more, by a catalog.
///
/// A recompute, an import of groups and a removal tell the store, so that daemons without the catalog hide them.
package struct Withdrawal {
    private let store: any VersionStore
    /// All groups of the catalog, in ascending order of the bytes of their ids.
    private let groups: [GroupRecord]

    init(from store: any VersionStore, _ groups: [GroupRecord]) { (self.store, self.groups) = (store, groups) }

    /// Tells a store which groups of its versions a catalog shows no more, or shows again.
    ///
    /// Nothing is told if the newest version seems to come from another catalog. That is so if that one had more
    /// changes, or if this one lacks more than half of its groups.
    ///
    /// - Returns: the number of groups that are withdrawn now and were not before; `nil` if nothing was told.
    /// - Throws: `RecomputeError` if the catalog cannot be read, or the store cannot be read or written.
    @discardableResult
    package static func publish(to store: any VersionStore, from catalog: Catalog) throws(RecomputeError) -> Int? {
        let (groups, changeCount): ([GroupRecord], Int64)
        do throws(CatalogError) { (groups, changeCount) = (try catalog.groups(), try catalog.changeCount()) } catch {
            throw .catalog(error)
        }
        let withdrawal = Withdrawal(from: store, groups)
        do throws(StoreError) {
            guard let newest = try store.versions().last else { return 0 }
            let known = try withdrawal.known()
            guard let found = try withdrawal.find(known), found != known else { return 0 }
            let before = Set((known?.groupIDs ?? []).map(BytewiseString.init))
            let new = found.groupIDs.filter { !before.contains(BytewiseString($0)) }
            let removedCount = new.count { found.reason(forGroup: $0) == .removed }
            guard changeCount >= newest.catalog.changeCount, 2 * removedCount <= newest.groups.included else {
                return nil
            }
            try store.setWithdrawnGroups(found)
            return new.count
        } catch { throw .store(error) }
    }

    /// Returns the groups, or `nil` if there are no versions.
    func find() throws(StoreError) -> WithdrawnGroups? { try find(known()) }

    /// Finds the groups with the record of the last time.
    ///
    /// The record has the groups of the versions before it, except public ones that its newest version has. So only
    /// that version and later ones are read. A version that is damaged, or of another format, cannot serve, and is left
    /// out.
    private func find(_ earlier: WithdrawnGroups?) throws(StoreError) -> WithdrawnGroups? {
        let names = try store.versionNames()
        guard let oldest = names.first, let newest = names.last else { return nil }
        let newestModel = try readableModel(of: newest)
        // A public group that the newest version lacks stays in the record: it may turn private later.
        func isKept(_ id: String) -> Bool { reason(forGroup: id) != nil || newestModel?.index(ofID: id) == nil }
        var lastVersions = earlier?.lastVersions(since: oldest).filter { isKept($0.key.text) } ?? [:]
        for name in names where earlier.map({ name >= $0.through }) ?? true {
            guard let model = name == newest ? newestModel : try readableModel(of: name) else { continue }
            for id in (0..<model.groupCount).lazy.map({ model.id(of: $0) }) where isKept(id) {
                lastVersions[BytewiseString(id)] = name
            }
        }
        return WithdrawnGroups(lastVersions, through: newest) { reason(forGroup: $0) }
    }

    /// Returns the record of the last time, or `nil` if there is none or it is damaged; it is then made anew.
    private func known() throws(StoreError) -> WithdrawnGroups? {
        do throws(StoreError) { return try store.withdrawnGroups() } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    private func readableModel(of version: VersionName) throws(StoreError) -> ModelVersion? {
        do throws(StoreError) { return try store.load(version).model } catch {
            guard [.corrupt, .otherFormat, .unknownVersion].contains(error.code) else { throw error }
            return nil
        }
    }

    /// Returns the reason that a group is not shown for good, or `nil` if it is public; a hidden group may be public.
    private func reason(forGroup id: String) -> Concealment? {
        let place = groups.indices.partitioningIndex { !groups[$0].id.utf8.lexicographicallyPrecedes(id.utf8) }
        guard place < groups.endIndex, groups[place].id.hasSameBytes(as: id) else { return .removed }
        return Concealment(groups[place].visibility)
    }
}
