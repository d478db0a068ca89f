import Basics
import CatalogStore
import Changes
import Model
import Recommendation

/// The members and decisions that a version has, for a daemon without a catalog and without a journal.
///
/// Nothing is recorded: there is no place for changes.
final class VersionSource: CommunitySource {
    let changes: ChangeClock
    /// The site's decisions since the version was made, as far as they are known.
    private let recorded: RecordedDecisions
    /// Returns the version that serves, and the state of the site.
    private let served: @Sendable () -> VersionFollower.State
    /// The decisions, by the revision of the state of the site.
    private let decisions = DecisionCache<UInt64>()

    init(
        changes: ChangeClock, _ recorded: RecordedDecisions, served: @escaping @Sendable () -> VersionFollower.State
    ) {
        self.changes = changes
        self.recorded = recorded
        self.served = served
    }

    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool {
        subject == .memberships && snapshot?.members != nil
    }

    func read<Result>(_ body: (Facts) throws(Failure) -> Result) -> Result? { nil }

    func taken(in snapshot: VisibleSnapshot) -> AppliedChanges { snapshot.manifest.membersState.taken }

    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) -> RecentMemberChanges? { nil }

    var removed: RemovedThings { RemovedThings() }

    func isForgotten(user id: String) -> Bool { false }

    func concealment(ofGroup id: String, in model: VisibleModel) -> Concealment? {
        model.hides(id) ? served().site?.withdrawn?.reason(forGroup: id) ?? .hidden : nil
    }

    func siteDecisions(in snapshot: ModelSnapshot) -> SiteDecisions {
        let served = served()
        return decisions.decisions(in: snapshot.version, at: served.siteRevision) {
            PublishedDecisions(served.site, recorded).decisions(about: snapshot.manifest, snapshot.model)
        }
    }

    func apply(_ change: Change) throws(Failure) -> Change.Outcome {
        throw Failure(.databaseFailed, "there is no catalog: nothing that members do is recorded")
    }

    func record(exposures changes: [MemberChange]) {}

    func latestInteractionTime(ofUser id: String) -> Int64? { nil }

    func recordedAmount(ofUser id: String, recent: Int64) -> RecordedAmount { RecordedAmount() }

    func interactions(ofUser id: String, after: String?, latestFirst: Bool, limit: Int) -> [InteractionRecord]? { nil }

    func interests(ofUser id: String) -> [String] { [] }

    func siteState() -> SiteState { PublishedDecisions(served().site, recorded).state }

    func noteOutsideChanges() {}
}
