public import Model

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

/// The weights of the kinds of evidence, each of which is a number from 0 to about 1 before it is weighted.
public struct PhotoWeights: Sendable, Equatable {
    /// Photos that share a pool with it, because people put them in the same groups.
    public var sharedPools = 2.0
    /// Neighbours of its groups, or of its owner's groups.
    public var similarGroups = 1.0
    /// Tags.
    public var tags = 2.0
    /// The location.
    public var place = 1.0
    /// The owner's photos in the group, by their share of all their pool entries.
    public var ownerPhotos = 1.0
    /// The owner's membership.
    public var ownerMembership = 0.25

    /// The usual weights.
    public init() {}
}
