/// A decision of the site's administrators about a group.
public struct SiteChange: Sendable, Equatable, Codable {
    /// What is to change.
    public enum Action: Sendable, Equatable, Codable {
        /// Shows the group to nobody until it is unhidden; imports do not unhide.
        case hide
        /// Shows the group again.
        case unhide
        /// Curates the group, or changes its position and times; the groups behind it move down.
        ///
        /// The position counts from 1; nil, or beyond the end: the last. From the start on, inclusive, and up to the
        /// expiry, exclusive, both in Unix seconds; nil: no such limit.
        case curate(position: Int?, startsAt: Int64?, expiresAt: Int64?)
        /// Curates the group no longer; the groups behind it move up.
        case uncurate
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// The change was made.
        case changed
        /// It was so already.
        case unchanged
        /// Nothing was done: there is no such group.
        case unknownGroup
        /// Nothing was done: a private group cannot be curated.
        case privateGroup
        /// Nothing was done: the group would expire before it starts.
        case expiresBeforeStart
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
