import Glibc
public import Model

/// The formula that finds members of like taste, and the photos or members that they point to.
///
/// Two members are alike by what both told of or joined. A thing that *n* members share counts *n*^-0.7, and the sum is
/// divided by the number of the other member's things to the power 0.6. The 100 members most alike point to what they
/// told of, such as their favourite photos. The constants were chosen on public data sets; see `coterie evaluate`.
public enum TasteFormula {
    /// The most things of a kind that count for a member: the ones that came to the catalog last.
    public static let ownLimit = 200
    /// The most members who are read of one photo or one followed member.
    public static let sharerLimit = 500
    /// The most rows that each step of a search reads, whatever the size of the site.
    public static let rowLimit = 10_000
    /// The most members who are compared in full: the ones who share most.
    public static let comparedLimit = 150
    /// The number of members of like taste who point to photos or members.
    public static let likeLimit = 100
    /// The most things that are read of a member of like taste, the last ones, and the most that count for a degree.
    public static let toldLimit = 200
    /// The most groups that are read of a member.
    public static let groupLimit = 500
    /// The most photos that are read from the pool of a group, the last ones.
    public static let poolLimit = 100
    /// The most groups whose pools are read.
    public static let fittingLimit = 60
    /// The most photos or members that are looked up: the ones with the greatest sums.
    public static let candidateLimit = 200
    /// The most members whose number divides a score: a thing of more members counts as one of so many.
    public static let popularityLimit = 100
    /// The fewest members who may be counted in a reason; of fewer, one might be recognised.
    public static let leastMembers = 3

    /// Returns the weight of a thing that a number of members share.
    public static func weight(sharedBy members: Int) -> Double { pow(Double(max(1, members)), -0.7) }

    /// Returns the similarity of another member.
    ///
    /// - Parameters:
    ///   - sum: the sum of the weights of the shared things.
    ///   - degree: the number of the other member's things of the kind.
    public static func similarity(_ sum: Double, degree: Int) -> Double { sum * pow(Double(max(1, degree)), -0.6) }

    /// Returns the factor of the score of a thing that a number of members told of.
    public static func factor(toldBy members: Int) -> Double {
        pow(Double(min(max(1, members), popularityLimit)), -0.15)
    }

    /// Returns the part of a group in the score of one of its photos.
    ///
    /// - Parameters:
    ///   - fit: the fit of the group, from 0 to 1.
    ///   - size: the number of photos in its pool.
    public static func weight(ofGroupWithFit fit: Double, size: UInt32) -> Double {
        fit / Double(max(1, size)).squareRoot()
    }

    /// Divides values by the greatest one, so that two kinds of them can be added.
    public static func normalized<Key>(_ values: [Key: Double]) -> [Key: Double] {
        guard let greatest = values.values.max(), greatest > 0 else { return values }
        return values.mapValues { $0 / greatest }
    }
}

/// The kinds of data that two members can have in common.
public enum SharedKind: CaseIterable, Sendable {
    /// Favourite photos.
    case favourites
    /// Shown groups.
    case memberships
    /// Followed members.
    case follows

    /// The table of the kind.
    public var source: RelationSource {
        switch self {
        case .favourites: .favourites
        case .memberships: .memberships
        case .follows: .follows
        }
    }
}

extension ToldKind {
    /// Returns the weight of a kind of what members share, in a search for things of this kind.
    public func weight(of shared: SharedKind) -> Double {
        switch (self, shared) {
        case (.favourites, .favourites): 1
        case (.favourites, .memberships): 0.2
        case (.favourites, .follows): 0
        case (.follows, .favourites): 0.2
        case (.follows, .memberships): 1
        case (.follows, .follows): 1
        }
    }

    /// The weight of the member's own similarity to a candidate, beside the follows of similar members.
    ///
    /// For photos it is about the groups that have them, for members about their similarity.
    public var directWeight: Double {
        switch self {
        case .favourites: 0.15
        case .follows: 1
        }
    }
}

/// The member and the version for which photos or members are found.
public struct TasteRequest: Sendable {
    /// A group whose photos fit a member.
    public struct FittingGroup: Sendable, Equatable {
        /// The group's index in the model.
        public var group: UInt32
        /// The fit, above 0 and at most 1; 1 for joined groups.
        public var fit: Double

        /// Creates a group.
        public init(group: UInt32, fit: Double) { (self.group, self.fit) = (group, fit) }
    }

    /// The member's external id.
    public var userID: String
    /// The shown groups that the member is in and that tell something, ascending.
    public var joined: [UInt32]
    /// The groups whose photos fit, the best first.
    public var fitting: [FittingGroup]
    /// Favourites and follows, with the end of others, that the catalog may lack.
    public var told: [ToldChange] = []
    /// Photos, members and entries that were removed, and that the catalog may still have.
    public var removed = RemovedThings()

    /// Creates a request.
    public init(userID: String, joined: [UInt32], fitting: [FittingGroup]) {
        (self.userID, self.joined, self.fitting) = (userID, joined, fitting)
    }

    /// Returns the photos or members of which the member told since, and whether the favourite or follow holds.
    public func changed(_ kind: ToldKind) -> [BytewiseString: Bool] {
        let changes = told.filter { $0.kind == kind }.map { (BytewiseString($0.subjectID), $0.adds) }
        return Dictionary(changes, uniquingKeysWith: { _, last in last })
    }
}

/// Photos and members that a catalog still has, although they were removed.
public struct RemovedThings: Sendable {
    /// The photos.
    public var photos: Set<BytewiseString> = []
    /// The members who are forgotten.
    public var members: Set<BytewiseString> = []
    /// The members who were removed with their photos.
    public var owners: Set<BytewiseString> = []
    /// The photos that were removed from pools, as `entry` writes them.
    public var pooled: Set<BytewiseString> = []

    /// Creates an empty record.
    public init() {}

    /// Whether a photo was removed, itself or with its owner.
    public func hides(_ photo: String, of owner: String?) -> Bool {
        photos.contains(BytewiseString(photo)) || owner.map { owners.contains(BytewiseString($0)) } == true
    }

    /// Whether a photo was removed from the pool of a group.
    public func hides(_ photo: String, in group: String) -> Bool {
        !pooled.isEmpty && pooled.contains(Self.entry(group: group, photo: photo))
    }

    /// Returns a photo in a pool as one text: an id has no NUL, so no two pairs are the same text.
    public static func entry(group: String, photo: String) -> BytewiseString { BytewiseString("\(group)\0\(photo)") }
}

/// A public photo that a member may like.
public struct TastePhoto: Sendable, Equatable {
    /// The photo's external id.
    public var id: String
    /// The owner's external id, if it is known.
    public var ownerID: String?
    /// Whether the owner may be named.
    public var namesOwner: Bool
    /// The size of the picture in pixels, if it is known.
    public var width, height: Int64?
    /// The shown groups whose pools have it, by their indexes in the model, ascending; one or more.
    public var groups: [UInt32]
    /// The number of members of like taste who like it.
    public var admirers: Int
    /// The score, above 0.
    public var score: Double

    /// Creates a photo.
    public init(
        id: String, ownerID: String?, namesOwner: Bool, width: Int64?, height: Int64?, groups: [UInt32], admirers: Int,
        score: Double
    ) {
        (self.id, self.ownerID, self.namesOwner, self.width, self.height) = (id, ownerID, namesOwner, width, height)
        (self.groups, self.admirers, self.score) = (groups, admirers, score)
    }
}

/// A member whom another one may want to know.
public struct TasteContact: Sendable, Equatable {
    /// The member's external id.
    public var id: String
    /// The shown groups that both are in, by their indexes in the model, the one with the fewest members first.
    public var sharedGroups: [UInt32]
    /// The score, above 0.
    public var score: Double

    /// Creates a contact.
    public init(id: String, sharedGroups: [UInt32], score: Double) {
        (self.id, self.sharedGroups, self.score) = (id, sharedGroups, score)
    }
}
