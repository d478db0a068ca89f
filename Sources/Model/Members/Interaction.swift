/// Something a member did with a group, from which profiles are computed.
///
/// The group is given by its index in a model version.
public struct Interaction: Sendable, Equatable {
    /// The kind of action.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        /// The member joined the group.
        case join
        /// The member left the group.
        case leave
        /// The member said "not interested".
        case dismiss
        /// The member took a dismissal back.
        case undismiss
        /// The member opened the group from a list.
        case click
        /// The member was shown the group in a list.
        case impression

        /// All there is to say of a kind.
        ///
        /// A number is never used for anything else again.
        private var facts: (number: Int64, changesMembership: Bool) {
            switch self {
            case .join: (0, true)
            case .leave: (1, true)
            case .dismiss: (2, false)
            case .undismiss: (3, false)
            case .click: (4, false)
            case .impression: (5, false)
            }
        }

        /// Its number in catalogs, journals and streams.
        public var number: Int64 { facts.number }

        /// Whether it changes who is in a group.
        public var changesMembership: Bool { facts.changesMembership }

        /// The kind of a number; nil if this program knows none.
        public init?(number: Int64) {
            guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
            self = kind
        }

        /// The numbers of the kinds that change who is in a group, separated as in SQL.
        public static let membershipNumbers =
            allCases.filter(\.changesMembership).map { String($0.number) }.joined(separator: ", ")
    }

    /// The kind of action.
    public var kind: Kind
    /// The group's index in the model.
    public var group: UInt32
    /// The time of the action, in Unix milliseconds.
    public var atMilliseconds: Int64

    /// Creates an interaction.
    public init(_ kind: Kind, group: UInt32, atMilliseconds: Int64) {
        self.kind = kind
        self.group = group
        self.atMilliseconds = atMilliseconds
    }
}

/// A group that a member dismissed as not interesting.
public struct Dismissal: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// The time of the dismissal, in Unix milliseconds; published to the second.
    public var atMilliseconds: Int64

    /// Creates a dismissal.
    public init(group: UInt32, atMilliseconds: Int64) {
        self.group = group
        self.atMilliseconds = atMilliseconds
    }
}

/// The number of times a member was shown a group without a click.
public struct Exposure: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// The number of impressions since the last click, above 0.
    ///
    /// Each impression is halved for every half-life that has passed since. The number is published in thousandths.
    public var impressions: Double

    /// Creates an exposure.
    public init(group: UInt32, impressions: Double) {
        self.group = group
        self.impressions = impressions
    }
}
