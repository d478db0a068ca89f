public import CatalogStore
public import Model
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
        self = try MemberProfile(userID: id, joined: joined, topics: member.interests)
            .replayingHistory(from: catalog, for: planner, atMilliseconds: instant)
    }

    /// The profile of memberships, with the catalog's interactions of the user replayed on top.
    ///
    /// The catalog has the time of every join that is known: a membership without one is older than any.
    func replayingHistory(from catalog: Catalog, for planner: Planner, atMilliseconds instant: Int64)
        throws(CatalogError) -> MemberProfile
    {
        let feedback = planner.configuration.feedback
        let history = try catalog.history(
            ofUser: userID, impressionsSince: feedback.earliestImpression(atMilliseconds: instant))
        let interactions = history.compactMap { Interaction($0, in: planner.model) }
        var profile = self
        profile.firstJoinAtMilliseconds = joined.map { $0.atMilliseconds ?? 0 }.min()
        return profile.replaying(
            interactions, atMilliseconds: instant, halfLifeDays: feedback.impressionHalfLifeDays)
    }
}

extension PhotoContext {
    /// A photo of the catalog; groups that the model does not show are left out.
    public init(_ photo: PhotoRecord, in model: VisibleModel) {
        func index(_ id: String) -> UInt32? { model.index(ofID: id).map(UInt32.init) }
        func known<Value>(_ values: [(id: String, value: Value)]) -> [UInt32: Value] {
            var known: [UInt32: Value] = [:]
            for (id, value) in values { if let group = index(id) { known[group] = value } }
            return known
        }
        self.init(
            groups: photo.groups.compactMap(index).sorted(),
            companions: known(
                photo.companionGroups.map { ($0.groupID, Companions(photos: $0.photos, share: $0.share)) }),
            ownerGroups: known(photo.ownerGroups.map { ($0.groupID, $0.photos) }),
            ownerMemberships: Set(photo.ownerMemberships.compactMap(index)),
            tags: photo.tags,
            place: photo.location.flatMap { PlaceCell(latitude: $0.latitude, longitude: $0.longitude) })
    }
}

extension SiteDecisions {
    /// What the catalog has, in terms of a model version; without a catalog, what the version was published with.
    public init(of catalog: Catalog?, in model: ModelVersion) throws(CatalogError) {
        guard let catalog else {
            self = .asPublished
            return
        }
        self.init(hidden: try catalog.unshownGroupIDs(), curations: try catalog.curations(), in: model)
    }
}
