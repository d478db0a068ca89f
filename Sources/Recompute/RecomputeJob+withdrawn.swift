import CatalogStore
import Model
import ModelStore

extension RecomputeJob {
    /// Returns the groups that versions of the store have and that are not public any more, or `nil` if there are no
    /// versions.
    ///
    /// The record of the last recompute has the groups of the versions before it, except public ones that its newest
    /// version has. So only that version and later ones are read. A version that is damaged, or of another format,
    /// cannot serve, and is left out.
    ///
    /// - Parameter groups: all groups of the catalog, in ascending order of the bytes of their ids.
    func withdrawnGroups(_ groups: [GroupRecord]) throws(RecomputeError) -> WithdrawnGroups? {
        do throws(StoreError) {
            let names = try store.versionNames()
            guard let oldest = names.first, let newest = names.last else { return nil }
            let (earlier, newestModel) = (try knownWithdrawnGroups(), try readableModel(of: newest))
            // A public group that the newest version lacks stays in the record: it may turn private later.
            func isKept(_ id: String) -> Bool {
                Self.reason(forGroup: id, groups) != nil || newestModel?.index(ofID: id) == nil
            }
            var lastVersions = earlier?.lastVersions(since: oldest).filter { isKept($0.key.text) } ?? [:]
            for name in names where earlier.map({ name >= $0.through }) ?? true {
                guard let model = name == newest ? newestModel : try readableModel(of: name) else { continue }
                for id in (0..<model.groupCount).lazy.map({ model.id(of: $0) }) where isKept(id) {
                    lastVersions[BytewiseString(id)] = name
                }
            }
            return WithdrawnGroups(lastVersions, through: newest) { Self.reason(forGroup: $0, groups) }
        } catch { throw .store(error) }
    }

    /// Returns the record of the last recompute, or `nil` if there is none or it is damaged; it is then made anew.
    private func knownWithdrawnGroups() throws(StoreError) -> WithdrawnGroups? {
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
    private static func reason(forGroup id: String, _ groups: [GroupRecord]) -> Concealment? {
        let place = groups.indices.partitioningIndex { !groups[$0].id.utf8.lexicographicallyPrecedes(id.utf8) }
        guard place < groups.endIndex, groups[place].id.hasSameBytes(as: id) else { return .removed }
        return Concealment(groups[place].visibility)
    }
}
