public import CatalogStore
import Model
public import Recommendation

extension MemberProfile {
    /// What a catalog knows of a user at an instant: memberships with interactions replayed on top, and stated
    /// interests.
    ///
    /// Groups that the planner's model does not show, as private ones, are left out.
    ///
    /// - Returns: nil if there is no such user.
    public init?(ofUser id: String, from catalog: Catalog, for planner: Planner, atMilliseconds instant: Int64)
        throws(CatalogError)
    {
        guard let member = try catalog.member(withID: id) else { return nil }
        func index(_ groupID: String) -> UInt32? { planner.model.index(ofID: groupID).map(UInt32.init) }
        let joined = member.memberships.compactMap { membership in
            index(membership.groupID).map { group in
                JoinedGroup(group: group, atMilliseconds: membership.joinedAt.map { $0 * 1000 })
            }
        }
        let feedback = planner.configuration.feedback
        let history = try catalog.history(
            ofUser: id, impressionsSince: feedback.earliestImpression(atMilliseconds: instant))
        let interactions = history.compactMap { Interaction($0, in: planner.model) }
        self = MemberProfile(userID: id, joined: joined, topics: member.interests)
            .replaying(interactions, atMilliseconds: instant, halfLifeDays: feedback.impressionHalfLifeDays)
    }
}
