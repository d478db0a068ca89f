import Glibc
package import Model

/// The formula that finds members of like taste, and the photos or members that they point to.
///
/// Two members are alike by what both told of or joined. A thing that *n* members share counts *n*^-0.7, and the sum is
/// divided by the number of the other member's things to the power 0.6. The 100 members most alike point to what they
/// told of, such as their favourite photos. The constants were chosen on public data sets; see `coterie evaluate`.
package enum TasteFormula {
    /// The most things of a kind that count for a member: the ones that came to the catalog last.
    package static let ownLimit = 200
    /// The most members who are read of one photo or one followed member.
    package static let sharerLimit = 500
    /// The most rows that each step of a search reads, whatever the size of the site.
    package static let rowLimit = 10_000
    /// The most members who are compared in full: the ones who share most.
    package static let comparedLimit = 150
    /// The number of members of like taste who point to photos or members.
    package static let likeLimit = 100
    /// The most things that are read of a member of like taste, the last ones, and the most that count for a degree.
    package static let toldLimit = 200
    /// The most groups that are read of a member.
    package static let groupLimit = 500
    /// The most photos that are read from the pool of a group, the last ones.
    package static let poolLimit = 100
    /// The most groups whose pools are read.
    package static let fittingLimit = 60
    /// The most photos or members that are looked up: the ones with the greatest sums.
    package static let candidateLimit = 200
    /// The most members whose number divides a score: a thing of more members counts as one of so many.
    package static let popularityLimit = 100
    /// The fewest members who may be counted in a reason; of fewer, one might be recognised.
    package static let leastMembers = 3

    /// Returns the weight of a thing that a number of members share.
    package static func weight(sharedBy members: Int) -> Double { pow(Double(max(1, members)), -0.7) }

    /// Returns the similarity of another member.
    ///
    /// - Parameters:
    ///   - sum: the sum of the weights of the shared things.
    ///   - degree: the number of the other member's things of the kind.
    package static func similarity(_ sum: Double, degree: Int) -> Double { sum * pow(Double(max(1, degree)), -0.6) }

    /// Returns the factor of the score of a thing that a number of members told of.
    package static func factor(toldBy members: Int) -> Double {
        pow(Double(min(max(1, members), popularityLimit)), -0.15)
    }

    /// Returns the part of a group in the score of one of its photos.
    ///
    /// - Parameter fit: the fit of the group, from 0 to 1.
    package static func weight(ofGroupWithFit fit: Double, size: UInt32) -> Double {
        fit / Double(max(1, size)).squareRoot()
    }

    /// Divides values by the greatest one, so that two kinds of them can be added.
    package static func normalized<Key>(_ values: [Key: Double]) -> [Key: Double] {
        guard let greatest = values.values.max(), greatest > 0 else { return values }
        return values.mapValues { $0 / greatest }
    }
}

/// The kinds of data that two members can have in common.
package enum SharedKind: CaseIterable, Sendable {
    case favourites
    /// Shown groups.
    case memberships
    case follows

    package var source: RelationSource {
        switch self {
        case .favourites: .favourites
        case .memberships: .memberships
        case .follows: .follows
        }
    }
}

extension ToldKind {
    /// Returns the weight of a kind of what members share, in a search for things of this kind.
    package func weight(of shared: SharedKind) -> Double {
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
    package var directWeight: Double {
        switch self {
        case .favourites: 0.15
        case .follows: 1
        }
    }
}

/// The member and the version for which photos or members are found.
package struct TasteRequest: Sendable {
    /// A group whose photos fit a member.
    package struct FittingGroup: Sendable, Equatable {
        /// The group's index in the model.
        package var group: UInt32
        /// The fit, above 0 and at most 1; 1 for joined groups.
        package var fit: Double

        package init(group: UInt32, fit: Double) { (self.group, self.fit) = (group, fit) }
    }

    package var userID: String
    /// The shown groups that the member is in and that tell something, ascending.
    package var joined: [UInt32]
    /// The groups whose photos fit, the best first.
    package var fitting: [FittingGroup]
    /// Favourites and follows, with the end of others, that the catalog may lack.
    package var told: [ToldChange] = []
    /// Photos, members and entries that were removed, and that the catalog may still have.
    package var removed = RemovedThings()

    package init(userID: String, joined: [UInt32], fitting: [FittingGroup]) {
        (self.userID, self.joined, self.fitting) = (userID, joined, fitting)
    }

    /// Returns the photos or members of which the member told since, and whether the favourite or follow holds.
    package func changed(_ kind: ToldKind) -> [BytewiseString: Bool] {
        let changes = told.filter { $0.kind == kind }.map { (BytewiseString($0.subjectID), $0.adds) }
        return Dictionary(changes, uniquingKeysWith: { _, last in last })
    }
}

/// Photos and members that a catalog still has, although they were removed.
package struct RemovedThings: Sendable {
    package var photos: Set<BytewiseString> = []
    package var members: Set<BytewiseString> = []
    /// The members who were removed with their photos.
    package var owners: Set<BytewiseString> = []
    /// The photos that were removed from pools, as `entry` writes them.
    package var pooled: Set<BytewiseString> = []
    /// The groups that were removed, or have another id.
    package var groups: Set<BytewiseString> = []

    package init() {}

    /// Whether a photo was removed, itself or with its owner.
    package func hides(_ photo: String, of owner: String?) -> Bool {
        photos.contains(BytewiseString(photo)) || owner.map { owners.contains(BytewiseString($0)) } == true
    }

    package func hides(_ photo: String, in group: String) -> Bool {
        !pooled.isEmpty && pooled.contains(Self.entry(group: group, photo: photo))
    }

    /// Returns a photo in a pool as one text: an id has no NUL, so no two pairs are the same text.
    package static func entry(group: String, photo: String) -> BytewiseString { BytewiseString("\(group)\0\(photo)") }
}

/// A public photo that a member may like.
package struct TastePhoto: Sendable, Equatable {
    package var id: String
    /// The owner's external id, if it is known.
    package var ownerID: String?
    package var namesOwner: Bool
    /// The size of the picture in pixels, if it is known.
    package var width, height: Int64?
    /// The shown groups whose pools have it, by their indexes in the model, ascending; one or more.
    package var groups: [UInt32]
    /// The number of members of like taste who like it.
    package var admirers: Int
    /// The score, above 0.
    package var score: Double

    package init(
        id: String, ownerID: String?, namesOwner: Bool, width: Int64?, height: Int64?, groups: [UInt32], admirers: Int,
        score: Double
    ) {
        (self.id, self.ownerID, self.namesOwner, self.width, self.height) = (id, ownerID, namesOwner, width, height)
        (self.groups, self.admirers, self.score) = (groups, admirers, score)
    }
}

/// A member whom another one may want to know.
package struct TasteContact: Sendable, Equatable {
    package var id: String
    /// The shown groups that both are in, by their indexes in the model, the one with the fewest members first.
    package var sharedGroups: [UInt32]
    /// The score, above 0.
    package var score: Double

    package init(id: String, sharedGroups: [UInt32], score: Double) {
        (self.id, self.sharedGroups, self.score) = (id, sharedGroups, score)
    }
}
