import CatalogStore
import Model
import Recommendation

/// What a daemon knows beyond the model version: members, photos and the site's decisions; and where it records
/// changes.
///
/// There are two: `CatalogSource`, and `JournalSource` for daemons that share a store. Called from several threads at a
/// time. A `ServiceError` means that trying later may help. Groups that the version does not have, or that are
/// hidden, are left out of what is told of members and photos.
protocol CommunitySource: Sendable {
    /// Where it notes every change that shows in answers: its own before `apply` returns, those of others once it
    /// knows.
    var changes: ChangeClock { get }

    /// Whether it knows photos at all.
    var knowsPhotos: Bool { get }

    /// What is known of a user at an instant, in Unix milliseconds; nil if there is no such user.
    func profile(ofUser id: String, in snapshot: VisibleSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?

    /// Whether the site has forgotten a user, of whom nothing may be kept again.
    func isForgotten(user id: String) throws(ServiceError) -> Bool

    /// What the site has decided by now.
    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions

    /// What is known of a photo; nil if there is no such photo, or it is not public.
    func context(ofPhoto id: String, in model: VisibleModel) throws(ServiceError) -> PhotoContext?

    /// Makes a change; it is durable when this returns, and in every answer of this daemon from then on.
    func apply(_ change: CatalogChange) throws(ServiceError) -> CatalogChange.Outcome

    /// Records what members were shown, in one transaction that is durable when this returns; members whom the site has
    /// forgotten are left out.
    ///
    /// - Parameter changes: exposures alone, one a member.
    func record(exposures changes: [MemberChange]) throws(ServiceError)

    /// The latest time of what a member did last, in Unix milliseconds; nil if nothing is known.
    func latestInteractionTime(ofUser id: String) throws(ServiceError) -> Int64?

    /// How much is recorded of what a member did: how much of it since a moment, in Unix milliseconds, and in all.
    func recordedAmount(ofUser id: String, recent: Int64) throws(ServiceError) -> RecordedAmount

    /// Interactions of a member in the order in which they were recorded; nil if there is none with the id `after`.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]?

    /// The stated interests of a member; none of one who is not known.
    func interests(ofUser id: String) throws(ServiceError) -> [String]

    /// Hidden groups in ascending order of the bytes of their ids, those behind the id `after`.
    func hiddenGroups(after: String?, limit: Int) throws(ServiceError) -> [HiddenGroup]

    /// All curated groups, shown now or at another time; by position.
    func curations() throws(ServiceError) -> [Curation]

    /// Notes in `changes` what other processes have changed since the last call; called now and again, by one thread at
    /// a time.
    func noteOutsideChanges()

    /// If changes could not be recorded, finds out whether that is possible again; called now and again.
    func probeWriting()
}

extension CommunitySource {
    /// Nothing: by default there is nothing to write to.
    func probeWriting() {}

    /// Makes a member's change.
    func apply(_ change: MemberChange) throws(ServiceError) -> MemberChange.Outcome {
        guard case .member(let outcome) = try apply(.member(change)) else {
            preconditionFailure("a member's change has the outcome of one")
        }
        return outcome
    }

    /// Makes a decision of the site.
    func apply(_ change: SiteChange) throws(ServiceError) -> SiteChange.Outcome {
        guard case .site(let outcome) = try apply(.site(change)) else {
            preconditionFailure("a decision of the site has the outcome of one")
        }
        return outcome
    }

    /// Makes a removal that the site orders.
    func apply(_ change: RemovalChange) throws(ServiceError) -> RemovalChange.Outcome {
        guard case .removal(let outcome) = try apply(.removal(change)) else {
            preconditionFailure("a removal has the outcome of one")
        }
        return outcome
    }
}
