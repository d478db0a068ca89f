public import Model
import ModelStore
import Recommendation

/// One model version as requests see it: immutable, and taken once a request, so that no answer mixes two versions.
public final class ModelSnapshot: Sendable {
    /// The version's name.
    public let version: VersionName
    /// Its groups and neighbours.
    public let model: ModelVersion
    /// What it was built from.
    let manifest: Manifest
    /// Makes the lists of members.
    let planner: Planner
    /// The relations that answers tell of.
    var relations: RelationTable { planner.configuration.relations }
    let recommender: Recommender
    /// The members published with it, on this machine; nil if there are none.
    let members: PublishedMembers?
    /// Whether members were published with it that are not on this machine yet.
    var lacksMembers: Bool { members == nil && manifest.members != nil }
    /// The version's own moment is its present, so that an answer depends on nothing but the version and the photo.
    let photoRecommender: PhotoRecommender

    /// A version that was loaded from a store.
    init(_ loaded: LoadedVersion, members: PublishedMembers? = nil, planning: Planning) {
        self.members = members
        version = loaded.manifest.version
        model = loaded.model
        manifest = loaded.manifest
        planner = Planner(model: loaded.model, configuration: planning.configuration, key: planning.key)
        recommender = Recommender(model: loaded.model, relations: planning.configuration.relations)
        photoRecommender = PhotoRecommender(
            model: loaded.model, relations: planning.configuration.relations,
            at: loaded.manifest.createdAtMilliseconds / 1000)
    }

    /// How long ago its recompute began, in seconds.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    func ageSeconds(at now: Int64) -> Int64 { max(0, now - manifest.createdAtMilliseconds) / 1000 }

    /// Ids of groups that sort next to one that does not exist: at most `count` of them, ascending.
    ///
    /// - Parameter hidden: groups that are left out.
    func groupIDs(near id: String, count: Int = 6, except hidden: Set<UInt32> = []) -> [String] {
        func isShown(_ group: Int) -> Bool { !hidden.contains(UInt32(group)) }
        let index = model.lowerBound(of: id)
        let before = (0..<index).reversed().lazy.filter(isShown).prefix(count).reversed()
        let near = before + (index..<model.groupCount).lazy.filter(isShown).prefix(count)
        let first = max(0, min(before.count - count / 2, near.count - count))
        return near.dropFirst(first).prefix(count).map { model.id(of: $0) }
    }
}
