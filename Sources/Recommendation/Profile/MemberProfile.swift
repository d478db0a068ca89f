import Glibc
public import Model

/// A member's groups, dismissals, impressions and interests at one instant, in terms of a model version's groups.
///
/// Lists are computed from it.
public struct MemberProfile: Sendable, Equatable {
    /// A group that the member is in.
    public struct JoinedGroup: Sendable, Equatable {
        /// The group's index in the model.
        public var group: UInt32
        /// The time of joining in Unix milliseconds, if known.
        public var atMilliseconds: Int64?

        /// Creates a membership.
        public init(group: UInt32, atMilliseconds: Int64? = nil) {
            self.group = group
            self.atMilliseconds = atMilliseconds
        }
    }

    /// The member's external id.
    public var userID: String
    /// The groups that the member is in, in ascending order of the index, each once.
    public var joined: [JoinedGroup]
    /// Dismissed groups, in ascending order of the index, each once.
    public var dismissals: [Dismissal]
    /// Groups shown without a click, in ascending order of the index, each once.
    public var exposures: [Exposure]
    /// Groups that the member's favourite photos and followed members point to.
    public var hints: [GroupHint] = []
    /// Stated interests, as the member wrote them.
    public var topics: [String]
    /// The time of the earliest membership that was read, in Unix milliseconds, or `nil` if none was read.
    ///
    /// The time is 0 if that of one membership is not known.
    public var firstJoinAtMilliseconds: Int64?

    /// The time of the member's earliest known membership in Unix milliseconds, or `nil` if none is known.
    public var knownSinceMilliseconds: Int64? {
        (joined.compactMap(\.atMilliseconds) + [firstJoinAtMilliseconds].compactMap(\.self)).min()
    }

    /// Creates a profile; lists are sorted, and the last of several entries of one group is kept.
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

extension MemberProfile {
    /// Returns the profile at an instant, with interactions replayed on top.
    ///
    /// The latest event of a group counts. Of events at the same time, the one that comes later in the list counts. A
    /// membership of unknown time is older than any event. An impression after the instant has age 0.
    ///
    /// - Parameters:
    ///   - interactions: the interactions, in any order.
    ///   - instant: the instant of the profile, in Unix milliseconds.
    ///   - halfLifeDays: the half-life of an impression in days, above 0.
    public func replaying(_ interactions: [Interaction], atMilliseconds instant: Int64, halfLifeDays: Double)
        -> MemberProfile
    {
        guard !interactions.isEmpty else { return self }
        var states = GroupStates(self)
        let ordered = interactions.enumerated().sorted {
            ($0.element.atMilliseconds, $0.offset) < ($1.element.atMilliseconds, $1.offset)
        }
        for (_, interaction) in ordered {
            states.apply(interaction, instant: instant, halfLifeDays: halfLifeDays)
        }
        var profile = MemberProfile(
            userID: userID, joined: Array(states.joined.values), dismissals: Array(states.dismissals.values),
            exposures: Array(states.exposures.values), topics: topics)
        profile.firstJoinAtMilliseconds = firstJoinAtMilliseconds
        profile.hints = hints
        return profile
    }

    /// The state of each group while events are replayed.
    private struct GroupStates {
        var joined: [UInt32: JoinedGroup]
        var dismissals: [UInt32: Dismissal]
        var exposures: [UInt32: Exposure]

        init(_ profile: MemberProfile) {
            joined = Dictionary(uniqueKeysWithValues: profile.joined.map { ($0.group, $0) })
            dismissals = Dictionary(uniqueKeysWithValues: profile.dismissals.map { ($0.group, $0) })
            exposures = Dictionary(uniqueKeysWithValues: profile.exposures.map { ($0.group, $0) })
        }

        mutating func apply(_ event: Interaction, instant: Int64, halfLifeDays: Double) {
            let (group, time) = (event.group, event.atMilliseconds)
            switch event.effect {
            case .join:
                guard !isOlder(time, than: joined[group]) else { return }
                joined[group] = JoinedGroup(group: group, atMilliseconds: time)
            case .leave:
                guard !isOlder(time, than: joined[group]) else { return }
                joined[group] = nil
            case .dismiss:
                guard time >= dismissals[group]?.atMilliseconds ?? .min else { return }
                dismissals[group] = Dismissal(group: group, atMilliseconds: time)
            case .undismiss:
                guard time >= dismissals[group]?.atMilliseconds ?? .min else { return }
                dismissals[group] = nil
            case .click:
                exposures[group] = nil
            case .impression:
                let ageDays = max(0, Double(instant) - Double(time)) / 86_400_000
                let weight = exp2(-ageDays / halfLifeDays)
                exposures[group, default: Exposure(group: group, impressions: 0)].impressions += weight
            }
        }

        /// Returns whether an event is older than a known membership.
        private func isOlder(_ time: Int64, than membership: JoinedGroup?) -> Bool {
            guard let since = membership?.atMilliseconds else { return false }
            return time < since
        }
    }
}
