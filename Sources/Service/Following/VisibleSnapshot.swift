package import Answers
import Basics
import CatalogStore
import Experiments
package import Model
package import ModelStore
package import Recommendation

/// A model version as one request or command sees it: hidden groups are left out, by the site's decisions at one
/// moment.
package struct VisibleSnapshot {
    private let loaded: ModelSnapshot
    private let hidden: Set<UInt32>
    /// The groups that are shown.
    package let model: VisibleModel
    /// The planner for members' lists.
    package let planner: Planner
    /// The version as answers name it.
    let served: ServedVersion

    init(_ loaded: ModelSnapshot, _ decisions: SiteDecisions = .asPublished, degraded: Bool = false) {
        self.loaded = loaded
        hidden = decisions.hidden
        model = VisibleModel(loaded.model, decisions)
        planner = loaded.planner.showing(model)
        served = ServedVersion(loaded.version, degraded: degraded)
    }

    /// Creates the view of a command; it is never degraded, because a command reads exactly the requested version.
    ///
    /// - Parameter members: the members published with the version, if the command needs them.
    package init(
        _ version: LoadedVersion, _ decisions: SiteDecisions = .asPublished, members: PublishedMembers? = nil,
        planning: Planning
    ) {
        self.init(ModelSnapshot(version, members: members, planning: planning), decisions)
    }

    /// Returns a planner with some settings overridden, by the names of `ListSetting`.
    func planner(setting settings: [String: Double]) -> Planner {
        settings.isEmpty ? planner : loaded.planner(setting: settings).showing(model)
    }

    var version: VersionName { loaded.version }
    /// The version's manifest.
    var manifest: Manifest { loaded.manifest }
    /// The members published with the version, or `nil` if there are none on this machine.
    var members: PublishedMembers? { loaded.members }
    /// Whether the version has published members that are needed, and that are not on this machine yet.
    var lacksMembers: Bool { loaded.lacksMembers }
    /// Returns the data that was published of a user, or `nil` if there is none.
    func publishedMember(withID id: String) throws(Failure) -> PublishedMember? {
        guard !lacksMembers else {
            throw Failure(
                .corrupt, "the memberships of version \(version) are not on this machine yet")
        }
        do throws(Failure) { return try members?.member(withID: id) } catch {
            throw Failure(.corrupt, "memberships cannot be read: \(error.message)")
        }
    }

    /// The relations that answers show.
    var relations: RelationTable { loaded.relations }
    /// The groups that are too similar to one another.
    var ceiling: SimilarityCeiling { loaded.planner.ceiling }
    /// The recommender of similar groups.
    var recommender: Recommender { Recommender(model: model, relations: relations, ceiling) }

    /// Returns the groups that are most similar to a group.
    package func similarGroups(
        to group: UInt32, by relation: String, limit: Int, filter: GroupFilter = .none, boosts: [Boost] = []
    ) -> SimilarGroups {
        SimilarGroups(
            served, to: group, by: relation, limit: limit, filter: filter, boosts: boosts, recommender)
    }

    /// Returns the groups that grow faster than usual.
    package func trendingGroups(limit: Int) -> TrendingGroups { TrendingGroups(served, in: model, limit: limit) }

    /// The regions of the map.
    var mapRegions: MapRegions { loaded.mapRegions(of: model, without: hidden) }

    /// Returns a part of the map of all groups, which begins behind an id.
    func map(after id: String?, limit: Int) -> GroupMap {
        GroupMap(served, in: model, mapRegions, relations, after: id, limit: limit)
    }

    /// The groups with the largest pools.
    var popularPools: PopularPools { loaded.popularPools }
    /// The search for photos that look alike, or `nil` if the version has no vectors.
    var looks: LookSearch? { loaded.looks }
}
