/// Something a member did with a group, in terms of a model version's groups: what profiles are computed from.
public struct Interaction: Sendable, Equatable {
    /// What was done.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        // The catalog stores these as numbers in this order: add new ones at the end.
        /// Became a member.
        case join
        /// Stopped being a member.
        case leave
        /// Said "not interested".
        case dismiss
        /// Took that back.
        case undismiss
        /// Opened the group from a list.
        case click
        /// Was shown the group in a list.
        case impression
    }

    /// What was done.
    public var kind: Kind
    /// The group's index in the model.
    public var group: UInt32
    /// When, in Unix milliseconds.
    public var atMilliseconds: Int64

    /// An interaction.
    public init(_ kind: Kind, group: UInt32, atMilliseconds: Int64) {
        self.kind = kind
        self.group = group
        self.atMilliseconds = atMilliseconds
    }
}

/// A group that a member is not interested in.
public struct Dismissal: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// When the member said so, in Unix milliseconds; published to the second.
    public var atMilliseconds: Int64

    /// A dismissal.
    public init(group: UInt32, atMilliseconds: Int64) {
        self.group = group
        self.atMilliseconds = atMilliseconds
    }
}

/// How often a group was shown to a member without a click.
public struct Exposure: Sendable, Equatable {
    /// The group's index in the model.
    public var group: UInt32
    /// Impressions since the last click, each halved for every half-life that has passed since; above 0.
    ///
    /// Published in thousandths.
    public var impressions: Double

    /// An exposure.
    public init(group: UInt32, impressions: Double) {
        self.group = group
        self.impressions = impressions
    }
}
