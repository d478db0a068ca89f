import CatalogStore
import Experiments
package import Model
import ModelStore
package import Recommendation
import Synchronization

/// A loaded model version, which is immutable; a request takes it once, so that no answer mixes two versions.
package final class ModelSnapshot: Sendable {
    package let version: VersionName
    /// The version's groups and neighbours.
    package let model: ModelVersion
    /// The version's manifest.
    let manifest: Manifest
    /// The relations, with the weights of the configuration.
    let relations: RelationTable
    /// The planner for members' lists, over all groups of the version.
    let planner: Planner
    private let planning: Planning
    private let variants = Mutex<[(settings: [String: Double], planner: Planner)]>([])
    /// The most planners with other settings that are kept: several experiments may run at a time.
    private static let variantLimit = 32
    private let regions = Mutex<(hidden: Set<UInt32>, made: MapRegions)?>(nil)
    /// The groups with the largest pools.
    let popularPools: PopularPools
    /// The search for photos that look alike, or `nil` if the version has no vectors.
    let looks: LookSearch?
    /// The members published with the version, or `nil` if there are none on this machine.
    let members: PublishedMembers?
    /// Whether the version has published members that are needed, and that are not on this machine yet.
    let lacksMembers: Bool

    /// Creates a snapshot of a version that was loaded from a store.
    ///
    /// - Parameters:
    ///   - members: the members published with the version, if they are on this machine.
    ///   - needsMembers: whether the members are read from the version.
    init(
        _ loaded: LoadedVersion, members: PublishedMembers? = nil, needsMembers: Bool = true, planning: Planning
    ) {
        self.members = members
        lacksMembers = needsMembers && members == nil && loaded.manifest.members != nil
        version = loaded.manifest.version
        model = loaded.model
        manifest = loaded.manifest
        relations = planning.configuration.relations
        self.planning = planning
        popularPools = PopularPools(VisibleModel(loaded.model), planning.configuration.relations)
        // The bytes are those that the recompute checked; an index of a newer kind is not searched.
        looks = try? LookSearch(loaded.model.looks, manifest.looks)
        planner = Self.planner(model, manifest, planning)
    }

    init(_ other: ModelSnapshot, planning: Planning) {
        (version, model, manifest) = (other.version, other.model, other.manifest)
        (members, lacksMembers) = (other.members, other.lacksMembers)
        relations = planning.configuration.relations
        self.planning = planning
        popularPools = other.popularPools
        looks = other.looks
        planner = Self.planner(model, manifest, planning)
    }

    /// Returns a planner.
    ///
    /// - Parameter settings: the settings to override, by the names of `ListSetting`.
    private static func planner(
        _ model: ModelVersion, _ manifest: Manifest, _ planning: Planning, setting settings: [String: Double] = [:]
    ) -> Planner {
        let configuration = planning.configuration.weighted(by: manifest).setting(settings)
        return Planner(model: model, configuration: configuration, key: planning.key)
    }

    /// Returns a planner with some settings overridden, by the names of `ListSetting`.
    ///
    /// - Complexity: the cost of a new planner for settings that are not kept, otherwise O(1).
    func planner(setting settings: [String: Double]) -> Planner {
        guard !settings.isEmpty else { return planner }
        // The lock is held while a planner is made: others that need the same one wait instead of making another.
        return variants.withLock { variants in
            if let known = variants.first(where: { $0.settings == settings }) { return known.planner }
            let made = Self.planner(model, manifest, planning, setting: settings)
            if variants.count == Self.variantLimit { variants.removeFirst() }
            variants.append((settings, made))
            return made
        }
    }

    /// Returns the regions of the map, which are made anew after a group was hidden or shown.
    ///
    /// - Parameters:
    ///   - model: the version without the hidden groups.
    ///   - hidden: these groups.
    func mapRegions(of model: VisibleModel, without hidden: Set<UInt32>) -> MapRegions {
        regions.withLock { kept in
            if let kept, kept.hidden == hidden { return kept.made }
            let made = MapRegions(model, relations)
            kept = (hidden, made)
            return made
        }
    }

    /// Returns the time since the version's recompute began, in seconds.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    func ageSeconds(at now: Int64) -> Int64 { max(0, now - manifest.createdAtMilliseconds) / 1000 }
}

/// The inputs of members' lists besides the model version and the member.
package struct Planning: Sendable {
    package var configuration: PlanConfiguration
    /// The key of the rotation, which orders the lists of all members; the same on all daemons.
    package var key: RotationKey

    /// Creates a configuration with a key; the default key is public.
    package init(_ configuration: PlanConfiguration = PlanConfiguration(), key: RotationKey = RotationKey(0, 0)) {
        (self.configuration, self.key) = (configuration, key)
    }
}
