public import Model

/// A group that a photo could go to, and why.
public struct PhotoSuggestion: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// The sum of what its reasons contribute, above 0.
    public var score: Double
    /// What brought it, the largest contribution first; equal ones in the order of `Evidence`.
    public var reasons: [Reason]

    /// Part of a suggestion's score.
    public struct Reason: Sendable, Equatable {
        /// What speaks for the group.
        public var evidence: Evidence
        /// What it adds to the score, above 0.
        public var contribution: Double
    }

    /// What can speak for a group.
    public enum Evidence: Sendable, Equatable {
        /// So many photos that share pools with the photo are in it.
        case sharedPools(photos: Int)
        /// Its photos have these tags of the photo, the most telling first.
        case tags([String])
        /// Its photos were taken near the photo: in this cell, the photo's own or one beside it.
        case place(PlaceCell)
        /// The photo's owner has so many other photos there, or is a member.
        case owner(photos: Int, isMember: Bool)
        /// It is a neighbour of a group that the photo, or its owner, is in; with so many common entries.
        case similarGroup(UInt32, by: Relation, common: UInt32)

        /// The kind of evidence, as answers write it.
        public var kind: String {
            switch self {
            case .sharedPools: "sharedPools"
            case .similarGroup: "similarGroup"
            case .tags: "tags"
            case .place: "place"
            case .owner: "owner"
            }
        }
    }
}

/// How much each kind of evidence counts; each is a number from 0 to about 1 before it is weighed.
public struct PhotoWeights: Sendable, Equatable {
    /// Photos that share pools with it: they were put where it was put, by people.
    public var sharedPools = 2.0
    /// Neighbours of the groups it is in, or of its owner's.
    public var similarGroups = 1.0
    /// Tags.
    public var tags = 2.0
    /// The place.
    public var place = 1.0
    /// The owner's photos in the group, by their share of all.
    public var ownerPhotos = 1.0
    /// The owner's membership.
    public var ownerMembership = 0.25

    /// The usual weights.
    public init() {}
}
