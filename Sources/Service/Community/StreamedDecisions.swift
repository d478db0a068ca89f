public import CatalogStore
public import Changes
public import Model
public import ModelStore

/// The decisions in a shared store's streams that neither a version nor a catalog has yet.
public struct StreamedDecisions: Sendable {
    /// The decisions and removals, in the order in which they apply.
    public let changes: [Change]

    /// Reads the decisions and removals from the streams of a store.
    ///
    /// - Parameter taken: the changes that are known already.
    /// - Complexity: O(changes that are not known).
    public init(of channel: SharedChannel, beyond taken: AppliedChanges) throws(StoreError) {
        var streams = try channel.journals()
        var found: [JournaledChange] = []
        try streams.forEachBatch(beyond: taken, wrap: { StoreError($0) }) { changes throws(StoreError) in
            found += changes.lazy.filter { $0.change?.isOfSite ?? false }
        }
        changes = found.sorted { $0.stamp < $1.stamp }.compactMap(\.change)
    }

    /// Returns a state with these decisions applied to it.
    func applied(to state: SiteState) -> SiteState {
        var state = state
        let names = GroupNames(changes.compactMap(\.renaming))
        for change in changes {
            switch change {
            case .site(var change):
                change.groupID = names.newest(of: change.groupID)
                _ = state.apply(change)
            case .renaming(let change): state.apply(change)
            case .member, .removal: break
            }
        }
        return state
    }

    /// The external ids of the groups that were removed or renamed.
    var removedGroups: [String] {
        changes.compactMap { change in
            switch change.kind {
            case .removeGroup, .renameGroup: change.groupID
            default: nil
            }
        }
    }
}

extension SiteDecisions {
    /// Creates the decisions of the catalog, or of the version if there is no catalog, with later decisions applied.
    ///
    /// - Parameter streamed: the decisions that the catalog, or the version, has not taken.
    public init(of catalog: Catalog?, in version: LoadedVersion, _ streamed: StreamedDecisions) throws(CatalogError) {
        let model = version.model
        let known =
            if let catalog {
                SiteState(hidden: try catalog.hiddenGroups(limit: .max), curations: try catalog.curations())
            } else { SiteState(version.manifest, model) }
        self.init(streamed.applied(to: known), in: model)
        // A private group stays hidden, whatever the site has decided.
        hidden.formUnion(try SiteDecisions(of: catalog, in: model).hidden)
        hidden.formUnion(Set(groups: streamed.removedGroups, in: model))
    }
}

extension Change {
    /// Whether the change is a decision of the site, and not of a member.
    fileprivate var isOfSite: Bool {
        if case .member = self { false } else { true }
    }
}
