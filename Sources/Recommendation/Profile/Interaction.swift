/// Something a member did with a group.
public struct Interaction: Sendable, Equatable {
    /// What was done.
    public enum Kind: String, Sendable, CaseIterable {
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
