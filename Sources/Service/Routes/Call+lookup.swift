import Model
import Recommendation

extension Call {
    /// The version that answers, where the directory is needed as well.
    ///
    /// - Parameter knowledge: what only the directory knows.
    /// - Throws: a `Problem` of status 501 without a directory, of status 503 without a version.
    func snapshot(with knowledge: String) throws(Problem) -> ModelSnapshot {
        guard directory != nil else { throw .noCatalog(knowledge) }
        return try snapshot
    }

    /// What is known of the member that the path names, at an instant in Unix milliseconds.
    func profile(in snapshot: ModelSnapshot, atMilliseconds instant: Int64) throws(Problem) -> MemberProfile {
        guard let directory else { throw .noCatalog("who is a member of what") }
        let profile = try Responder.reading { () throws(ServiceError) in
            try directory.profile(ofUser: id, in: snapshot, atMilliseconds: instant)
        }
        guard let profile else { throw .unknown(.unknownUser, "user", id: id, near: try usersNear(in: directory)) }
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
        guard let directory else { return .asPublished }
        return try Responder.reading { () throws(ServiceError) in try directory.siteDecisions(in: snapshot) }
    }

    /// The index of a group of the version, be it hidden or not.
    func group(_ id: String, in snapshot: ModelSnapshot) throws(Problem) -> UInt32 {
        guard let group = snapshot.model.index(ofID: id) else {
            throw .unknownGroup(id, in: snapshot, hidden: try siteDecisions(in: snapshot).hidden)
        }
        return UInt32(group)
    }

    /// Ids of users near one that does not exist; none for a member, who must not be told who else there is.
    private func usersNear(in directory: any MemberDirectory) throws(Problem) -> [String] {
        guard bearer == nil else { return [] }
        return try Responder.reading { () throws(ServiceError) in try directory.userIDs(near: id) }
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

extension Responder {
    /// Runs what may fail for a while, and answers with status 503 then.
    static func reading<Result>(_ body: () throws(ServiceError) -> Result) throws(Problem) -> Result {
        do throws(ServiceError) { return try body() } catch { throw .unavailable(error) }
    }
}
