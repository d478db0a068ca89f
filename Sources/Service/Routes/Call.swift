import Basics
import CatalogStore
import Changes
import HTTP
import Model
import Recommendation
import Synchronization

/// A request that has reached a route, with everything that the route may use.
struct Call: Sendable {
    let responder: Responder
    let path: PathParameters
    let parameters: RequestParameters
    /// The claims of the request's token; nil if the route needs no token or the daemon has no keys.
    let bearer: TokenClaims?
    /// Whether the route is open although the daemon has keys.
    ///
    /// The answer to such a call may tell nothing about a member.
    let isOpen: Bool
    /// The header fields of the request.
    let headers: HTTPHeaders
    /// The gate that admitted the request.
    let gate: Gate
    /// The body, which the handler decodes.
    let body: [UInt8]
    /// The state of the store, read once for each request.
    let state: VersionFollower.State
    /// Whether only the header of the answer is sent; then nothing is recorded, and no list kept.
    let isHead: Bool
    /// The place where the handler notes that its answer must be made anew for the next request.
    let reuse = ReuseMark()
    /// The list pages that the handler shows; nil if they are not recorded.
    var shownPages: Locked<[ShownPage]>?

    /// The path parameter `{id}`.
    var id: String { path["id"] }

    /// The reason why the answer may be degraded, or nil if all is well.
    ///
    /// A degraded answer may come from an older version, or lack changes of other daemons.
    var problem: String? { state.problem ?? responder.health.problems.replicator?.problem }

    /// The loaded version, without the site's decisions.
    ///
    /// - Throws: a `Problem` of status 503 if no version is loaded.
    var loadedSnapshot: ModelSnapshot {
        get throws(Problem) {
            guard let snapshot = state.snapshot else { throw .noModel(state) }
            return snapshot
        }
    }

    /// The loaded version with the site's current decisions; everything in an answer comes from one such snapshot.
    ///
    /// - Throws: a `Problem` of status 503 if no version is loaded, or the decisions cannot be read.
    var snapshot: VisibleSnapshot {
        get throws(Problem) {
            try visible(loadedSnapshot)
        }
    }

    /// Returns a version with the site's current decisions.
    func visible(_ loaded: ModelSnapshot) throws(Problem) -> VisibleSnapshot {
        let isDegraded = problem != nil
        guard let community = responder.community else { return VisibleSnapshot(loaded, degraded: isDegraded) }
        do throws(Failure) {
            return VisibleSnapshot(loaded, try community.siteDecisions(in: loaded), degraded: isDegraded)
        } catch { throw failedReading(error) }
    }
}

extension Call {
    /// Returns the source of members, photos and decisions.
    ///
    /// - Throws: a `Problem` of status 501 if the daemon knows nothing of the subject.
    func community(with subject: CommunitySubject) throws(Problem) -> any CommunitySource {
        guard let community = responder.community, community.knows(subject, in: state.snapshot) else {
            throw .noCatalog(subject.rawValue)
        }
        return community
    }

    /// The loaded version with the site's current decisions, for a route that also needs members.
    ///
    /// - Throws: a `Problem` of status 501 if the daemon knows no members. One of status 503 if no version is loaded,
    ///   or the decisions cannot be read.
    var snapshotWithMembers: VisibleSnapshot {
        get throws(Problem) {
            _ = try community(with: .memberships)
            return try snapshot
        }
    }

    /// Returns the current input of a member's list.
    ///
    /// A member who joined the site a minute ago is in no catalog yet, but gets a list all the same.
    ///
    /// - Parameter instant: the time, in Unix milliseconds.
    /// - Returns: the input, and whether anything is known of the member.
    /// - Throws: a `Problem` of status 404 if the site has forgotten the member.
    func planRequest(
        ofUser id: String, at instant: Int64, _ filters: FilterWords = FilterWords(), in snapshot: VisibleSnapshot
    ) throws(Problem) -> (PlanRequest, isKnown: Bool) {
        let community = try community(with: .memberships)
        let profile = try reading { () throws(Failure) in
            try community.profile(ofUser: id, in: snapshot, atMilliseconds: instant)
        }
        if profile == nil,
            try reading({ () throws(Failure) in try community.isForgotten(user: id) })
        {
            throw .forgottenMember(id)
        }
        let request = PlanRequest(
            profile: profile ?? MemberProfile(userID: id), atMilliseconds: instant,
            filter: filters.filter(in: snapshot.model), boosts: filters.boosts)
        return (request, profile != nil)
    }

    /// Returns the index of a group in a version.
    ///
    /// - Throws: a `Problem` of status 404 if the group does not exist or is hidden; the answer does not tell which.
    func group(_ id: String, in snapshot: VisibleSnapshot) throws(Problem) -> UInt32 {
        guard let group = snapshot.model.index(ofID: id) else { throw .unknownGroup(id, in: snapshot.model) }
        return UInt32(group)
    }

    /// Answers from a version with the present members and photos, as a command does.
    ///
    /// - Throws: a `Problem` of status 501 if the daemon knows nothing of the subject. A private photo is like a
    ///   missing one.
    func answer<Answer>(
        from snapshot: VisibleSnapshot, with subject: CommunitySubject,
        _ body: (CommunityAnswers) throws(AnswerError) -> Answer
    ) throws(Problem) -> Answer {
        let answers = CommunityAnswers(snapshot, try community(with: subject))
        do throws(AnswerError) {
            let answer = try body(answers)
            responder.health.reading.worked()
            return answer
        } catch {
            switch error {
            case .reading(let error): throw failedReading(error)
            case .unknownPhoto(let id): throw .unknown(.unknownPhoto, "photo", id: id, near: [])
            case .unknownGroup(let id): throw .unknownGroup(id, in: snapshot.model)
            case .noVectors(let detail): throw .noVectors(detail)
            case .badValue(let field, let complaint): throw .badField(field, complaint)
            }
        }
    }

    /// Reads members or photos for an answer; a failure is logged, and becomes a problem of status 503.
    func reading<Result>(_ body: () throws(Failure) -> Result) throws(Problem) -> Result {
        do throws(Failure) {
            let result = try body()
            responder.health.reading.worked()
            return result
        } catch { throw failedReading(error) }
    }

    /// Logs that members, photos or decisions cannot be read, and returns a problem of status 503.
    func failedReading(_ error: Failure) -> Problem {
        responder.health.reading.failed(error.message)
        return .unavailable(error)
    }

    /// Runs a function whose errors are temporary; an error becomes a problem of status 503.
    func orUnavailable<Result>(_ body: () throws(Failure) -> Result) throws(Problem) -> Result {
        do throws(Failure) { return try body() } catch { throw .unavailable(error) }
    }
}

extension Problem {
    static func forgottenMember(_ id: String) -> Problem { .unknown(.unknownUser, "user", id: id, near: []) }

    /// The group does not exist or is not shown; the answer does not tell which.
    static func unknownGroup(_ id: String, in model: VisibleModel) -> Problem {
        .unknown(.unknownGroup, "group", id: id, near: model.ids(near: id))
    }
}

extension Call {
    func apply(_ action: MemberChange.Action) throws(Problem) -> MemberChange.Outcome {
        let community = try community(with: .memberChanges)
        return try orUnavailable { () throws(Failure) in try community.apply(MemberChange(ofUser: id, action)) }
    }

    /// Applies a decision of the site, which takes effect at once.
    ///
    /// - Throws: a `Problem` of status 404 if there is no such group.
    func decide(_ action: SiteChange.Action, aboutGroup group: String) throws(Problem) -> SiteChange.Outcome {
        let community = try community(with: .siteDecisions)
        let change = SiteChange(ofGroup: group, action, atMilliseconds: responder.now())
        let (before, outcome) = try orUnavailable { () throws(Failure) in
            (try community.siteState(), try community.apply(change))
        }
        guard outcome != .unknownGroup else {
            // Administrators may learn of hidden groups.
            throw .unknownGroup(group, in: VisibleModel(try loadedSnapshot.model))
        }
        if outcome == .changed { noted(.site(change), on: before) }
        return outcome
    }
}

/// Whether the answer of a request may be given again to another one.
final class ReuseMark: Sendable {
    private let allowed = Atomic(true)

    var isAllowed: Bool { allowed.load(ordering: .relaxed) }

    func forbid() { allowed.store(false, ordering: .relaxed) }
}
