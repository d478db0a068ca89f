public import Model

/// The weights of the kinds of evidence, each of which is a number from 0 to about 1 before it is weighted.
public struct PhotoWeights: Sendable, Equatable {
    /// Groups that have much in common with the photo's groups, or with its owner's, by the relation of pools.
    public var similarGroups = 1.0
    /// The same by other relations, beside their own weights.
    public var otherRelations = 1.0
    /// Photos that share a pool with it, because people put them in the same groups.
    ///
    /// Similar groups say nearly the same, and better: this breaks ties.
    public var sharedPools = 0.1
    /// Tags.
    public var tags = 2.0
    /// The location.
    public var place = 1.0
    /// The owner's photos in the group, by their share of all their pool entries.
    public var ownerPhotos = 1.0
    /// The owner's membership.
    public var ownerMembership = 0.25
    /// The size of the group's pool; above 0, so that lists do not end before popular groups do.
    public var popularity = 0.001

    /// The usual weights.
    public init() {}

    /// The weights of a version, chosen by evidence as far as there was some.
    public init(_ manifest: Manifest) {
        guard let chosen = manifest.photoWeights else { return }
        otherRelations = chosen.otherRelations
        popularity = chosen.popularity
    }
}
