package import Model

/// A user as published with a model version, with indexes of its groups.
///
/// Every group has the time of its last event, so that events that the version lacks can be applied in any order.
/// Daemons without the catalog know members from here, and from newer changes.
package struct PublishedMember: Sendable, Equatable {
    /// A group that the user is in.
    package struct Joined: Sendable, Equatable {
        /// The group's index.
        package var group: UInt32
        /// The time of joining in Unix seconds; `nil` if it is unknown, which is older than any event.
        package var seconds: UInt32?

        package init(group: UInt32, seconds: UInt32? = nil) { (self.group, self.seconds) = (group, seconds) }
    }

    /// A group with an event that ended something: the last event of its kind.
    package struct Ended: Sendable, Equatable {
        /// The group's index.
        package var group: UInt32
        /// The time of the event, in Unix seconds.
        package var seconds: UInt32

        package init(group: UInt32, seconds: UInt32) { (self.group, self.seconds) = (group, seconds) }
    }

    /// A user's dismissals, exposures, interests and pause, and the groups that favourites and follows point to.
    package struct Feedback: Sendable, Equatable {
        /// The least impressions of a published exposure; fewer would be rounded to 0.
        package static let leastImpressions = 0.0005

        /// The dismissals, in ascending order of the group; times are whole seconds.
        package var dismissals: [Dismissal]
        /// The groups whose dismissal the user took back, in ascending order.
        package var undismissed: [Ended]
        /// The exposures, in ascending order of the group; impressions are faded to the moment of the version's
        /// recompute.
        package var exposures: [Exposure]
        /// The stated interests in UTF-8, separated by semicolons: in the stored form, since millions are published.
        package var interestBytes: ArraySlice<UInt8>
        /// The stamp of the statement of the interests in Unix milliseconds; `nil` if they are from a file, or if it is
        /// unknown.
        package var interestsStamp: Int64?

        /// The last pause of the list, or its end; nil if the user never paused.
        package var pause: Pause?
        /// The groups that favourites and follows point to, in the order of the kinds, then of the groups.
        package var hints: [GroupHint]
        /// The arm of each experiment that the user was shown under an earlier id.
        package var arms: [String: String] = [:]
        /// Whether the user may not be counted to others.
        package var isUnlisted = false

        package init(
            dismissals: [Dismissal] = [], undismissed: [Ended] = [], exposures: [Exposure] = [],
            interestBytes: ArraySlice<UInt8> = [], interestsStamp: Int64? = nil, hints: [GroupHint] = []
        ) {
            self.dismissals = dismissals
            self.undismissed = undismissed
            self.exposures = exposures
            self.interestBytes = interestBytes
            self.interestsStamp = interestsStamp
            self.hints = hints
        }

        package var interests: [String] {
            interestBytes.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The groups that the user is in, ascending.
    package var joined: [Joined]
    /// The groups that the user is not in any more, with the events that ended it, ascending.
    package var left: [Ended]
    /// The user's feedback.
    package var feedback: Feedback

    package init(joined: [Joined] = [], left: [Ended] = [], feedback: Feedback = Feedback()) {
        self.joined = joined
        self.left = left
        self.feedback = feedback
    }
}
