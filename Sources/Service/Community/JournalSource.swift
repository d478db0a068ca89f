import CatalogStore
import Changes
import Model
import ModelStore
import Recommendation

/// Members as published with a version, with newer changes of all daemons that share the store.
///
/// Changes are committed to the daemon's own journal.
final class JournalSource: CommunitySource {
    /// The state of everything that decisions depend on.
    private struct DecisionState: Equatable {
        let revision: UInt64
        let newest: VersionName?
        let withdrawnRevision: UInt64
        /// The change count of the catalog; nil without a catalog.
        let changeCount: Int64?
    }

    private let store: any SharedStore
    private let journal: DaemonJournal
    /// A read-only catalog, for photos and for groups that are private or hidden by now; nil for none.
    private let catalog: CatalogReader?
    /// Returns the version that serves, and the newest one.
    private let served: @Sendable () -> VersionFollower.State
    private let decisions = DecisionCache<DecisionState>()

    init(
        _ store: any SharedStore, journal: DaemonJournal, catalog: CatalogReader?,
        served: @escaping @Sendable () -> VersionFollower.State
    ) {
        self.store = store
        self.journal = journal
        self.catalog = catalog
        self.served = served
    }

    var changes: ChangeClock { journal.changes }
    var catalogPath: String? { catalog?.path }

    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool {
        switch subject {
        case .photos: catalog != nil
        case .contacts: catalog != nil && snapshot?.manifest.hasOwnMembers != true
        case .memberships, .memberChanges, .siteDecisions, .removals: true
        }
    }

    func read<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(ServiceError) -> Result? {
        try catalog?.read(body)
    }

    func recentChanges(ofUser id: String, in snapshot: VisibleSnapshot) throws(ServiceError) -> RecentMemberChanges? {
        try journal.recentChanges(ofUser: id, beyond: snapshot.manifest.taken)
    }

    /// False: a catalog beside a shared store may be older than the version.
    var readsMembersFromCatalog: Bool { false }

    /// Returns the published data of a user, from the verified table on this machine or else from the store.
    func publishedMember(withID id: String, in snapshot: VisibleSnapshot) throws(ServiceError) -> PublishedMember? {
        guard snapshot.members == nil, !snapshot.lacksMembers else { return try snapshot.publishedMember(withID: id) }
        do throws(StoreError) {
            return try store.member(withID: id, in: snapshot.version)
        } catch { throw ServiceError(.publishedMembersFailed, "memberships cannot be read: \(error.message)") }
    }

    /// Whether the catalog, or a change that the serving version lacks, has forgotten the user.
    func isForgotten(user id: String) throws(ServiceError) -> Bool {
        let taken = served().snapshot?.manifest.taken ?? .none
        if try journal.isForgotten(user: id, beyond: taken) { return true }
        return try read { catalog throws(CatalogError) in try catalog.isForgotten(user: id) } ?? false
    }

    func concealment(ofGroup id: String, in model: VisibleModel) throws(ServiceError) -> Concealment? {
        guard model.hides(id) else { return nil }
        if let catalog { return try catalog.concealment(ofGroup: id) }
        return served().withdrawn?.reason(forGroup: id) ?? .hidden
    }

    /// Returns the decisions of the version and the journal.
    ///
    /// Groups that were removed, or that are private or hidden in the catalog by now, are hidden as well.
    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        let served = served()
        let state = DecisionState(
            revision: journal.decisions.revision, newest: served.newest?.version,
            withdrawnRevision: served.withdrawnRevision, changeCount: try catalog?.changeCount())
        return try decisions.decisions(in: snapshot.version, at: state) { () throws(ServiceError) in
            var decisions = published(in: snapshot).decisions
            decisions.hidden.formUnion(try catalog?.siteDecisions(in: snapshot).hidden ?? [])
            return decisions
        }
    }

    /// Returns the decisions of the store and the journal about a version.
    private func published(in snapshot: ModelSnapshot) -> PublishedDecisions {
        let served = served()
        return PublishedDecisions(
            snapshot.manifest, snapshot.model, newest: served.newest, journal.decisions.recorded, served.withdrawn)
    }

    private func siteState(in snapshot: ModelSnapshot) -> SiteState { published(in: snapshot).state }

    /// The photos, members and entries that were removed since the version was made.
    var removed: RemovedThings {
        RemovedThings(journal.decisions.recorded, beyond: served().snapshot?.manifest.taken ?? .none)
    }

    /// Commits the change to the journal, together with other changes that wait; the relay sends it on.
    func apply(_ change: Change) throws(ServiceError) -> Change.Outcome {
        guard let snapshot = served().snapshot else {
            throw ServiceError(.noVersion, "no version is loaded that would say which groups there are")
        }
        let change = renamed(change, in: snapshot)
        switch change {
        case .member(let change):
            let model = VisibleModel(snapshot.model, try siteDecisions(in: snapshot))
            let refusal = try change.refusal { record throws(ServiceError) in
                switch record.kind.subject {
                case .group: model.index(ofID: record.subjectID) != nil
                // Without a catalog, nobody knows photos; the recompute leaves out the unknown ones.
                case .photo:
                    if catalog == nil { true } else { try context(ofPhoto: record.subjectID, in: model) != nil }
                case .user: try !isForgotten(user: record.subjectID)
                }
            }
            if let refusal { return .member(refusal) }
            if try isForgotten(user: change.userID) { return .member(.unknownMember) }
        case .site(let change):
            if let outcome = try outcomeWithoutChange(change, in: snapshot) { return .site(outcome) }
        case .removal(let change): if try !isThere(change.subject, in: snapshot) { return .removal(.unknown) }
        case .renaming: break
        }
        return try journal.apply(change)
    }

    /// Returns a change under the new ids of its groups; a group that has an old id in a later version keeps it.
    private func renamed(_ change: Change, in snapshot: ModelSnapshot) -> Change {
        let names = journal.decisions.names
        let renamed = Set(
            journal.decisions.recorded.renamedGroups(beyond: snapshot.manifest.taken).map(BytewiseString.init))
        return change.renamed { id in
            let isOther = snapshot.model.index(ofID: id) != nil && !renamed.contains(BytewiseString(id))
            return isOther ? id : names.newest(of: id)
        } user: {
            $0
        }
    }

    /// Whether there is something to remove, as far as this daemon can tell.
    ///
    /// The answer for a member is always true: the catalog may know a member who is in no version.
    private func isThere(_ subject: RemovalChange.Subject, in snapshot: ModelSnapshot) throws(ServiceError) -> Bool {
        switch subject {
        case .member, .account: return true
        case .group(let group), .user(_, let group, _), .pooled(_, let group, _):
            return isThere(group: group, in: snapshot)
        case .photo(let id):
            guard let catalog else { return true }
            return try catalog.read { catalog throws(CatalogError) in try catalog.photo(withID: id) } != nil
        }
    }

    /// Whether a group exists, shown or hidden.
    private func isThere(group id: String, in snapshot: ModelSnapshot) -> Bool {
        let recorded = journal.decisions.recorded
        guard !recorded.removedGroups(beyond: snapshot.manifest.taken).contains(BytewiseString(id)),
            served().withdrawn?.reason(forGroup: id) != .removed
        else { return false }
        // A version lacks the groups that were hidden when it was made, and has others under their old ids.
        return snapshot.model.index(ofID: id) != nil
            || siteState(in: snapshot).hidden[BytewiseString(id)] != nil
            || recorded.renamedGroups(beyond: snapshot.manifest.taken).contains {
                recorded.names.newest(of: $0).hasSameBytes(as: id)
            }
    }

    /// Returns the outcome of a decision that need not be recorded, or nil if it must be recorded.
    private func outcomeWithoutChange(_ change: SiteChange, in snapshot: ModelSnapshot) throws(ServiceError)
        -> SiteChange.Outcome?
    {
        guard isThere(group: change.groupID, in: snapshot) else { return .unknownGroup }
        let isPublic = try catalog?.isPublic(group: change.groupID)
        let isWithdrawn = served().withdrawn?.reason(forGroup: change.groupID) != nil
        if case .curate = change.action, isPublic == false || isWithdrawn { return .privateGroup }
        var state = siteState(in: snapshot)
        switch (state.apply(change), change.action) {
        // The group may have another position in another version that serves later.
        case (.changed, _), (.unchanged, .curate): return nil
        case (let outcome, _): return outcome
        }
    }

    func record(exposures changes: [MemberChange]) throws(ServiceError) {
        var remembered: [Change] = []
        for change in changes where try !isForgotten(user: change.userID) { remembered.append(.member(change)) }
        if !remembered.isEmpty { try journal.apply(remembered) }
    }

    func latestInteractionTime(ofUser id: String) throws(ServiceError) -> Int64? {
        try journal.latestInteractionTime(ofUser: id)
    }

    func recordedAmount(ofUser id: String, recent: Int64) throws(ServiceError) -> RecordedAmount {
        try journal.recordedAmount(ofUser: id, recent: recent)
    }

    /// Returns interactions from the journal, which reaches back to about the earliest version in the store.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try journal.interactions(ofUser: id, after: after, limit: limit)
    }

    func latestInteractions(ofUser id: String, limit: Int) throws(ServiceError) -> [InteractionRecord] {
        try journal.latestInteractions(ofUser: id, limit: limit)
    }

    func interests(ofUser id: String) throws(ServiceError) -> [String] {
        let snapshot = served().snapshot
        let recent = try journal.recentChanges(ofUser: id, beyond: snapshot?.manifest.taken ?? .none)
        if recent?.isForgotten == true { return [] }
        if let interests = recent?.interests { return interests }
        guard let snapshot, recent?.isCleared != true else { return [] }
        return try publishedMember(withID: id, in: VisibleSnapshot(snapshot))?.feedback.interests ?? []
    }

    func hiddenGroups(after: String?, limit: Int) -> [HiddenGroup] {
        let groups = served().snapshot.map { siteState(in: $0).hiddenGroups } ?? []
        return groups.filter { group in after.map { $0.utf8.lexicographicallyPrecedes(group.id.utf8) } ?? true }
            .prefix(limit).map(\.self)
    }

    func curations() -> [Curation] { served().snapshot.map { siteState(in: $0).curations } ?? [] }

    /// Notes changes of the catalog; changes of other daemons come through the stream.
    func noteOutsideChanges() { catalog?.noteChanges(in: changes) }

    func probeWriting() { journal.probeWriting() }
}
