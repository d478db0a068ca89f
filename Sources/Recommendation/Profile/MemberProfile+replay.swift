import Glibc
public import Model

extension MemberProfile {
    /// The profile at an instant, with interactions replayed on top.
    ///
    /// The latest event of a group counts, of equal times the one that comes later in the list; a membership of unknown
    /// time is older than any event. The age of an impression after the instant is 0.
    ///
    /// - Parameters:
    ///   - interactions: in any order.
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
        return profile
    }

    /// A profile while events are replayed.
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
            switch event.kind {
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

        /// Whether an event is older than a known membership.
        private func isOlder(_ time: Int64, than membership: JoinedGroup?) -> Bool {
            guard let since = membership?.atMilliseconds else { return false }
            return time < since
        }
    }
}
