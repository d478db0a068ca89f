public import Recommendation

/// Who is a member of what, and which photos are where, in terms of a model version's groups.
///
/// Called from several threads at a time. Groups that the version does not have, as private ones, are left out.
public protocol MemberDirectory: ChangeSource {
    /// Whether it knows photos at all.
    var knowsPhotos: Bool { get }

    /// What is known of a user at an instant, in Unix milliseconds; nil if there is no such user.
    func profile(ofUser id: String, in snapshot: ModelSnapshot, atMilliseconds instant: Int64) throws(ServiceError)
        -> MemberProfile?

    /// What the site has decided by now.
    func siteDecisions(in snapshot: ModelSnapshot) throws(ServiceError) -> SiteDecisions

    /// Ids of users that are close to one that does not exist; a handful at most.
    func userIDs(near id: String) throws(ServiceError) -> [String]

    /// What is known of a photo; nil if there is no such photo, or it is not public.
    func context(ofPhoto id: String, in snapshot: ModelSnapshot) throws(ServiceError) -> PhotoContext?
}

extension MemberDirectory {
    /// Nothing changes, unless a directory says otherwise.
    public func noteOutsideChanges(in changes: ChangeClock) {}
}
