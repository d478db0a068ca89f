import Basics
import CatalogStore
import Changes
import Evaluation
import Experiments
import Model
import ModelStore
import Recommendation
import Synchronization

/// The members, photos and decisions that are known, with the changes of a journal on top.
///
/// Beside a shared store, a version has what is known, and each daemon has a journal of its own. Beside a folder, the
/// catalog has it, and all processes of the machine share one journal. Changes are committed to the journal alone.
final class JournalSource: CommunitySource {
    /// The state of everything that decisions depend on.
    private struct DecisionState: Equatable {
        let revision: UInt64
        let siteRevision: UInt64
        /// The change count of the catalog, and the changes that it has taken; nil without a catalog.
        let changeCount: Int64?
        let taken: AppliedChanges?
    }

    /// The shared store whose versions have what is known; nil if the catalog has it.
    private let store: (any SharedStore)?
    private let journal: DaemonJournal
    /// The catalog, which is only read; nil for none.
    private let catalog: CatalogReader?
    /// Returns the version that serves, and the state of the site.
    private let served: @Sendable () -> VersionFollower.State
    private let decisions = DecisionCache<DecisionState>()

    /// Creates a source beside a shared store.
    ///
    /// - Parameter catalog: the catalog, for photos and for groups that are private or hidden by now; nil for none.
    init(
        _ store: any SharedStore, journal: DaemonJournal, catalog: CatalogReader?,
        served: @escaping @Sendable () -> VersionFollower.State
    ) {
        (self.store, self.journal, self.catalog, self.served) = (store, journal, catalog, served)
    }

    init(
        _ catalog: CatalogReader, journal: DaemonJournal, served: @escaping @Sendable () -> VersionFollower.State
    ) {
        (store, self.journal, self.catalog, self.served) = (nil, journal, catalog, served)
    }

    var changes: ChangeClock { journal.changes }
    var catalogPath: String? { catalog?.path }
    var records: Bool { journal.records }

    /// The catalog that has what is known; nil beside a shared store, whose catalog may be older than the version.
    private var base: CatalogReader? { store == nil ? catalog : nil }

    var readsMembersFromCatalog: Bool { base != nil }

    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool {
        switch subject {
        case .photos: catalog != nil
        case .contacts: catalog != nil && snapshot?.manifest.hasOwnMembers != true
        case .memberships, .memberChanges, .siteDecisions, .removals: true
        }
    }

    func read<Result>(_ body: (Facts) throws(Failure) -> Result) throws(Failure) -> Result? {
        try catalog?.read(body)
    }

    func taken(in snapshot: VisibleSnapshot) throws(Failure) -> AppliedChanges {
        try base?.taken() ?? snapshot.manifest.membersState.taken
    }

    /// The changes that what is known has already; none before a version is loaded.
    private var taken: AppliedChanges {
        get throws(Failure) { try base?.taken() ?? served().snapshot?.manifest.taken ?? .none }
    }

    /// The changes that what is known of members has already; an import may have published them anew.
    private var takenOfMembers: AppliedChanges {
        get throws(Failure) { try base?.taken() ?? served().snapshot?.manifest.membersState.taken ?? .none }
    }

    /// Returns the changes of a member beyond those taken; those of a forgotten member bring nobody back.
    ///
    /// A daemon may have recorded some before it knew of the forgetting.
    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) throws(Failure) -> RecentMemberChanges? {
        if isInLedger(id) { return .ofForgotten }
        guard let found = try journal.recentChanges(ofUser: id, beyond: taken) else { return nil }
        return try isForgottenInCatalog(id) ? .ofForgotten : found
    }

    /// Returns the published data of a user, from the verified table on this machine or else from the store.
    func publishedMember(withID id: String, in snapshot: VisibleSnapshot) throws(Failure) -> PublishedMember? {
        guard let store, snapshot.members == nil, !snapshot.lacksMembers else {
            return try snapshot.publishedMember(withID: id)
        }
        do throws(Failure) {
            return try store.member(withID: id, in: snapshot.version)
        } catch { throw Failure(.corrupt, "memberships cannot be read: \(error.message)") }
    }

    /// Whether the catalog, the ledger of the store, or a change that is not taken, has forgotten the user.
    func isForgotten(user id: String) throws(Failure) -> Bool {
        let taken = try takenOfMembers
        let isForgotten = try journal.read { journal throws(Failure) in
            try journal.isForgotten(user: id, beyond: taken)
        }
        if isForgotten || isInLedger(id) { return true }
        return try isForgottenInCatalog(id)
    }

    /// Whether the ledger of the store has forgotten a user.
    private func isInLedger(_ id: String) -> Bool { journal.ledger.withLock { $0?.isForgotten(id) } == true }

    func ledgerKey() throws(Failure) -> [UInt8]? {
        if let key = journal.ledger.withLock({ $0?.key }) { return key }
        return try read { catalog throws(Failure) in try catalog.ledgerKey() }
    }

    private func isForgottenInCatalog(_ id: String) throws(Failure) -> Bool {
        try read { catalog throws(Failure) in try catalog.isForgotten(user: id) } ?? false
    }

    func concealment(ofGroup id: String, in model: VisibleModel) throws(Failure) -> Concealment? {
        guard model.hides(id) else { return nil }
        if let catalog { return try catalog.concealment(ofGroup: id) }
        return withdrawal(ofGroup: id) ?? .hidden
    }

    /// Returns the decisions of what is known and of the journal.
    ///
    /// Groups that were removed, or that are private in the catalog by now, are hidden as well. Beside a shared store,
    /// so are those that are hidden in the catalog.
    func siteDecisions(in snapshot: ModelSnapshot) throws(Failure) -> SiteDecisions {
        let (served, known) = (served(), try catalog?.state())
        let state = DecisionState(
            revision: journal.decisions.revision, siteRevision: served.siteRevision,
            changeCount: known?.changeCount, taken: base == nil ? nil : known?.taken)
        return try decisions.decisions(in: snapshot.version, at: state) { () throws(Failure) in
            if let base, let taken = state.taken {
                return try base.siteDecisions(in: snapshot, journal.decisions.recorded, beyond: taken)
            }
            var decisions = published.decisions(about: snapshot.manifest, snapshot.model)
            decisions.hidden.formUnion(try catalog?.siteDecisions(in: snapshot).hidden ?? [])
            return decisions
        }
    }

    private var published: PublishedDecisions { PublishedDecisions(served().site, journal.decisions.recorded) }

    /// Returns the reason why a group of a version is not public any more, as the store says.
    private func withdrawal(ofGroup id: String) -> Concealment? { served().site?.withdrawn?.reason(forGroup: id) }

    func siteState() throws(Failure) -> SiteState {
        guard let base else { return published.state }
        let (recorded, taken) = (journal.decisions.recorded, try base.taken())
        return try base.read { catalog throws(Failure) in try SiteState(of: catalog, recorded, beyond: taken) }
    }

    /// The photos, members and entries that were removed, and that what is known still has.
    var removed: RemovedThings {
        // Without an answer of the catalog, everything that was removed counts.
        RemovedThings(journal.decisions.recorded, beyond: (try? taken) ?? .none)
    }

    /// Commits the change to the journal, together with other changes that wait.
    func apply(_ change: Change) throws(Failure) -> Change.Outcome {
        guard records else { throw Failure(.journalFailed, DaemonJournal.forbidden) }
        let snapshot = served().snapshot
        guard base != nil || snapshot != nil else {
            throw Failure(.unavailable, "no version is loaded that would say which groups there are")
        }
        let change = try renamed(change, in: snapshot)
        switch change {
        case .member(let change):
            if case .record(let interactions) = change.action {
                // Interactions are accepted only with what is shown.
                for (index, record) in interactions.enumerated()
                where try !isKnown(record.subjectID, record.kind.subject, in: snapshot) {
                    return .member(.unknownSubject(at: index))
                }
            }
            if try isForgotten(user: change.userID) { return .member(.unknownMember) }
        case .site(let change):
            if let outcome = try outcomeWithoutChange(change, in: snapshot) { return .site(outcome) }
        case .removal(let change): if try !isThere(change.subject, in: snapshot) { return .removal(.unknown) }
        case .renaming: break
        }
        return try journal.apply(change)
    }

    /// Whether a member may do something with a group, a photo, another member or the own list.
    private func isKnown(_ id: String, _ subject: Interaction.Kind.Subject?, in snapshot: ModelSnapshot?)
        throws(Failure) -> Bool
    {
        switch subject {
        case .group:
            if let base {
                // Both are asked for every group, so that the time of an answer does not tell a hidden one.
                let isPublic = try base.isPublic(group: id) == true
                return try !isConcealed(group: id) && isPublic
            }
            guard let snapshot else { return false }
            let shown = VisibleModel(snapshot.model, try siteDecisions(in: snapshot))
            if shown.index(ofID: id) != nil { return true }
            return served().site?.hasNewGroup(id) == true && !shown.hides(id) ? try !isConcealed(group: id) : false
        // Without a catalog, nobody knows photos; applying leaves out the unknown ones.
        case .photo: return catalog == nil ? true : try publicPhoto(withID: id, without: removed) != nil
        case .user:
            guard try !isForgotten(user: id) else { return false }
            guard let base else { return true }
            let isListed = try base.read { catalog throws(Failure) in try catalog.has(id, in: .users) }
            return isListed ? true : try journal.recentChanges(ofUser: id, beyond: base.taken()) != nil
        case nil: return true
        }
    }

    /// Whether the site has hidden or removed a group.
    private func isConcealed(group id: String) throws(Failure) -> Bool {
        let isHidden = try siteState().hidden[BytewiseString(id)] != nil
        return journal.decisions.recorded.removedGroups(beyond: try taken).contains(BytewiseString(id)) || isHidden
    }

    /// Returns a change under the new ids of its groups; a group that has an old id in a later version keeps it.
    private func renamed(_ change: Change, in snapshot: ModelSnapshot?) throws(Failure) -> Change {
        let names = journal.decisions.names
        let renamed = Set(journal.decisions.recorded.renamedGroups(beyond: try taken).map(BytewiseString.init))
        return try change.renamed { (id: String) throws(Failure) -> String in
            guard !renamed.contains(BytewiseString(id)) else { return names.newest(of: id) }
            return try hasGroup(id, in: snapshot) ? id : names.newest(of: id)
        } user: { (id: String) throws(Failure) -> String in
            id
        }
    }

    private func hasGroup(_ id: String, in snapshot: ModelSnapshot?) throws(Failure) -> Bool {
        guard let base else {
            return snapshot?.model.index(ofID: id) != nil || served().site?.hasNewGroup(id) == true
        }
        return try base.read { catalog throws(Failure) in try catalog.has(id, in: .groups) }
    }

    /// Whether there is something to remove, as far as this daemon can tell.
    private func isThere(_ subject: RemovalChange.Subject, in snapshot: ModelSnapshot?) throws(Failure) -> Bool {
        switch subject {
        // The catalog may know a member who is in no version, and a change may come from another daemon.
        case .member, .account: return true
        case .group(let group): return try isThere(group: group, in: snapshot)
        case .user(let id, let group, let table):
            guard try isThere(group: group, in: snapshot) else { return false }
            guard let base else { return true }
            // The member may have come only now, and a removal may not be applied yet.
            let recent = try journal.recentChanges(ofUser: id, beyond: base.taken())
            if recent?.interactions.contains(where: { $0.subjectID.hasSameBytes(as: group) }) == true { return true }
            let removal = RecentMemberChanges.RemovedEntry(groupID: group, table: table)
            return recent?.removals.contains(removal) == true ? false : try base.hasPair(table, group, id)
        case .pooled(let id, let group, let table):
            guard try isThere(group: group, in: snapshot) else { return false }
            guard let base else { return true }
            return removed.hides(id, in: group) ? false : try base.hasPair(table, group, id)
        case .photo(let id):
            guard let catalog else { return true }
            let photo = try catalog.read { catalog throws(Failure) in try catalog.photo(withID: id) }
            return photo.map { !removed.hides(id, of: $0.ownerID) } ?? false
        }
    }

    /// Whether a group exists, shown or hidden.
    private func isThere(group id: String, in snapshot: ModelSnapshot?) throws(Failure) -> Bool {
        let (recorded, taken) = (journal.decisions.recorded, try taken)
        guard !recorded.removedGroups(beyond: taken).contains(BytewiseString(id)),
            base != nil || withdrawal(ofGroup: id) != .removed
        else { return false }
        // A version lacks the groups that were hidden when it was made, and has others under their old ids.
        if try hasGroup(id, in: snapshot) { return true }
        guard try siteState().hidden[BytewiseString(id)] == nil else { return true }
        return recorded.mentions(group: id, beyond: taken)
    }

    /// Returns the outcome of a decision that need not be recorded, or nil if it must be recorded.
    private func outcomeWithoutChange(_ change: SiteChange, in snapshot: ModelSnapshot?) throws(Failure)
        -> SiteChange.Outcome?
    {
        guard try isThere(group: change.groupID, in: snapshot) else { return .unknownGroup }
        let isPublic = try catalog?.isPublic(group: change.groupID)
        let isWithdrawn = base == nil && withdrawal(ofGroup: change.groupID) != nil
        if case .curate = change.action, isPublic == false || isWithdrawn { return .privateGroup }
        var state = try siteState()
        switch (state.apply(change), change.action) {
        // The group may have another position in another version that serves later.
        case (.changed, _), (.unchanged, .curate): return nil
        case (let outcome, _): return outcome
        }
    }

    func record(exposures changes: [MemberChange]) throws(Failure) {
        var remembered: [Change] = []
        for change in changes where try !isForgotten(user: change.userID) { remembered.append(.member(change)) }
        if !remembered.isEmpty { try journal.apply(remembered) }
    }

    /// Returns the arms that the catalog knows, and those of the journal beside it; without a catalog, the version's.
    ///
    /// A renaming is in the catalog at once, and the exposures of the earlier id may still be in the journal.
    func shownArms(ofUser id: String, in snapshot: VisibleSnapshot) throws(Failure) -> [String: String] {
        guard let base else { return try publishedMember(withID: id, in: snapshot)?.feedback.arms ?? [:] }
        let (known, earlier) = try base.read { catalog throws(Failure) in
            (try catalog.shownArms(ofUser: id), try catalog.earlierIDs(ofUsers: [id]))
        }
        guard !earlier.isEmpty else { return known }
        let journaled = try journal.read { journal throws(Failure) in
            try journal.shownArms(ofUsers: earlier + [id])
        }
        return known.merging(journaled) { known, _ in known }
    }

    func latestInteractionTime(ofUser id: String) throws(Failure) -> Int64? {
        try journal.read { journal throws(Failure) in try journal.latestInteractionTime(ofUser: id) }
    }

    /// Returns the amount of the journal, or what the catalog keeps if that is more: it has all but the latest.
    func recordedAmount(ofUser id: String, recent: Int64) throws(Failure) -> RecordedAmount {
        var amount = try journal.read { journal throws(Failure) in
            try journal.recordedAmount(ofUser: id, recent: recent)
        }
        let kept = try base?.read { catalog throws(Failure) in try catalog.keptBytes(ofUser: id) }
        amount.keptBytes = max(amount.keptBytes, kept ?? 0)
        return amount
    }

    /// Returns interactions from the journal, which reaches back to about the earliest version in the store.
    func interactions(ofUser id: String, after: String?, latestFirst: Bool, limit: Int) throws(Failure)
        -> [InteractionRecord]?
    {
        try journal.read { journal throws(Failure) in
            try journal.interactions(ofUser: id, after: after, latestFirst: latestFirst, limit: limit)
        }
    }

    func interests(ofUser id: String) throws(Failure) -> [String] {
        let snapshot = served().snapshot
        let recent = try journal.recentChanges(ofUser: id, beyond: takenOfMembers)
        if recent?.isForgotten == true { return [] }
        if let interests = recent?.interests { return interests }
        guard recent?.isCleared != true else { return [] }
        if let base {
            return try base.read { catalog throws(Failure) in try catalog.member(withID: id)?.interests ?? [] }
        }
        guard let snapshot else { return [] }
        return try publishedMember(withID: id, in: VisibleSnapshot(snapshot))?.feedback.interests ?? []
    }

    func someMembers(limit: Int) throws(Failure) -> [String] {
        try base?.read { catalog throws(Failure) in try catalog.someMembers(limit: limit) } ?? []
    }

    func outcomes(of entry: ExperimentRegister.Entry, atMilliseconds instant: Int64) throws(Failure)
        -> ExperimentOutcomes?
    {
        guard let base else { return nil }
        // A report knows what is applied; a daemon records exposures within a second.
        let taken = try base.taken()
        let waiting = try journal.read { journal throws(Failure) in
            var journal = journal
            return try journal.waiting(beyond: taken)
        }
        let known = min(instant, (waiting?.firstStamp ?? .max) - 1000)
        return try base.read { catalog throws(Failure) in
            try ExperimentOutcomes(of: entry, from: catalog, atMilliseconds: known)
        }
    }

    /// Notes changes of the catalog and of other processes; those of other daemons come through the stream.
    func noteOutsideChanges() {
        if let replacement = base?.replacement {
            journal.recording.failed("changes cannot be recorded: \(replacement)")
        }
        journal.noteOutsideChanges()
        catalog?.noteChanges(in: changes)
    }

    func forgetSessions(in sessions: Sessions) { journal.forgetSessions(in: sessions) }

    func probeWriting() {
        journal.probeWriting()
        if let taken = try? base?.taken() { journal.verify(beyond: taken) }
    }

    var problem: String? { journal.damage }
}
