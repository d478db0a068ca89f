import Changes
import Model
import Recommendation

/// The members and decisions that a version has, for a daemon without a catalog and without a journal.
///
/// Nothing is recorded: there is no place for changes.
final class VersionSource: CommunitySource {
    let changes: ChangeClock
    /// The site's decisions since the version was made, as far as they are known.
    private let decisions: SiteDecisions

    init(changes: ChangeClock, decisions: SiteDecisions) {
        self.changes = changes
        self.decisions = decisions
    }

    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool {
        subject == .memberships && snapshot?.members != nil
    }

    func profile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?
    {
        try snapshot.publishedMember(withID: id).map {
            MemberProfile(userID: id, $0, of: snapshot.manifest, for: snapshot.planner, atMilliseconds: instant)
        }
    }

    func isForgotten(user id: String) -> Bool { false }

    func siteDecisions(in snapshot: ModelSnapshot) -> SiteDecisions { decisions }

    func context(ofPhoto id: String, in model: VisibleModel) -> PhotoContext? { nil }

    func apply(_ change: Change) throws(ServiceError) -> Change.Outcome {
        throw ServiceError(.catalogFailed, "there is no catalog: nothing that members do is recorded")
    }

    func record(exposures changes: [MemberChange]) {}

    func latestInteractionTime(ofUser id: String) -> Int64? { nil }

    func recordedAmount(ofUser id: String, recent: Int64) -> RecordedAmount { RecordedAmount() }

    func interactions(ofUser id: String, after: String?, limit: Int) -> [InteractionRecord]? { nil }

    func interests(ofUser id: String) -> [String] { [] }

    func hiddenGroups(after: String?, limit: Int) -> [HiddenGroup] { [] }

    func curations() -> [Curation] { [] }

    func noteOutsideChanges() {}
}
