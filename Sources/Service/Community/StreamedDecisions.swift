public import CatalogStore
public import Model
public import ModelStore

/// What the site has decided at the daemons of a shared store, and what no version and no catalog has yet.
public struct StreamedDecisions: Sendable {
    /// Decisions and removals, in the order in which they apply.
    public let changes: [CatalogChange]

    /// What stands at the beginning of a member's change, of which a stream has most.
    private static let member = Array(#"{"member":"#.utf8)
    /// How many changes are read at a time.
    private static let batchSize = 1000

    /// Reads the streams of a store.
    ///
    /// - Parameter taken: changes that are known already.
    /// - Complexity: O(changes that are not known).
    public init(of channel: SharedChannel, beyond taken: TakenChanges) throws(StoreError) {
        var streams = try channel.journals()
        var found: [JournaledChange] = []
        for (origin, numbers) in try streams.survey() {
            var last = max(numbers.after, taken.last(of: origin))
            while last < numbers.last {
                let batch = try streams.changes(of: origin, after: last, limit: Self.batchSize)
                found += batch.lazy.filter { !$0.body.starts(with: Self.member) }.map { change in
                    JournaledChange(
                        origin: origin, sequence: change.sequence, stampMilliseconds: change.stampMilliseconds,
                        encoded: change.body)
                }
                last = batch.last?.sequence ?? numbers.last
            }
        }
        changes = found.sorted { $0.stamp < $1.stamp }.compactMap { change in
            guard let change = change.change, case .member = change else { return change.change }
            return nil
        }
    }

    /// A state with the decisions made since.
    func applied(to state: SiteState) -> SiteState {
        var state = state
        for case .site(let change) in changes { _ = state.apply(change) }
        return state
    }

    /// The groups that were removed, by external ids.
    var removedGroups: [String] {
        changes.compactMap { change in
            guard case .removal(let removal) = change, case .group(let id) = removal.subject else { return nil }
            return id
        }
    }
}

extension SiteDecisions {
    /// What the catalog, or without one the version, has, and what was decided since.
    ///
    /// - Parameter streamed: beyond what the catalog has taken, or the version.
    public init(of catalog: Catalog?, in version: LoadedVersion, _ streamed: StreamedDecisions) throws(CatalogError) {
        let model = version.model
        let known =
            if let catalog {
                SiteState(hidden: try catalog.hiddenGroups(limit: .max), curations: try catalog.curations())
            } else { SiteState(version.manifest, model) }
        self.init(streamed.applied(to: known), in: model)
        // A private group stays private, whatever was decided.
        hidden.formUnion(try SiteDecisions(of: catalog, in: model).hidden)
        hidden.formUnion(Set(groups: streamed.removedGroups, in: model))
    }
}
