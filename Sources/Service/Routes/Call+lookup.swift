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
    var snapshotWithMembers: ModelSnapshot {
        get throws(Problem) {
            _ = try community(with: Self.memberships)
            return try snapshot
        }
    }

    /// What is known of the member that the path names, at an instant in Unix milliseconds.
    func profile(in snapshot: ModelSnapshot, atMilliseconds instant: Int64) throws(Problem) -> MemberProfile {
        let community = try community(with: Self.memberships)
        let profile = try reading { () throws(ServiceError) in
            try community.profile(ofUser: id, in: snapshot, atMilliseconds: instant)
        }
        guard let profile else { throw .unknown(.unknownUser, "user", id: id, near: try usersNear(in: community)) }
        return profile
    }

    /// What the list of the member that the path names depends on, right now.
    func planRequest(in snapshot: ModelSnapshot) throws(Problem) -> PlanRequest {
        let instant = responder.now()
        let profile = try profile(in: snapshot, atMilliseconds: instant)
        let site = try siteDecisions(in: snapshot)
        return PlanRequest(profile: profile, atMilliseconds: instant, hidden: site.hidden, curated: site.curated)
    }

    /// What the site has decided by now.
    func siteDecisions(in snapshot: ModelSnapshot) throws(Problem) -> SiteDecisions {
        guard let community = responder.community else { return .asPublished }
        return try reading { () throws(ServiceError) in try community.siteDecisions(in: snapshot) }
    }

    /// The index of a group of the version, be it hidden or not.
    func group(_ id: String, in snapshot: ModelSnapshot) throws(Problem) -> UInt32 {
        guard let group = snapshot.model.index(ofID: id) else {
            throw .unknownGroup(id, in: snapshot, hidden: try siteDecisions(in: snapshot).hidden)
        }
        return UInt32(group)
    }

    /// Ids of users near one that does not exist; none for a member, who must not learn of other members.
    private func usersNear(in community: any CommunitySource) throws(Problem) -> [String] {
        guard bearer == nil else { return [] }
        return try reading { () throws(ServiceError) in try community.userIDs(near: id) }
    }

    /// Reads members, photos or decisions for an answer; a failure is logged, and the answer has status 503.
    func reading<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) {
            let result = try body()
            responder.failures?.worked()
            return result
        } catch {
            responder.failures?.failed(error.message)
            throw .unavailable(error)
        }
    }

    /// Runs what may fail for a while: the answer has status 503 then.
    func orUnavailable<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) { return try body() } catch { throw .unavailable(error) }
    }
}

extension Problem {
    /// There is no such group, or nobody may be told that there is.
    ///
    /// - Parameter hidden: groups that are taken for ones that do not exist.
    static func unknownGroup(_ id: String, in snapshot: ModelSnapshot, hidden: Set<UInt32>) -> Problem {
        .unknown(.unknownGroup, "group", id: id, near: snapshot.groupIDs(near: id, except: hidden))
    }
}
