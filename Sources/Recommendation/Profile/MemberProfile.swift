public import Model

/// What is known about a member at one instant, in terms of a model version's groups: what a list is computed from.
public struct MemberProfile: Sendable, Equatable {
    /// A group the member is in.
    public struct JoinedGroup: Sendable, Equatable {
        /// The group's index in the model.
        public var group: UInt32
        /// When the member joined it, in Unix milliseconds, if known.
        public var atMilliseconds: Int64?

        /// A membership.
        public init(group: UInt32, atMilliseconds: Int64? = nil) {
            self.group = group
            self.atMilliseconds = atMilliseconds
        }
    }

    /// The member's external id.
    public var userID: String
    /// The groups the member is in, in ascending order of the index, each once.
    public var joined: [JoinedGroup]
    /// Dismissed groups, in ascending order of the index, each once.
    public var dismissals: [Dismissal]
    /// Groups shown without a click, in ascending order of the index, each once.
    public var exposures: [Exposure]
    /// Stated interests, as the member wrote them.
    public var topics: [String]
    /// The time of the earliest membership that was read, in Unix milliseconds: 0 if the time of one is not known; nil
    /// if there is none, or it was not read.
    public var firstJoinAtMilliseconds: Int64?

    /// Since when the member is in groups, in Unix milliseconds; nil if that is not known.
    public var knownSinceMilliseconds: Int64? {
        (joined.compactMap(\.atMilliseconds) + [firstJoinAtMilliseconds].compactMap(\.self)).min()
    }

    /// A profile; lists are sorted, and of several entries of one group the last is kept.
    public init(
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
