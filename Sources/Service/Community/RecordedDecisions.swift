package import Changes
package import Model

/// The site's decisions and removals since versions were made, in the order in which they apply.
package struct RecordedDecisions: Sendable {
    let journaled: [JournaledChange]

    /// The new ids of renamed groups.
    let names: GroupNames

    package init() { self.init([]) }

    init(_ journaled: [JournaledChange]) {
        self.init(journaled, names: GroupNames(journaled.compactMap { $0.change?.renaming }))
    }

    init(_ journaled: [JournaledChange], names: GroupNames) { (self.journaled, self.names) = (journaled, names) }

    /// The decisions and removals, without the names of their journals.
    package var changes: [Change] { journaled.compactMap(\.change) }

    /// Returns a state with newer decisions replayed on top.
    ///
    /// - Parameter taken: the changes that the state has already.
    func replayed(on state: SiteState, beyond taken: AppliedChanges) -> SiteState {
        var state = state
        for decision in journaled where !taken.contains(decision.sequence, of: decision.origin) {
            switch decision.change {
            case .site(var change):
                // Another daemon may have decided under the old id.
                change.groupID = names.newest(of: change.groupID)
                _ = state.apply(change)
            case .renaming(let change): state.apply(change)
            case .member, .removal, nil: break
            }
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

    /// Returns the old ids of the groups that were renamed.
    ///
    /// - Parameter taken: the renamings that the version has already.
    func renamedGroups(beyond taken: AppliedChanges) -> [String] {
        journaled.compactMap { change in
            guard let renaming = change.change?.renaming, renaming.subject == .group,
                !taken.contains(change.sequence, of: change.origin)
            else { return nil }
            return renaming.oldID
        }
    }

    /// Returns the ids under which no group is any more, because it was removed or renamed.
    func goneGroups(beyond taken: AppliedChanges) -> [String] {
        removedGroups(beyond: taken).map(\.text) + renamedGroups(beyond: taken)
    }
}

/// The site's decisions about a version without the catalog's help: those published with it, and what came since.
package struct PublishedDecisions {
    let manifest: Manifest
    let model: ModelVersion
    /// The newest version of the store, if it is known.
    ///
    /// After a rollback an older version serves. Only the newest version knows which groups the catalog has hidden
    /// since.
    let newest: Manifest?
    /// The decisions since these versions.
    let recorded: RecordedDecisions
    /// The groups that versions have and that are not public any more; nil for none.
    let withdrawn: WithdrawnGroups?

    package init(
        _ manifest: Manifest, _ model: ModelVersion, newest: Manifest?, _ recorded: RecordedDecisions,
        _ withdrawn: WithdrawnGroups?
    ) {
        self.manifest = manifest
        self.model = model
        self.newest = newest
        self.recorded = recorded
        self.withdrawn = withdrawn
    }

    /// The hidden and curated groups.
    package var state: SiteState {
        let state = recorded.replayed(on: SiteState(manifest, model), beyond: manifest.taken)
        guard let newest, newest.version != manifest.version else { return state }
        let latest = recorded.replayed(on: SiteState(hidden: newest.hiddenGroups ?? []), beyond: newest.taken)
        return SiteState(hidden: latest.hiddenGroups, curations: state.curations)
    }

    /// The decisions: groups that are hidden, removed or withdrawn are not shown.
    package var decisions: SiteDecisions {
        var decisions = SiteDecisions(state, in: model)
        // The next version has renamed groups under their new ids.
        decisions.hidden.formUnion(Set(groups: recorded.goneGroups(beyond: manifest.taken), in: model))
        decisions.hidden.formUnion(Set(groups: withdrawn?.groupIDs ?? [], in: model))
        return decisions
    }
}
