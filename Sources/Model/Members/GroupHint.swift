/// The kinds of evidence about a member beside the groups that the member joined.
package enum EvidenceKind: String, Sendable, CaseIterable, Codable {
    /// Favourite photos, which point to the groups whose pools have them.
    case favourites
    /// Followed members, who point to their public groups.
    case follows
    /// The member's own photos, which tell how much a joined group means to the member.
    case photos
}

/// A group that a member's favourites, follows or own photos suggest.
package struct GroupHint: Sendable, Equatable {
    /// The kind of what the member told.
    package var kind: EvidenceKind
    /// The group's index in the model.
    package var group: UInt32
    /// The sum of the information of the photos or members that point to the group, in eighths of a bit.
    ///
    /// For own photos it is 8 ln(1 + count).
    package var units: UInt32
    /// The number of photos or members that point to the group, 1 or more.
    package var count: UInt32

    package init(_ kind: EvidenceKind, group: UInt32, units: UInt32, count: UInt32) {
        self.kind = kind
        self.group = group
        self.units = units
        self.count = count
    }
}

/// A favourite or a follow that a member told of, or the end of one.
package struct ToldChange: Sendable, Equatable {
    package var kind: ToldKind
    /// The external id of the photo or the followed member.
    package var subjectID: String
    /// Whether the member likes the photo, or follows the member, from then on.
    package var adds: Bool
    /// The time of the change, in Unix seconds; that of a removal by the site is after all others.
    package var seconds: Int64

    package init(_ kind: ToldKind, subjectID: String, adds: Bool, atSeconds seconds: Int64 = .max) {
        (self.kind, self.subjectID, self.adds, self.seconds) = (kind, subjectID, adds, seconds)
    }
}

/// The kinds of what members tell.
package enum ToldKind: String, Sendable, CaseIterable {
    case favourites
    case follows

    package var source: RelationSource {
        switch self {
        case .favourites: .favourites
        case .follows: .follows
        }
    }
}

extension EvidenceKind {
    /// The table of the evidence; nil for own photos.
    package var source: RelationSource? { ToldKind(rawValue: rawValue)?.source }
}

extension Manifest {
    /// The weight of a kind of evidence in members' lists.
    package struct EvidenceWeight: Codable, Sendable, Equatable {
        package var kind: EvidenceKind
        /// The weight, 0 or more; 0 leaves the kind out.
        package var weight: Double
        /// The score of a usual hint of the kind.
        package var unit: Double

        package init(_ kind: EvidenceKind, weight: Double, unit: Double) {
            self.kind = kind
            self.weight = weight
            self.unit = unit
        }
    }
}
