import Glibc
package import Model

/// A member at one moment, with the last event of each group, so that earlier and later events can be replayed on top.
///
/// Groups are given by their index in a model version. Profiles are made from it, whether it comes from a catalog or
/// from a version.
package struct MemberState: Sendable, Equatable {
    /// The groups that the member is in, and those that the member left.
    package var memberships: [UInt32: PairState] = [:]
    /// The dismissed groups, and those whose dismissal was taken back.
    package var dismissals: [UInt32: PairState] = [:]
    /// The impressions of each group since the last click, faded to the moment of the state; above 0.
    package var impressions: [UInt32: Double] = [:]
    /// The stated interests, as the member wrote them.
    package var topics: [String] = []
    /// The stamp of the statement of interests, in Unix milliseconds; nil if no statement is known.
    package var topicsStamp: Int64?
    /// The last pause of the list, or its end; nil if the member never paused.
    package var pause: Pause?
    /// The groups that the member's favourites, followed members and own photos point to.
    package var hints: [GroupHint] = []
    /// As in `MemberProfile`.
    package var firstJoinAtMilliseconds: Int64?

    package init() {}

    /// Replays events, in the order in which they arrived.
    ///
    /// Pairs follow the rule of `PairState`. A click ends the impressions that arrived before it. An impression after
    /// the instant has age 0.
    ///
    /// - Parameters:
    ///   - instant: the moment of the state, in Unix milliseconds.
    ///   - halfLifeDays: the half-life of an impression in days, above 0.
    package mutating func replay(
        _ events: some Sequence<Interaction>, atMilliseconds instant: Int64, halfLifeDays: Double
    ) {
        for event in events {
            let seconds = event.atMilliseconds / 1000
            switch event.effect {
            case .join, .leave:
                memberships[event.group, default: .unknown].settle(event.effect == .join, atSeconds: seconds)
            case .dismiss, .undismiss:
                dismissals[event.group, default: .unknown].settle(event.effect == .dismiss, atSeconds: seconds)
            case .click: impressions[event.group] = nil
            case .impression:
                let times = CollectionOfOne(event.atMilliseconds)
                see(event.group, at: times, atMilliseconds: instant, halfLifeDays: halfLifeDays)
            }
        }
    }

    /// Adds impressions of a group at some times; parameters as of `replay`.
    package mutating func see(
        _ group: UInt32, at times: some Sequence<Int64>, atMilliseconds instant: Int64, halfLifeDays: Double
    ) {
        impressions[group] = times.reduce(impressions[group] ?? 0) { sum, time in
            sum + exp2(-max(0, Double(instant) - Double(time)) / 86_400_000 / halfLifeDays)
        }
    }

    /// Forgets what the member did with groups and with the list, but for memberships.
    package mutating func forgetFeedback() { (dismissals, impressions, pause) = ([:], [:], nil) }

    /// Replaces the stated interests, unless a later statement is known.
    ///
    /// - Parameter stamp: the stamp of the statement, in Unix milliseconds.
    package mutating func state(_ topics: [String], stamp: Int64) {
        guard stamp >= topicsStamp ?? .min else { return }
        (self.topics, topicsStamp) = (topics, stamp)
    }
}

extension MemberState {
    package init(_ profile: MemberProfile) {
        for group in profile.joined {
            memberships[group.group] = PairState(holds: true, seconds: group.atMilliseconds.map { $0 / 1000 })
        }
        for dismissal in profile.dismissals {
            dismissals[dismissal.group] = PairState(holds: true, seconds: dismissal.atMilliseconds / 1000)
        }
        for exposure in profile.exposures { impressions[exposure.group] = exposure.impressions }
        topics = profile.topics
        pause = profile.pause
        hints = profile.hints
        firstJoinAtMilliseconds = profile.firstJoinAtMilliseconds
    }

    /// Returns the profile of the member with an external id.
    package func profile(ofUser id: String) -> MemberProfile {
        var profile = MemberProfile(
            userID: id,
            joined: memberships.filter(\.value.holds).map { .init(group: $0, atMilliseconds: $1.atMilliseconds) },
            dismissals: dismissals.filter(\.value.holds).map {
                Dismissal(group: $0, atMilliseconds: $1.atMilliseconds ?? 0)
            },
            exposures: impressions.map { Exposure(group: $0, impressions: $1) }, topics: topics)
        profile.pause = pause
        profile.hints = hints
        profile.firstJoinAtMilliseconds = firstJoinAtMilliseconds
        return profile
    }
}
