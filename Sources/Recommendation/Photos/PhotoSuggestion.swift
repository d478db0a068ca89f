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
