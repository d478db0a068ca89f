public import Answers
import CatalogStore
import Experiments
public import Model
public import ModelStore
public import Recommendation

/// A model version as one request or command sees it: hidden groups are left out, by the site's decisions at one
/// moment.
public struct VisibleSnapshot {
    private let loaded: ModelSnapshot
    /// The groups that are shown.
    public let model: VisibleModel
    /// The planner for members' lists.
    public let planner: Planner
    /// The version as answers name it.
    let served: ServedVersion

    init(_ loaded: ModelSnapshot, _ decisions: SiteDecisions = .asPublished, degraded: Bool = false) {
        self.loaded = loaded
        model = VisibleModel(loaded.model, decisions)
        planner = loaded.planner.showing(model)
        served = ServedVersion(loaded.version, degraded: degraded)
    }

    /// Creates the view of a command; it is never degraded, because a command reads exactly the requested version.
    ///
    /// - Parameter members: the members published with the version, if the command needs them.
    public init(
        _ version: LoadedVersion, _ decisions: SiteDecisions = .asPublished, members: PublishedMembers? = nil,
        planning: Planning
    ) {
        self.init(ModelSnapshot(version, members: members, planning: planning), decisions)
    }

    /// Returns a planner with some settings overridden, by the names of `ListSetting`.
    func planner(setting settings: [String: Double]) -> Planner {
        settings.isEmpty ? planner : loaded.planner(setting: settings).showing(model)
    }

    /// The version's name.
    var version: VersionName { loaded.version }
    /// The version's manifest.
    var manifest: Manifest { loaded.manifest }
    /// The members published with the version, or `nil` if there are none on this machine.
    var members: PublishedMembers? { loaded.members }
    /// Whether the version has published members that are needed, and that are not on this machine yet.
    var lacksMembers: Bool { loaded.lacksMembers }
    /// Returns the data that was published of a user, or `nil` if there is none.
    func publishedMember(withID id: String) throws(ServiceError) -> PublishedMember? {
        guard !lacksMembers else {
            throw ServiceError(
                .publishedMembersFailed, "the memberships of version \(version) are not on this machine yet")
        }
        do throws(StoreError) { return try members?.member(withID: id) } catch {
            throw ServiceError(.publishedMembersFailed, "memberships cannot be read: \(error.message)")
        }
    }

    /// The relations that answers show.
    var relations: RelationTable { loaded.relations }
    /// The recommender of similar groups.
    var recommender: Recommender { Recommender(model: model, relations: relations) }

    /// Returns the groups that are most similar to a group.
    public func similarGroups(
        to group: UInt32, by relation: String, limit: Int, filter: GroupFilter = .none, boosts: [Boost] = []
    ) -> SimilarGroups {
        SimilarGroups(
            served, to: group, by: relation, limit: limit, filter: filter, boosts: boosts, recommender)
    }

    /// Returns the groups that grow faster than usual.
    public func trendingGroups(limit: Int) -> TrendingGroups { TrendingGroups(served, in: model, limit: limit) }

    /// The groups with the largest pools.
    var popularPools: PopularPools { loaded.popularPools }
    /// The search for photos that look alike, or `nil` if the version has no vectors.
    var looks: LookSearch? { loaded.looks }
}

/// The inputs of a member's list, in terms of the version that it is made from.
public struct MemberContext {
    let snapshot: VisibleSnapshot
    /// The request for the list, with the member's profile.
    public let request: PlanRequest
    /// Whether any data about the member is known.
    let isKnown: Bool
    /// The arms that the list is made for.
    let arms: [AssignedArm]
    /// The planner with the settings of these arms.
    let planner: Planner

    /// Creates the inputs of a list.
    ///
    /// - Parameters:
    ///   - settings: the settings to override, by the names of `ListSetting`.
    init(
        _ snapshot: VisibleSnapshot, _ request: PlanRequest, isKnown: Bool, arms: [AssignedArm],
        setting settings: [String: Double]
    ) {
        (self.snapshot, self.request, self.isKnown, self.arms) = (snapshot, request, isKnown, arms)
        planner = snapshot.planner(setting: settings)
    }

    /// Creates the inputs of the list of a known member who is in no experiment.
    public init(_ snapshot: VisibleSnapshot, _ request: PlanRequest) {
        self.init(snapshot, request, isKnown: true, arms: [], setting: [:])
    }

    /// Returns the first page of a list that no session stores.
    ///
    /// - Parameter reasonLimit: the most reasons that a row gives.
    public func recommendations(
        _ plan: Plan, limit: Int, reasonLimit: Int = SuggestedGroup.reasonLimit
    ) -> Recommendations {
        Recommendations(
            snapshot.served, id: recommendationID(of: plan), bucket: plan.bucket,
            interests: plan.interests.map { MemberInterest($0, in: snapshot.model) }, items: plan.items, limit: limit,
            reasonLimit: reasonLimit, for: request.profile, isKnown: isKnown, planner)
    }

    /// Returns the id that interactions use for the list they come from.
    func recommendationID(of plan: Plan) -> String {
        Recommendations.id(of: plan, forUser: request.profile.userID, snapshot.version)
    }

    /// Returns the reason why a group is in a list that is made now, or why it is not.
    func explanation(of group: UInt32) -> Explanation {
        Explanation(snapshot.served, of: group, planner, request)
    }
}
