package import Model

/// A photo's groups, companions, owner, tags and place, in terms of a model's groups.
package struct PhotoContext: Sendable, Equatable {
    /// The groups whose pools have the photo, ascending.
    package var groups: [UInt32]
    /// The photos that share a pool with this photo, by the group whose pool has them.
    package var companions: [UInt32: Companions]
    /// The number of the owner's other public photos in each group's pool.
    package var ownerGroups: [UInt32: Int]
    /// The groups that the photo's owner is a member of.
    package var ownerMemberships: Set<UInt32>
    /// The photo's tags, in any letter case.
    package var tags: [String]
    /// The cell in which the photo was taken, if known.
    package var place: PlaceCell?
    /// The photos that look like it, best first, without itself.
    package var lookalikes: [Lookalike] = []

    /// The photos of one group that share a pool with the photo.
    package struct Companions: Sendable, Equatable {
        /// The number of examined photos that are in the group.
        package var photos: Int
        /// The group's share of the examined photos, 0 to 1.
        package var share: Double

        package init(photos: Int, share: Double) {
            self.photos = photos
            self.share = share
        }
    }

    /// Creates a photo; an argument that is left out is not known.
    package init(
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

    /// Removes everything that is known about the photo's owner.
    package mutating func forgetOwner() {
        ownerGroups = [:]
        ownerMemberships = []
    }

    /// The number of further photos elsewhere that an owner is assumed to have.
    ///
    /// A single photo says little about its owner; the assumption keeps the photo's share low.
    static let unknownPhotos = 5

    /// Returns the share of some photos among the owner's pool entries, the unknown ones elsewhere included.
    func ownerShare(ofPhotos photos: Int) -> Double {
        Double(photos) / Double(ownerGroups.values.reduce(0, +) + Self.unknownPhotos)
    }
}

/// A group that is suggested for a photo, with the reasons.
package struct PhotoSuggestion: Sendable, Equatable {
    /// The group's index in the model.
    package var group: UInt32
    /// The sum of the reasons' contributions, above 0.
    package var score: Double
    /// The reasons, the largest contribution first; equal ones in the order of `Evidence`.
    package var reasons: [Reason]

    /// A part of a suggestion's score.
    package struct Reason: Sendable, Equatable {
        /// The kind of evidence, with its facts.
        package var evidence: Evidence
        /// The part of the score that this reason contributes, above 0.
        package var contribution: Double
    }

    /// Evidence for a group.
    package enum Evidence: Sendable, Equatable {
        /// The number of photos in the group that share a pool with the photo.
        case sharedPools(photos: Int)
        /// The tags that the photo has in common with the group's photos, the greatest weight first.
        case tags([String])
        /// The cell near the photo where the group's photos were taken: the photo's own or an adjacent one.
        case place(PlaceCell)
        /// The number of the owner's other photos in the group, and whether the owner is a member.
        case owner(photos: Int, isMember: Bool)
        /// A group of the photo or its owner that has this group as a neighbour, with their common entries.
        case similarGroup(UInt32, by: Relation, common: UInt32)
        /// The number of photos in the group's pool, or of its members where there are no pools.
        case popular(count: Int)
        /// Some of the photos in the group that look like the photo, best first.
        case looksLike(photos: [String])

        /// The name of the kind of evidence in answers.
        package var kind: String {
            switch self {
            case .sharedPools: "sharedPools"
            case .similarGroup: "similarGroup"
            case .tags: "tags"
            case .place: "place"
            case .owner: "owner"
            case .popular: "popular"
            case .looksLike: "looksLike"
            }
        }
    }
}

/// The weights of the kinds of evidence.
///
/// Each weight is multiplied by the evidence, a number from 0 to about 1.
package struct PhotoWeights: Sendable, Equatable {
    /// The weight of the neighbours of the photo's groups, or of its owner's groups.
    package var similarGroups = 1.0
    /// The further factor for neighbours by relations other than pools; each relation also has its own weight.
    package var otherRelations = 1.0
    /// The weight of photos that share a pool with the photo, since people put them into the same groups.
    ///
    /// Similar groups say nearly the same, and say it better: this weight only breaks ties.
    package var sharedPools = 0.1
    package var tags = 2.0
    package var place = 1.0
    /// The weight of the owner's photos in the group, as a share of all the owner's pool entries.
    package var ownerPhotos = 1.0
    /// The weight of the owner's membership.
    package var ownerMembership = 0.25
    /// The weight of photos that look like the photo, beside other evidence, if it is in a pool.
    package var lookInPools = 2.0
    /// The same for a photo in no pool.
    package var lookInNoPool = 2.0
    /// The weight of the size of the group's pool; above 0, so that popular groups can fill up a list.
    package var popularity = 0.001

    package init() {}

    /// Creates the weights that evidence chose for a version, and the usual ones where there was no evidence.
    package init(_ manifest: Manifest) { self.init(manifest.photoWeights) }

    /// Creates the weights that evidence chose, and the usual ones where there was no evidence.
    package init(_ chosen: Manifest.PhotoWeights?) {
        guard let chosen else { return }
        otherRelations = chosen.otherRelations
        popularity = chosen.popularity
        lookInPools = chosen.lookInPools ?? lookInPools
        lookInNoPool = chosen.lookInNoPool ?? lookInNoPool
    }
}

/// The groups with the largest pools, or with the most members where there are no pools.
package struct PopularPools: Sendable {
    /// The groups, the largest first; equal ones in ascending order of the index.
    let groups: [UInt32]
    private let sizes: [UInt32]
    private let greatest: UInt32
    /// The number of photos with vectors in each group; empty if the version has none.
    let lookCounts: [UInt32]

    /// The greatest number of groups that are kept; no list needs more.
    private static let limit = 2000

    /// Ranks the groups of a version.
    ///
    /// - Complexity: O(groups · log groups).
    package init(_ model: VisibleModel, _ relations: RelationTable = .standard) {
        func sizes(_ role: RelationDescription.Role) -> [UInt32] {
            guard let relation = relations[role]?.relation else { return [] }
            return (0..<model.groupCount).map { model.size(of: $0, in: relation) }
        }
        let pools = sizes(.pool)
        let found = pools.contains { $0 > 0 } ? pools : sizes(.membership)
        let ranked = found.indices.filter { found[$0] > 0 }.sorted { (found[$0], $1) > (found[$1], $0) }
        groups = ranked.prefix(Self.limit).map(UInt32.init)
        greatest = ranked.first.map { found[$0] } ?? 0
        self.sizes = found
        lookCounts = model.looks?.photoCounts(groupCount: model.groupCount) ?? []
    }

    /// Returns the number of photos in a group's pool, or of its members where there are no pools.
    func size(of group: UInt32) -> Int { sizes.isEmpty ? 0 : Int(sizes[Int(group)]) }

    /// Returns the size of a group relative to the largest group, 0 to 1.
    func share(of group: UInt32) -> Double { greatest > 0 ? Double(size(of: group)) / Double(greatest) : 0 }
}
