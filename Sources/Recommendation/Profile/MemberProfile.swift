package import Model

/// A member's groups, dismissals, impressions and interests at one instant, in terms of a model version's groups.
///
/// Lists are computed from it.
package struct MemberProfile: Sendable, Equatable {
    /// A group that the member is in.
    package struct JoinedGroup: Sendable, Equatable {
        /// The group's index in the model.
        package var group: UInt32
        /// The time of joining in Unix milliseconds, if known.
        package var atMilliseconds: Int64?

        package init(group: UInt32, atMilliseconds: Int64? = nil) {
            self.group = group
            self.atMilliseconds = atMilliseconds
        }
    }

    package var userID: String
    /// The groups that the member is in, in ascending order of the index, each once.
    package var joined: [JoinedGroup]
    /// Dismissed groups, in ascending order of the index, each once.
    package var dismissals: [Dismissal]
    /// Groups shown without a click, in ascending order of the index, each once.
    package var exposures: [Exposure]
    /// Groups that the member's favourite photos and followed members point to.
    package var hints: [GroupHint] = []
    /// Stated interests, as the member wrote them.
    package var topics: [String]
    /// The last pause of the list, or its end; nil if the member never paused.
    package var pause: Pause?
    /// The time of the earliest membership that was read, in Unix milliseconds, or `nil` if none was read.
    ///
    /// The time is 0 if that of one membership is not known.
    package var firstJoinAtMilliseconds: Int64?

    /// The time of the member's earliest known membership in Unix milliseconds, or `nil` if none is known.
    package var knownSinceMilliseconds: Int64? {
        (joined.compactMap(\.atMilliseconds) + [firstJoinAtMilliseconds].compactMap(\.self)).min()
    }

    /// Creates a profile; lists are sorted, and the last of several entries of one group is kept.
    package init(
        userID: String, joined: [JoinedGroup] = [], dismissals: [Dismissal] = [], exposures: [Exposure] = [],
        topics: [String] = []
    ) {
        self.userID = userID
        self.joined = Self.ordered(joined, by: { $0.group })
        self.dismissals = Self.ordered(dismissals, by: { $0.group })
        self.exposures = Self.ordered(exposures, by: { $0.group })
        self.topics = topics
    }

    private static func ordered<Entry>(_ entries: [Entry], by group: (Entry) -> UInt32) -> [Entry] {
        if zip(entries, entries.dropFirst()).allSatisfy({ group($0) < group($1) }) { return entries }
        let latest = Dictionary(entries.map { (group($0), $0) }) { _, later in later }
        return latest.values.sorted { group($0) < group($1) }
    }
}
