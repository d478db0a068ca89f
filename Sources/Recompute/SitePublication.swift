import Basics
package import CatalogStore
import Model
package import ModelStore

/// The state of a site, as a catalog has it, on its way to a store.
///
/// Whoever changes the catalog publishes it, so that daemons without the catalog obey.
package struct SitePublication {
    private let store: any VersionStore
    /// All groups of the catalog, in ascending order of the bytes of their ids.
    private let groups: [GroupRecord]
    /// The part that the versions do not matter for.
    private let decided: PublishedSite

    /// Reads a catalog that nobody changes meanwhile, such as one in a snapshot.
    ///
    /// - Parameter groups: all groups of the catalog.
    init(of catalog: Facts, _ groups: [GroupRecord], for store: any VersionStore) throws(Failure) {
        self.store = store
        self.groups = groups
        decided = PublishedSite(
            taken: try catalog.appliedChanges(), hidden: try catalog.hiddenGroups(),
            curations: try catalog.curations())
    }

    /// Writes the state of a catalog to a store that has versions and another state.
    ///
    /// - Returns: a warning if that could not be done.
    package static func publish(to store: any VersionStore, from catalog: Facts) -> String? {
        do throws(Failure) {
            guard try !write(to: store, from: catalog) else { return nil }
            return """
                the newest version in \(store.location) comes from another catalog, or from a later state than \
                \(catalog.path) has, so daemons without a catalog were not told what the site has decided since. \
                After a restore, the next recompute tells them. A copy of a catalog needs a store of its own, such as \
                another database: name it with --store
                """
        } catch {
            return """
                \(store.location) was not told what the site has decided, and which groups are private by now: \
                \(error). Daemons without a catalog do not know it until the next "coterie apply" or recompute
                """
        }
    }

    /// Writes the state of a catalog to a store that has versions and another state.
    ///
    /// Nothing is written if the newest version seems to come from another catalog. That is so if that one had more
    /// changes, or if this one lacks more than half of its groups.
    ///
    /// - Returns: whether the newest version seems to come from this catalog.
    private static func write(to store: any VersionStore, from catalog: Facts) throws(Failure) -> Bool {
        let (publication, changeCount): (SitePublication, Int64)
        (publication, changeCount) = try catalog.snapshot { () throws(Failure) in
            (try SitePublication(of: catalog, catalog.groups(), for: store), try catalog.changeCount())
        }
        let versions = try store.versions()
        guard let newest = versions.last else { return true }
        let known = try publication.known()
        let site = try publication.site(after: known, versions)
        let before = Set((known?.withdrawn?.groupIDs ?? []).map(BytewiseString.init))
        let removedCount = (site.withdrawn?.groupIDs ?? []).count {
            !before.contains(BytewiseString($0)) && site.withdrawn?.reason(forGroup: $0) == .removed
        }
        guard changeCount >= newest.catalog.changeCount, 2 * removedCount <= newest.groups.included else {
            return false
        }
        if site != known { try store.setSite(site) }
        return true
    }

    /// Returns the state of the site.
    func site() throws(Failure) -> PublishedSite { try site(after: known(), store.versions()) }

    /// Returns the state of the site after another one.
    ///
    /// Its withdrawn groups are those of the versions before it, except public ones that its newest version has. So
    /// only that version and later ones are read. A version that is damaged, or of another format, cannot serve, and is
    /// left out.
    private func site(after known: PublishedSite?, _ versions: [Manifest]) throws(Failure) -> PublishedSite {
        var site = decided
        site.unknown = known?.unknown ?? [:]
        let erasures = versions.compactMap { version in
            version.erasure.map { (version.version.description, $0.number) }
        }
        if !erasures.isEmpty { site.erasures = Dictionary(uniqueKeysWithValues: erasures) }
        let names = try store.versionNames()
        guard let oldest = names.first, let newest = names.last else { return site }
        let newestModel = try readableModel(of: newest)
        // A public group that the newest version lacks stays in the record: it may turn private later.
        func isKept(_ id: String) -> Bool { reason(forGroup: id) != nil || newestModel?.index(ofID: id) == nil }
        var lastVersions = known?.withdrawn?.lastVersions(since: oldest).filter { isKept($0.key.text) } ?? [:]
        for name in names where known?.withdrawn.map({ name >= $0.through }) ?? true {
            guard let model = name == newest ? newestModel : try readableModel(of: name) else { continue }
            for id in (0..<model.groupCount).lazy.map({ model.id(of: $0) }) where isKept(id) {
                lastVersions[BytewiseString(id)] = name
            }
        }
        site.withdrawn = WithdrawnGroups(lastVersions, through: newest) { reason(forGroup: $0) }
        if let newestModel {
            site.newGroupIDs = groups.filter { $0.isShown && newestModel.index(ofID: $0.id) == nil }.map(\.id)
        }
        return site
    }

    /// Returns the state that the store has, or `nil` if there is none or it is damaged; it is then made anew.
    private func known() throws(Failure) -> PublishedSite? {
        do throws(Failure) { return try store.site() } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    private func readableModel(of version: VersionName) throws(Failure) -> ModelVersion? {
        do throws(Failure) { return try store.load(version).model } catch {
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
