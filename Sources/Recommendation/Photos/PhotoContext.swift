public import Model

/// What is known of a photo, in terms of a model version's groups.
public struct PhotoContext: Sendable, Equatable {
    /// The groups whose pools it is in, ascending.
    public var groups: [UInt32]
    /// The groups that photos are in which share pools with it.
    public var companions: [UInt32: Companions]
    /// How many other public photos of its owner each group's pool holds.
    public var ownerGroups: [UInt32: Int]
    /// The groups its owner is a member of.
    public var ownerMemberships: Set<UInt32>
    /// What it is tagged with, in whatever case.
    public var tags: [String]
    /// Where it was taken.
    public var place: PlaceCell?

    /// Photos of a group that share pools with the photo.
    public struct Companions: Sendable, Equatable {
        /// How many of those that were looked at are in the group.
        public var photos: Int
        /// Their part of those that were looked at, 0 to 1.
        public var share: Double

        /// Companions.
        public init(photos: Int, share: Double) {
            self.photos = photos
            self.share = share
        }
    }

    /// A photo of which only so much is known.
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

    /// Leaves out what is known of the photo's owner.
    public mutating func forgetOwner() {
        ownerGroups = [:]
        ownerMemberships = []
    }

    /// Leaves out some groups, which must then not be told as reasons.
    public mutating func forget(_ hidden: Set<UInt32>) {
        guard !hidden.isEmpty else { return }
        groups.removeAll(where: hidden.contains)
        companions = companions.filter { !hidden.contains($0.key) }
        ownerGroups = ownerGroups.filter { !hidden.contains($0.key) }
        ownerMemberships.subtract(hidden)
    }

    /// The part of the owner's entries in pools that so many are, as if there were five more elsewhere: of somebody who
    /// has shown one photo, one photo tells little.
    func ownerShare(ofPhotos photos: Int) -> Double {
        Double(photos) / (Double(ownerGroups.values.reduce(0, +)) + 5)
    }
}
