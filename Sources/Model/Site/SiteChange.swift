/// A decision of the site's administrators about a group.
package struct SiteChange: Sendable, Equatable, Codable {
    /// The action of a decision.
    package enum Action: Sendable, Equatable, Codable {
        /// Shows the group to nobody until it is unhidden; imports do not unhide.
        case hide
        /// Shows the group again.
        case unhide
        /// Curates the group, or changes its position and times; the groups behind it move down.
        ///
        /// The position counts from 1; nil or a position beyond the end means the last. The start is inclusive and the
        /// expiry is exclusive, both in Unix seconds; nil means no such limit.
        case curate(position: Int?, startsAt: Int64?, expiresAt: Int64?)
        /// Ends the curation of the group; the groups behind it move up.
        case uncurate
    }

    /// The result of a decision.
    package enum Outcome: Sendable, Equatable {
        case changed
        /// The state was already as decided.
        case unchanged
        /// Nothing was done: there is no such group.
        case unknownGroup
        /// Nothing was done: a private group cannot be curated.
        case privateGroup
        /// Nothing was done: the group would expire before it starts.
        case expiresBeforeStart
    }

    package var groupID: String
    package var action: Action
    /// The time of the decision, in Unix milliseconds.
    package var atMilliseconds: Int64

    package init(ofGroup groupID: String, _ action: Action, atMilliseconds: Int64) {
        self.groupID = groupID
        self.action = action
        self.atMilliseconds = atMilliseconds
    }
}
