public import CatalogStore
import Model
public import Recommendation

/// Reads the profiles of many members from a catalog, for one planner; it belongs to one thread at a time.
public final class CatalogProfiles {
    private let catalog: Catalog
    private let planner: Planner
    private var groups: GroupIndexes

    /// A reader of profiles.
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

    /// The profiles of users at an instant, all of one moment; nil for users that there are not.
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
