/// What the site decides about a group, whatever the group itself says.
public struct SiteChange: Sendable, Equatable, Codable {
    /// What is to change.
    public enum Action: Sendable, Equatable, Codable {
        /// Shows the group to nobody, until it is unhidden; imports do not.
        case hide
        /// Takes that back.
        case unhide
        /// Puts the group forward, or changes where and when; those behind it move on.
        ///
        /// The position counts from 1; nil, or beyond the end: the last. From the start on, inclusive, and up to the
        /// expiry, exclusive, both in Unix seconds; nil: always, and for ever.
        case curate(position: Int?, startsAt: Int64?, expiresAt: Int64?)
        /// Puts the group forward no more; those behind it move up.
        case uncurate
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// It is so now, and was not before.
        case changed
        /// It was so already.
        case unchanged
        /// Nothing was done: there is no such group.
        case unknownGroup
        /// Nothing was done: a private group is put forward to nobody.
        case privateGroup
        /// Nothing was done: the group would expire before it starts.
        case expiresBeforeStart
    }

    /// Where a group goes that is put forward among so many others, counted from 0.
    ///
    /// - Parameter position: as in `Action.curate`.
    public static func place(ofPosition position: Int?, among count: Int) -> Int {
        min(max(1, position ?? .max), count + 1) - 1
    }

    /// The group's external id.
    public var groupID: String
    /// What is to change.
    public var action: Action
    /// When it was decided, in Unix milliseconds.
    public var atMilliseconds: Int64

    /// A change.
    public init(ofGroup groupID: String, _ action: Action, atMilliseconds: Int64) {
        self.groupID = groupID
        self.action = action
        self.atMilliseconds = atMilliseconds
    }
}

/// A group that is hidden.
public struct HiddenGroup: Sendable, Equatable, Codable {
    /// The group's external id.
    public var groupID: String
    /// Since when, in Unix milliseconds.
    public var hiddenAtMilliseconds: Int64

    /// A group.
    public init(groupID: String, hiddenAtMilliseconds: Int64) {
        self.groupID = groupID
        self.hiddenAtMilliseconds = hiddenAtMilliseconds
    }
}
