import CatalogStore
import Model
import Recommendation

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
