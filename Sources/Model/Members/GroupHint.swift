/// The kinds of evidence about a member beside the groups that the member joined.
public enum EvidenceKind: String, Sendable, CaseIterable, Codable {
    /// Favourite photos, which point to the groups whose pools have them.
    case favourites
    /// Followed members, who point to their public groups.
    case follows
    /// The member's own photos, which tell how much a joined group means to the member.
    case photos
}

/// A group that a member's favourites, follows or own photos suggest.
public struct GroupHint: Sendable, Equatable {
    /// The kind of what the member told.
    public var kind: EvidenceKind
    /// The group's index in the model.
    public var group: UInt32
    /// The sum of the information of the photos or members that point to the group, in eighths of a bit.
    ///
    /// For own photos it is 8 ln(1 + count).
    public var units: UInt32
    /// The number of photos or members that point to the group, 1 or more.
    public var count: UInt32

    /// Creates a hint.
    public init(_ kind: EvidenceKind, group: UInt32, units: UInt32, count: UInt32) {
        self.kind = kind
        self.group = group
        self.units = units
        self.count = count
    }
}

/// A favourite or a follow that a member told of, or the end of one.
public struct ToldChange: Sendable, Equatable {
    /// The kind of what the member told.
    public var kind: ToldKind
    /// The external id of the photo or the followed member.
    public var subjectID: String
    /// Whether the member likes the photo, or follows the member, from then on.
    public var adds: Bool

    /// Creates a change.
    public init(_ kind: ToldKind, subjectID: String, adds: Bool) {
        self.kind = kind
        self.subjectID = subjectID
        self.adds = adds
    }
}

/// The kinds of what members tell.
public enum ToldKind: String, Sendable, CaseIterable {
    /// Favourite photos.
    case favourites
    /// Followed members.
    case follows

    /// The table of the kind.
    public var source: RelationSource {
        switch self {
        case .favourites: .favourites
        case .follows: .follows
        }
    }
}

extension EvidenceKind {
    /// The table of the evidence; nil for own photos.
    public var source: RelationSource? { ToldKind(rawValue: rawValue)?.source }

    /// The kinds whose hints point to groups that the member has not joined.
    public static let told = allCases.filter { $0.source != nil }
}

extension Manifest {
    /// The weight of a kind of evidence in members' lists.
    public struct EvidenceWeight: Codable, Sendable, Equatable {
        /// The kind.
        public var kind: EvidenceKind
        /// The weight, 0 or more; 0 leaves the kind out.
        public var weight: Double
        /// The score of a usual hint of the kind.
        public var unit: Double

        /// Creates a weight.
        public init(_ kind: EvidenceKind, weight: Double, unit: Double) {
            self.kind = kind
            self.weight = weight
            self.unit = unit
        }
    }
}
