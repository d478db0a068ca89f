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
