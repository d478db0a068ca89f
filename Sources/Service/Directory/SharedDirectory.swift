import CatalogStore
import Model
import ModelStore
import Recommendation

/// Members as they were published with a version, with what the daemons of a store were told since.
struct SharedDirectory: MemberDirectory {
    /// What the decisions depend on.
    private struct DecisionState: Equatable {
        let revision: UInt64
        let newest: VersionName?
        /// Of the catalog; nil without one.
        let changeCount: Int64?
    }

    private let published: StoreDirectory
    private let journal: SharedJournal
    /// Who knows photos; nil if nobody does.
    private let photos: CatalogDirectory?
    private let decisions = KeptDecisions<DecisionState>()

    init(_ store: any VersionStore, journal: SharedJournal, photos: CatalogDirectory?) {
        published = StoreDirectory(store)
        self.journal = journal
        self.photos = photos
    }

    var knowsPhotos: Bool { photos != nil }

    /// What was published, with the interactions since replayed on it.
    func profile(ofUser id: String, in snapshot: ModelSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?
    {
        let before = try published.profile(ofUser: id, in: snapshot, atMilliseconds: instant)
        guard let since = try journal.member(withID: id, beyond: snapshot) else { return before }
        var profile = before ?? MemberProfile(userID: id)
        if since.forgetsEarlier { (profile.dismissals, profile.exposures) = ([], []) }
        if let interests = since.interests { profile.topics = interests }
        return profile.replaying(
            since.interactions.compactMap { Interaction($0, in: snapshot.model) }, atMilliseconds: instant,
            halfLifeDays: snapshot.planner.configuration.feedback.impressionHalfLifeDays)
    }

    /// What the journal has; a catalog that is here for its photos knows what is private by now.
    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions {
        let state = DecisionState(
            revision: journal.decisionRevision, newest: journal.newestVersion, changeCount: try photos?.changeCount())
        return try decisions.decisions(in: snapshot.version, at: state) { () throws(ServiceError) in
            var decisions = journal.siteDecisions(in: snapshot)
            decisions.hidden.formUnion(try photos?.siteDecisions(in: snapshot).hidden ?? [])
            return decisions
        }
    }

    /// None: profiles can only be asked for by their id.
    func userIDs(near id: String) -> [String] { [] }

    func context(ofPhoto id: String, in snapshot: ModelSnapshot) throws(ServiceError) -> PhotoContext? {
        try photos?.context(ofPhoto: id, in: snapshot)
    }

    func noteOutsideChanges(in changes: ChangeClock) { photos?.noteOutsideChanges(in: changes) }
}
