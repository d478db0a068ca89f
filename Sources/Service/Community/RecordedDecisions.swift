package import Changes
package import Model

/// The site's decisions and removals since versions were made, in the order in which they apply.
package struct RecordedDecisions: Sendable {
    let journaled: [JournaledChange]

    /// The new ids of renamed groups.
    let names: GroupNames

    package init() { self.init([]) }

    init(_ journaled: [JournaledChange]) {
        self.init(journaled, names: GroupNames(journaled))
    }

    init(_ journaled: [JournaledChange], names: GroupNames) { (self.journaled, self.names) = (journaled, names) }

    /// The decisions and removals, without the names of their journals.
    package var changes: [Change] { journaled.compactMap(\.change) }

    /// Returns a state with newer decisions replayed on top.
    ///
    /// A decision is about the group that had the id then, and the state has all groups under their present ids.
    ///
    /// - Parameter taken: the changes that the state has already.
    func replayed(on state: SiteState, beyond taken: AppliedChanges) -> SiteState {
        var state = state
        for renaming in renamings(beyond: taken) { state.apply(renaming.change) }
        for decision in journaled where !taken.contains(decision.sequence, of: decision.origin) {
            guard case .site(var change) = decision.change else { continue }
            change.groupID = names.newest(of: change.groupID, at: decision.stampMilliseconds)
            _ = state.apply(change)
        }
        return state
    }

    /// Returns the ids of removed subjects of one kind.
    ///
    /// - Parameters:
    ///   - taken: the changes that the version has already.
    ///   - subjectID: returns the id of a subject of that kind, or nil for other kinds.
    func removed(beyond taken: AppliedChanges, _ subjectID: (RemovalChange.Subject) -> String?) -> Set<BytewiseString> {
        var ids: Set<BytewiseString> = []
        for change in journaled where !taken.contains(change.sequence, of: change.origin) {
            guard case .removal(let removal) = change.change, let id = subjectID(removal.subject) else { continue }
            ids.insert(BytewiseString(id))
        }
        return ids
    }

    /// Returns the ids of the groups that were removed.
    func removedGroups(beyond taken: AppliedChanges) -> Set<BytewiseString> {
        removed(beyond: taken) { subject in
            if case .group(let id) = subject { id } else { nil }
        }
    }

    /// Returns the renamings of groups with their stamps.
    ///
    /// - Parameter taken: the renamings that the version has already.
    private func renamings(beyond taken: AppliedChanges) -> [(change: RenamingChange, stamp: Int64)] {
        journaled.compactMap { change in
            guard let renaming = change.change?.renaming, renaming.subject == .group,
                !taken.contains(change.sequence, of: change.origin)
            else { return nil }
            return (renaming, change.stampMilliseconds)
        }
    }

    /// Returns the old ids of the groups that were renamed.
    func renamedGroups(beyond taken: AppliedChanges) -> [String] { renamings(beyond: taken).map(\.change.oldID) }

    /// Whether a decision or a renaming says that there is a group with an id.
    func mentions(group id: String, beyond taken: AppliedChanges) -> Bool {
        journaled.contains { change in
            guard !taken.contains(change.sequence, of: change.origin) else { return false }
            let groupID: String? =
                switch change.change {
                case .site(let decision): decision.groupID
                case .renaming(let renaming) where renaming.subject == .group: renaming.newID
                default: nil
                }
            guard let groupID else { return false }
            return names.newest(of: groupID, at: change.stampMilliseconds).hasSameBytes(as: id)
        }
    }

    /// Returns the ids under which no group is any more, because it was removed or renamed.
    func goneGroups(beyond taken: AppliedChanges) -> [String] {
        removedGroups(beyond: taken).map(\.text) + renamedGroups(beyond: taken)
    }
}

/// The site's decisions without the catalog's help: those that a store has, and what came since.
package struct PublishedDecisions {
    private let site: PublishedSite
    private let recorded: RecordedDecisions

    /// Combines the state of a store, nil for none, with the decisions since.
    package init(_ site: PublishedSite?, _ recorded: RecordedDecisions) {
        self.site = site ?? PublishedSite()
        self.recorded = recorded
    }

    /// The hidden and curated groups.
    package var state: SiteState { recorded.replayed(on: SiteState(site), beyond: site.taken) }

    /// Returns the decisions about a version: groups that are hidden, removed or withdrawn are not shown.
    package func decisions(about version: Manifest, _ model: ModelVersion) -> SiteDecisions {
        var decisions = SiteDecisions(state, in: model)
        // The next version has renamed groups under their new ids.
        decisions.hidden.formUnion(Set(groups: recorded.goneGroups(beyond: version.taken), in: model))
        decisions.hidden.formUnion(Set(groups: site.withdrawn?.groupIDs ?? [], in: model))
        return decisions
    }
}
