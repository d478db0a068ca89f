import Answers
import CatalogStore
import Model
import Recommendation

/// A request that has reached a route, with all that the route may use.
struct Call: Sendable {
    let responder: Responder
    let path: PathParameters
    let parameters: RequestParameters
    /// Whose token it bears; nil if the route asks for none, as where the daemon has no keys.
    let bearer: TokenClaims?
    /// Whether anybody may ask, though the daemon has keys: such an answer may tell nothing about a member.
    let isOpen: Bool
    /// The body; the handler decodes it.
    let body: [UInt8]
    /// The state of the store, read once a request.
    let state: VersionFollower.State
    /// Where the handler says which pages of lists it shows; nil if nothing is recorded of that.
    var shownPage: ShownPageSlot?

    /// The parameter `{id}` of the path.
    var id: String { path["id"] }

    /// Why the answer may not be of the current version, or may lack changes of other daemons; nil if all is well.
    var problem: String? { state.problem ?? responder.relay?.problem }

    /// The version that is loaded, whatever the site has decided.
    ///
    /// - Throws: a `Problem` of status 503 if there is none.
    var loadedSnapshot: ModelSnapshot {
        get throws(Problem) {
            guard let snapshot = state.snapshot else { throw .noModel(state) }
            return snapshot
        }
    }

    /// What answers about groups are made from, with what the site has decided by now; everything in an answer is of
    /// this one version.
    ///
    /// - Throws: a `Problem` of status 503 if there is no version, or the decisions cannot be read.
    var snapshot: VisibleSnapshot {
        get throws(Problem) {
            try visible(loadedSnapshot)
        }
    }

    /// A version with what the site has decided by now.
    func visible(_ loaded: ModelSnapshot) throws(Problem) -> VisibleSnapshot {
        guard let community = responder.community else { return VisibleSnapshot(loaded, responder.decisions) }
        do throws(ServiceError) {
            return VisibleSnapshot(loaded, try community.siteDecisions(in: loaded))
        } catch { throw failedReading(error) }
    }
}

extension Parameter {
    private static let topics = Parameter(
        "topics", .list(of: nil), "Only groups with one of these topics, separated by semicolons",
        example: "owls;snow")
    private static let joinPolicy = Parameter(
        "joinPolicy", .list(of: JoinPolicy.allCases.map(\.name)),
        "Only groups that one joins in one of these ways, separated by semicolons")
    private static let minimumMembers = Parameter(
        "minimumMembers", .integer(0...Int(Int32.max), standard: 0), "Only groups with at least so many members")
    private static let exclude = Parameter(
        "exclude", .list(of: nil), "Without these groups: their ids, separated by semicolons")

    /// What a request may ask of the groups in a list.
    static let filters = [topics, joinPolicy, minimumMembers, exclude]
}

extension Call {
    /// What the request asks of the groups; the route must declare `Parameter.filters`.
    func filter(in model: VisibleModel) -> GroupFilter {
        GroupFilter(
            topics: parameters.list("topics"), joinPolicies: parameters.list("joinPolicy"),
            minimumMembers: parameters.integer("minimumMembers"), excluding: parameters.list("exclude"), in: model)
    }
}

extension GroupFilter {
    /// What a client asks of the groups, in its words.
    ///
    /// Excluded groups that the model does not show are ignored: they are in no list.
    init(
        topics: [String], joinPolicies: [String], minimumMembers: Int, excluding ids: [String], in model: VisibleModel
    ) {
        self.init(
            topics: topics, joinPolicies: Set(JoinPolicy.allCases.filter { joinPolicies.contains($0.name) }),
            minimumMembers: minimumMembers,
            excluded: Set(ids.compactMap { model.index(ofID: $0).map { UInt32($0) } }))
    }
}

extension RequestParameters {
    /// What a session's list is kept under: the client's own id, and the filters, if there are any; nil without both.
    ///
    /// A list of other filters is another list, with a session of its own. No client's id has the NUL that stands
    /// before the filters.
    var sessionName: String? {
        let (client, filters) = (text("session"), filterText)
        return filters.isEmpty ? client : (client ?? "") + filters
    }

    /// What the request asks of the groups, as text: the same for the same filters; empty without any.
    var filterText: String {
        GroupFilter.text(
            topics: list("topics"), joinPolicies: list("joinPolicy"), minimumMembers: integer("minimumMembers"),
            excluding: list("exclude"))
    }
}

extension GroupFilter {
    /// What a client asks of the groups, as text: each filter behind a NUL; empty without any.
    static func text(topics: [String], joinPolicies: [String], minimumMembers: Int, excluding ids: [String])
        -> String
    {
        var text = ""
        for (name, values) in [
            ("topics", topics.map(Term.normalized)), ("joinPolicy", joinPolicies), ("exclude", ids),
        ] where !values.isEmpty {
            text +=
                "\0\(name)=" + Set(values).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: ";")
        }
        if minimumMembers > 0 { text += "\0minimumMembers=\(minimumMembers)" }
        return text
    }
}

extension Call {
    // What only a daemon that knows the community can answer: the words of problems.
    static let memberships = "who is a member of what"
    static let memberChanges = "what members do"
    static let siteDecisions = "what the site decides"
    static let photos = "photos"

    /// Members, photos and the site's decisions, and where changes are recorded.
    ///
    /// - Parameter knowledge: what the request is about.
    /// - Throws: a `Problem` of status 501 if the daemon serves groups alone.
    func community(with knowledge: String) throws(Problem) -> any CommunitySource {
        guard let community = responder.community else { throw .noCatalog(knowledge) }
        return community
    }

    /// The version that answers, where members are needed as well.
    ///
    /// - Throws: a `Problem` of status 501 if the daemon serves groups alone, of status 503 without a version.
    var snapshotWithMembers: VisibleSnapshot {
        get throws(Problem) {
            _ = try community(with: Self.memberships)
            return try snapshot
        }
    }

    /// What the list of a member depends on, right now.
    ///
    /// - Parameters:
    ///   - instant: the time, in Unix milliseconds.
    ///   - filter: what the request asks of the groups.
    /// - Returns: the request, and whether anything is known of the member: who joined the site a minute ago is in no
    ///   catalog yet, and gets a list all the same.
    /// - Throws: a `Problem` of status 404 if the site has forgotten the member.
    func planRequest(
        ofUser id: String, at instant: Int64, _ filter: GroupFilter, in snapshot: VisibleSnapshot
    ) throws(Problem) -> (PlanRequest, isKnown: Bool) {
        let community = try community(with: Self.memberships)
        let profile = try reading { () throws(ServiceError) in
            try community.profile(ofUser: id, in: snapshot, atMilliseconds: instant)
        }
        if profile == nil,
            try reading({ () throws(ServiceError) in try community.isForgotten(user: id) })
        {
            throw .forgottenMember(id)
        }
        let request = PlanRequest(
            profile: profile ?? MemberProfile(userID: id), atMilliseconds: instant, filter: filter)
        return (request, profile != nil)
    }

    /// The index of a group of the version.
    ///
    /// - Throws: a `Problem` of status 404 if there is none, or it is hidden: its existence does not leak.
    func group(_ id: String, in snapshot: VisibleSnapshot) throws(Problem) -> UInt32 {
        guard let group = snapshot.model.index(ofID: id) else { throw .unknownGroup(id, in: snapshot.model) }
        return UInt32(group)
    }

    /// Reads members or photos for an answer; a failure is logged, and the answer has status 503.
    func reading<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) {
            let result = try body()
            responder.reading?.worked()
            return result
        } catch { throw failedReading(error) }
    }

    /// Logs why members, photos or decisions cannot be read, and gives the problem of status 503.
    func failedReading(_ error: ServiceError) -> Problem {
        responder.reading?.failed(error.message)
        return .unavailable(error)
    }

    /// Runs what may fail for a while: the answer has status 503 then.
    func orUnavailable<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) { return try body() } catch { throw .unavailable(error) }
    }
}

extension Problem {
    /// The site has forgotten this member, and keeps nothing more of them.
    static func forgottenMember(_ id: String) -> Problem { .unknown(.unknownUser, "user", id: id, near: []) }

    /// There is no such group, or nobody may be told that there is.
    static func unknownGroup(_ id: String, in model: VisibleModel) -> Problem {
        .unknown(.unknownGroup, "group", id: id, near: model.ids(near: id))
    }
}

extension Call {
    /// Makes a change of the member that the path names.
    func apply(_ action: MemberChange.Action) throws(Problem) -> MemberChange.Outcome {
        let community = try community(with: Self.memberChanges)
        return try orUnavailable { () throws(ServiceError) in try community.apply(MemberChange(ofUser: id, action)) }
    }

    /// Makes a decision of the site, effective at once.
    ///
    /// - Throws: a `Problem` of status 404 if there is no such group.
    func decide(_ action: SiteChange.Action, aboutGroup group: String) throws(Problem) -> SiteChange.Outcome {
        let community = try community(with: Self.siteDecisions)
        let outcome = try orUnavailable { () throws(ServiceError) in
            try community.apply(SiteChange(ofGroup: group, action, atMilliseconds: responder.now()))
        }
        guard outcome != .unknownGroup else {
            // Administrators may be told of hidden groups.
            throw .unknownGroup(group, in: VisibleModel(try loadedSnapshot.model))
        }
        return outcome
    }
}
