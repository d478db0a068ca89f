import Basics
import CatalogStore
import Changes
import Evaluation
import Experiments
import Model
import ModelStore

/// The source of members, photos and the site's decisions, and the place for changes.
///
/// There are two: `JournalSource`, and `VersionSource` for a daemon that has only versions. Several threads call it at
/// a time. A `Failure` means that a later try may succeed.
protocol CommunitySource: CommunityReader, Sendable {
    /// The clock that notes every change to answers.
    ///
    /// Own changes are noted before `apply` returns. Changes of others are noted as soon as they are known.
    var changes: ChangeClock { get }

    /// Whether there is a source for a subject, for the members and groups of a version.
    func knows(_ subject: CommunitySubject, in snapshot: ModelSnapshot?) -> Bool
    /// Whether changes are meant to be recorded: the owner of the data has not forbidden it.
    var records: Bool { get }

    /// Whether the site has forgotten a user; nothing about a forgotten user may be kept again.
    func isForgotten(user id: String) throws(Failure) -> Bool

    /// Returns the site's current decisions.
    func siteDecisions(in snapshot: ModelSnapshot) throws(Failure) -> SiteDecisions

    /// Applies a change, which is durable when this returns and shows in every later answer of this daemon.
    func apply(_ change: Change) throws(Failure) -> Change.Outcome

    /// Records what members were shown, in one transaction that is durable when this returns.
    ///
    /// Members whom the site has forgotten are left out.
    ///
    /// - Parameter changes: exposures only, one for each member.
    func record(exposures changes: [MemberChange]) throws(Failure)

    /// Returns the arm of each experiment that a member was shown under an earlier id; nothing for most members.
    func shownArms(ofUser id: String, in snapshot: VisibleSnapshot) throws(Failure) -> [String: String]

    /// Returns the time of a member's latest interaction, in Unix milliseconds, or nil if none is known.
    func latestInteractionTime(ofUser id: String) throws(Failure) -> Int64?

    /// Returns the amount of a member's recorded interactions, in total and since `recent`, in Unix milliseconds.
    func recordedAmount(ofUser id: String, recent: Int64) throws(Failure) -> RecordedAmount

    /// Returns interactions of a member in the order of recording, or in the reverse order.
    ///
    /// - Returns: nil if there is no interaction with the id `after`.
    func interactions(ofUser id: String, after: String?, latestFirst: Bool, limit: Int) throws(Failure)
        -> [InteractionRecord]?

    /// Returns the stated interests of a member; an unknown member has none.
    func interests(ofUser id: String) throws(Failure) -> [String]

    /// Returns the hidden and curated groups, also those that the version lacks.
    func siteState() throws(Failure) -> SiteState

    /// Returns the ids of some members, spread over all of them; the same ones while nobody joins the site.
    func someMembers(limit: Int) throws(Failure) -> [String]

    /// Returns what the members of an experiment did until an instant, in Unix milliseconds.
    ///
    /// - Returns: nil if another place has the data of all daemons.
    func outcomes(of entry: ExperimentRegister.Entry, atMilliseconds instant: Int64) throws(Failure)
        -> ExperimentOutcomes?

    /// Returns the key of the ledger's digests, or nil if none is known.
    func ledgerKey() throws(Failure) -> [UInt8]?

    /// The path of the catalog beside which imports and recomputes are logged, or nil without a catalog.
    var catalogPath: String? { get }

    /// Notes in `changes` what other processes have changed since the last call.
    ///
    /// It is called at intervals, by one thread at a time.
    func noteOutsideChanges()

    /// Removes the lists of members whom other processes removed, or for whom they forgot all, since the last call.
    ///
    /// It is called at intervals, by one thread at a time.
    func forgetSessions(in sessions: Sessions)

    /// Tests whether changes can be recorded, and verifies those that are; called at intervals.
    func probeWriting()

    /// The reason why recorded changes cannot be applied, or nil if they can.
    var problem: String? { get }
}

/// A subject that a daemon may know nothing of, in the words of problems.
enum CommunitySubject: String {
    case memberships = "who is a member of what"
    case memberChanges = "what members do"
    case siteDecisions = "what the site decides"
    case removals = "what is to be removed"
    case photos
    case contacts = "who is in the same groups as whom"
}

extension CommunitySource {
    /// No members; the default for a source that cannot name some quickly.
    func someMembers(limit: Int) throws(Failure) -> [String] { [] }

    /// Returns what the version says.
    func shownArms(ofUser id: String, in snapshot: VisibleSnapshot) throws(Failure) -> [String: String] {
        try publishedMember(withID: id, in: snapshot)?.feedback.arms ?? [:]
    }

    /// Nothing; the default for a source that has only its own daemon's data.
    func outcomes(of entry: ExperimentRegister.Entry, atMilliseconds instant: Int64) throws(Failure)
        -> ExperimentOutcomes?
    { nil }

    /// Nothing; the default for a source that removes nobody.
    func ledgerKey() throws(Failure) -> [UInt8]? { nil }

    /// Nothing; the default for a source without a catalog.
    var catalogPath: String? { nil }

    /// True; the default for a source that has a place of its own for changes.
    var records: Bool { true }

    /// Does nothing; the default for a source that learns of removals in another way.
    func forgetSessions(in sessions: Sessions) {}

    /// Does nothing; the default for a source that has nothing to write to.
    func probeWriting() {}

    /// Nothing; the default for a source whose changes somebody else applies.
    var problem: String? { nil }

    func apply(_ change: MemberChange) throws(Failure) -> MemberChange.Outcome {
        guard case .member(let outcome) = try apply(.member(change)) else {
            preconditionFailure("a member's change has the outcome of one")
        }
        return outcome
    }

    func apply(_ change: SiteChange) throws(Failure) -> SiteChange.Outcome {
        guard case .site(let outcome) = try apply(.site(change)) else {
            preconditionFailure("a decision of the site has the outcome of one")
        }
        return outcome
    }

    /// Applies a removal that the site orders.
    func apply(_ change: RemovalChange) throws(Failure) -> RemovalChange.Outcome {
        guard case .removal(let outcome) = try apply(.removal(change)) else {
            preconditionFailure("a removal has the outcome of one")
        }
        return outcome
    }
}
