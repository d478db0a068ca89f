import Changes
public import Model
public import Recommendation

/// Reads the profiles of many members from a catalog, for one planner; it belongs to one thread at a time.
public final class CatalogProfiles {
    private let catalog: Catalog
    private let planner: Planner
    private var groups: GroupIndexes

    /// Creates a reader of profiles.
    ///
    /// - Complexity: O(groups · log groups).
    public init(_ catalog: Catalog, for planner: Planner) throws(CatalogError) {
        self.catalog = catalog
        self.planner = planner
        groups = try Self.groups(catalog, planner)
    }

    private static func groups(_ catalog: Catalog, _ planner: Planner) throws(CatalogError) -> GroupIndexes {
        try catalog.snapshot { () throws(CatalogError) in
            try catalog.groupIndexes { planner.model.index(ofID: $0).map(UInt32.init) }
        }
    }

    /// Returns the profiles of users at an instant, all from one snapshot, with `nil` for unknown users.
    public func profiles(of users: some Collection<String>, atMilliseconds instant: Int64)
        throws(CatalogError) -> [MemberProfile?]
    {
        while true {
            let profiles = try catalog.snapshot { () throws(CatalogError) -> [MemberProfile?]? in
                guard try catalog.isCurrent(groups) else { return nil }
                var profiles: [MemberProfile?] = []
                for user in users { profiles.append(try profile(of: user, atMilliseconds: instant)) }
                return profiles
            }
            if let profiles { return profiles }
            groups = try Self.groups(catalog, planner)
        }
    }

    private func profile(of user: String, atMilliseconds instant: Int64) throws(CatalogError) -> MemberProfile? {
        guard let member = try catalog.member(withID: user, in: groups) else { return nil }
        let joined = member.memberships.map { membership in
            MemberProfile.JoinedGroup(group: membership.group, atMilliseconds: membership.joinedAt.map { $0 * 1000 })
        }
        let profile = MemberProfile(
            userID: user, joined: joined.sorted { $0.group < $1.group }, topics: member.interests)
        return try profile.replayingHistory(from: catalog, for: planner, atMilliseconds: instant)
    }
}

extension MemberProfile {
    /// Creates the profile of a user at an instant from a catalog, or returns `nil` if there is no such user.
    ///
    /// The profile has the memberships, the interactions replayed on top, and the stated interests. Groups that the
    /// planner's model does not show, such as private ones, are left out.
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

    /// Returns this profile of memberships, with the user's interactions in the catalog replayed on top.
    ///
    /// The catalog has every known join time, so a membership without one counts as older than any other.
    func replayingHistory(from catalog: Catalog, for planner: Planner, atMilliseconds instant: Int64)
        throws(CatalogError) -> MemberProfile
    {
        let feedback = planner.configuration.feedback
        let history = try catalog.history(
            ofUser: userID, impressionsSince: feedback.earliestImpression(atMilliseconds: instant))
        let interactions = history.compactMap { Interaction($0, in: planner.model) }
        var profile = self
        profile.hints = try catalog.hints(ofUser: userID, for: planner)
        profile.firstJoinAtMilliseconds = joined.map { $0.atMilliseconds ?? 0 }.min()
        return profile.replaying(
            interactions, atMilliseconds: instant, halfLifeDays: feedback.impressionHalfLifeDays)
    }
}

extension PhotoContext {
    /// Creates the context of a photo in the catalog; groups that the model does not show are left out.
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
    /// Creates the decisions from a catalog, or as published with the version if there is no catalog.
    public init(of catalog: Catalog?, in model: ModelVersion) throws(CatalogError) {
        guard let catalog else {
            self = .asPublished
            return
        }
        self.init(hidden: try catalog.unshownGroupIDs(), curations: try catalog.curations(), in: model)
    }
}
