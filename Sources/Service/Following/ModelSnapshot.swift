import Experiments
public import Model
import ModelStore
public import Recommendation
import Synchronization

/// One model version that was loaded: immutable, and taken once a request, so that no answer mixes two versions.
public final class ModelSnapshot: Sendable {
    /// The version's name.
    public let version: VersionName
    /// Its groups and neighbours.
    public let model: ModelVersion
    /// What it was built from.
    let manifest: Manifest
    /// The relations, blended as the deployment says.
    let relations: RelationTable
    /// Makes the lists of members, from all groups of the version.
    fileprivate let planner: Planner
    private let planning: Planning
    private let variants = Mutex<[(settings: [String: Double], planner: Planner)]>([])
    /// How many other ways to make lists are kept: more than one experiment at a time has arms.
    private static let variantLimit = 32
    /// The groups with the largest pools.
    fileprivate let popularPools: PopularPools
    /// The members published with it, on this machine; nil if there are none.
    let members: PublishedMembers?
    /// Whether members were published with it that are not on this machine yet.
    var lacksMembers: Bool { members == nil && manifest.members != nil }

    /// A version that was loaded from a store.
    init(_ loaded: LoadedVersion, members: PublishedMembers? = nil, planning: Planning) {
        self.members = members
        version = loaded.manifest.version
        model = loaded.model
        manifest = loaded.manifest
        relations = planning.configuration.relations
        self.planning = planning
        popularPools = PopularPools(VisibleModel(loaded.model), planning.configuration.relations)
        planner = Self.planner(model, manifest, planning)
    }

    /// The same version, but for how lists are made.
    init(_ other: ModelSnapshot, planning: Planning) {
        (version, model, manifest, members) = (other.version, other.model, other.manifest, other.members)
        relations = planning.configuration.relations
        self.planning = planning
        popularPools = other.popularPools
        planner = Self.planner(model, manifest, planning)
    }

    /// - Parameter settings: those that are to be others, by the names of `ListSetting`.
    private static func planner(
        _ model: ModelVersion, _ manifest: Manifest, _ planning: Planning, setting settings: [String: Double] = [:]
    ) -> Planner {
        let configuration = planning.configuration.weighted(by: manifest).setting(settings)
        return Planner(model: model, configuration: configuration, key: planning.key)
    }

    /// Makes the lists of members with other settings, by the names of `ListSetting`.
    ///
    /// - Complexity: that of a planner for settings that were not asked for before, else O(1).
    fileprivate func planner(setting settings: [String: Double]) -> Planner {
        guard !settings.isEmpty else { return planner }
        // Held meanwhile: others who need the same wait for it instead of making it again.
        return variants.withLock { variants in
            if let known = variants.first(where: { $0.settings == settings }) { return known.planner }
            let made = Self.planner(model, manifest, planning, setting: settings)
            if variants.count == Self.variantLimit { variants.removeFirst() }
            variants.append((settings, made))
            return made
        }
    }

    /// How long ago its recompute began, in seconds.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    func ageSeconds(at now: Int64) -> Int64 { max(0, now - manifest.createdAtMilliseconds) / 1000 }
}

/// A model version as one request sees it: with the site's decisions of one moment, hidden groups left out.
struct VisibleSnapshot {
    private let loaded: ModelSnapshot
    /// The groups that are shown.
    let model: VisibleModel
    /// Makes the lists of members.
    let planner: Planner

    init(_ loaded: ModelSnapshot, _ decisions: SiteDecisions = .asPublished) {
        self.loaded = loaded
        model = VisibleModel(loaded.model, decisions)
        planner = loaded.planner.showing(model)
    }

    /// Makes the lists of members with other settings, by the names of `ListSetting`.
    func planner(setting settings: [String: Double]) -> Planner {
        settings.isEmpty ? planner : loaded.planner(setting: settings).showing(model)
    }

    /// The version's name.
    var version: VersionName { loaded.version }
    /// What it was built from.
    var manifest: Manifest { loaded.manifest }
    /// The members published with it, on this machine; nil if there are none.
    var members: PublishedMembers? { loaded.members }
    /// Whether members were published with it that are not on this machine yet.
    var lacksMembers: Bool { loaded.lacksMembers }
    /// The relations that answers tell of.
    var relations: RelationTable { loaded.relations }
    /// Finds similar groups.
    var recommender: Recommender { Recommender(model: model, relations: relations) }

    /// Finds groups for photos; the version's own moment is its present, so that an answer depends on nothing but the
    /// version, the site's decisions and the photo.
    var photoRecommender: PhotoRecommender {
        PhotoRecommender(
            model: model, popular: loaded.popularPools, relations: relations, weights: PhotoWeights(manifest),
            at: manifest.createdAtMilliseconds / 1000)
    }
}

/// What members' lists depend on, beside the model version and the member.
public struct Planning: Sendable {
    /// How a list is made.
    public var configuration = PlanConfiguration()
    /// What the order of all members depends on; the same on all daemons.
    public var key = RotationKey(0, 0)

    /// The defaults of the design, and a key that everybody knows.
    public init() {}
}
