public import CatalogStore
public import Changes
public import Model
public import ModelStore

/// The decisions in a shared store's streams that neither a version nor a catalog has yet.
public struct StreamedDecisions: Sendable {
    /// The decisions and removals, in the order in which they apply.
    public let changes: [Change]

    /// The number of changes that are read at a time.
    private static let batchSize = 1000

    /// Reads the decisions and removals from the streams of a store.
    ///
    /// - Parameter taken: the changes that are known already.
    /// - Complexity: O(changes that are not known).
    public init(of channel: SharedChannel, beyond taken: AppliedChanges) throws(StoreError) {
        var streams = try channel.journals()
        var found: [JournaledChange] = []
        do throws(ChangeError) {
            for (origin, numbers) in try streams.survey() {
                var last = max(numbers.after, taken.last(of: origin))
                while last < numbers.last {
                    let batch = try streams.changes(of: origin, after: last, limit: Self.batchSize)
                    found += batch.lazy.filter { $0.change?.isOfSite ?? false }
                    last = batch.last?.sequence ?? numbers.last
                }
            }
        } catch { throw StoreError(error) }
        changes = found.sorted { $0.stamp < $1.stamp }.compactMap(\.change)
    }

    /// Returns a state with these decisions applied to it.
    func applied(to state: SiteState) -> SiteState {
        var state = state
        for case .site(let change) in changes { _ = state.apply(change) }
        return state
    }

    /// The external ids of the groups that were removed.
    var removedGroups: [String] {
        changes.compactMap { change in
            guard case .removal(let removal) = change, case .group(let id) = removal.subject else { return nil }
            return id
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
