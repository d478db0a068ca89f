public import Model

/// What is known about a photo, in terms of a model's groups.
public struct PhotoContext: Sendable, Equatable {
    /// The groups whose pools it is in, ascending.
    public var groups: [UInt32]
    /// For each group, the photos in it that share a pool with this photo.
    public var companions: [UInt32: Companions]
    /// How many other public photos of its owner are in each group's pool.
    public var ownerGroups: [UInt32: Int]
    /// The groups its owner is a member of.
    public var ownerMemberships: Set<UInt32>
    /// Its tags, in upper or lower case.
    public var tags: [String]
    /// Where it was taken.
    public var place: PlaceCell?

    /// The photos of one group that share a pool with the photo.
    public struct Companions: Sendable, Equatable {
        /// How many of the examined photos are in the group.
        public var photos: Int
        /// Their share of the examined photos, 0 to 1.
        public var share: Double

        /// Companions.
        public init(photos: Int, share: Double) {
            self.photos = photos
            self.share = share
        }
    }

    /// A photo; whatever is not known is left out.
    public init(
        groups: [UInt32] = [], companions: [UInt32: Companions] = [:], ownerGroups: [UInt32: Int] = [:],
        ownerMemberships: Set<UInt32> = [], tags: [String] = [], place: PlaceCell? = nil
    ) {
        self.groups = groups
        self.companions = companions
        self.ownerGroups = ownerGroups
        self.ownerMemberships = ownerMemberships
        self.tags = tags
        self.place = place
    }

    /// Removes what is known about the photo's owner.
    public mutating func forgetOwner() {
        ownerGroups = [:]
        ownerMemberships = []
    }

    /// A single photo says little about an owner: as if there were so many more elsewhere.
    static let unknownPhotos = 5

    /// The share of so many photos among the owner's pool entries, those elsewhere included.
    func ownerShare(ofPhotos photos: Int) -> Double {
        Double(photos) / Double(ownerGroups.values.reduce(0, +) + Self.unknownPhotos)
    }
}

/// A group that is suggested for a photo, and why.
public struct PhotoSuggestion: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// The sum of its reasons' contributions, above 0.
    public var score: Double
    /// Why it is suggested, the largest contribution first; equal ones in the order of `Evidence`.
    public var reasons: [Reason]

    /// Part of a suggestion's score.
    public struct Reason: Sendable, Equatable {
        /// The kind of evidence, with its facts.
        public var evidence: Evidence
        /// Its part of the score, above 0.
        public var contribution: Double
    }

    /// Evidence for a group.
    public enum Evidence: Sendable, Equatable {
        /// So many photos in it share a pool with the photo.
        case sharedPools(photos: Int)
        /// Its photos have these tags of the photo, those with the greatest weight first.
        case tags([String])
        /// Its photos were taken near the photo: in this cell, which is the photo's own or an adjacent one.
        case place(PlaceCell)
        /// The photo's owner has so many other photos there, or is a member.
        case owner(photos: Int, isMember: Bool)
        /// It is a neighbour of a group that the photo, or its owner, is in; with so many common entries.
        case similarGroup(UInt32, by: Relation, common: UInt32)
        /// Its pool has so many photos, or it has so many members where there are no pools.
        case popular(count: Int)

        /// The kind of evidence, as answers write it.
        public var kind: String {
            switch self {
            case .sharedPools: "sharedPools"
            case .similarGroup: "similarGroup"
            case .tags: "tags"
            case .place: "place"
            case .owner: "owner"
            case .popular: "popular"
            }
        }
    }
}

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

/// The groups with the largest pools, or with the most members where there are no pools.
public struct PopularPools: Sendable {
    /// The largest first, equal ones in ascending order of the index.
    let groups: [UInt32]
    private let sizes: [UInt32]
    private let greatest: UInt32

    /// More groups are in no list.
    private static let limit = 2000

    /// The pools of a version.
    ///
    /// - Complexity: O(groups · log groups).
    public init(_ model: VisibleModel, _ relations: RelationTable = .standard) {
        func sizes(_ role: RelationFacts.Role) -> [UInt32] {
            guard let relation = relations[role]?.relation else { return [] }
            return (0..<model.groupCount).map { model.size(of: $0, in: relation) }
        }
        let pools = sizes(.pool)
        let found = pools.contains { $0 > 0 } ? pools : sizes(.membership)
        let ranked = found.indices.filter { found[$0] > 0 }.sorted { (found[$0], $1) > (found[$1], $0) }
        groups = ranked.prefix(Self.limit).map(UInt32.init)
        greatest = ranked.first.map { found[$0] } ?? 0
        self.sizes = found
    }

    /// n of a group: photos, or members where there are no pools.
    func size(of group: UInt32) -> Int { sizes.isEmpty ? 0 : Int(sizes[Int(group)]) }

    /// n relative to the greatest, 0 to 1.
    func share(of group: UInt32) -> Double { greatest > 0 ? Double(size(of: group)) / Double(greatest) : 0 }
}
