public import CatalogStore
import Model
public import Recommendation

extension MemberProfile {
    /// What a catalog knows of a user at an instant: memberships with interactions replayed on top, and stated interests.
    ///
    /// Groups that the planner's model does not have, as private ones, are left out.
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

extension Interaction {
    /// An interaction in terms of a model version; nil if the version does not have the group.
    init?(_ record: InteractionRecord, in model: ModelVersion) {
        guard let group = model.index(ofID: record.groupID) else { return nil }
        self.init(.init(record.kind), group: UInt32(group), atMilliseconds: record.atMilliseconds)
    }
}

extension Interaction.Kind {
    init(_ kind: InteractionRecord.Kind) {
        self =
            switch kind {
            case .join: .join
            case .leave: .leave
            case .dismiss: .dismiss
            case .undismiss: .undismiss
            case .click: .click
            case .impression: .impression
            }
    }
}
