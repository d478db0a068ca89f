public import Catalog
public import Model
public import Recommendation

extension MemberProfile {
    /// A member of the catalog; groups that the version does not have, as private ones, are left out.
    public init(_ member: MemberRecord, in model: ModelVersion) {
        let joined = member.memberships.compactMap { membership in
            model.index(ofID: membership.groupID).map { group in
                JoinedGroup(group: UInt32(group), atMilliseconds: membership.joinedAt.map { $0 * 1000 })
            }
        }
        self.init(userID: member.id, joined: joined, topics: member.interests)
    }
}
