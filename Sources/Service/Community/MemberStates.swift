import Basics
import CatalogStore
import Changes
import Glibc
import Model
import ModelStore
import Recommendation

extension MemberState {
    /// Creates the state of a user that was published with a version, at an instant; impressions have faded since.
    ///
    /// - Parameter instant: the time, in Unix milliseconds.
    init(_ member: PublishedMember, of manifest: Manifest, for planner: Planner, atMilliseconds instant: Int64) {
        self.init()
        let readAt = manifest.membersState.atMilliseconds
        let ageDays = max(0, Double(instant - readAt)) / 86_400_000
        let faded = exp2(-ageDays / planner.configuration.feedback.impressionHalfLifeDays)
        // An event from a clock that was ahead must not win over a later change by the member.
        func event(_ holds: Bool, _ seconds: Int64) -> PairState {
            PairState(holds: holds, seconds: min(seconds, readAt / 1000))
        }
        for joined in member.joined {
            memberships[joined.group] = PairState(holds: true, seconds: joined.seconds.map(Int64.init))
        }
        for left in member.left { memberships[left.group] = event(false, Int64(left.seconds)) }
        for dismissal in member.feedback.dismissals {
            dismissals[dismissal.group] = event(true, dismissal.atMilliseconds / 1000)
        }
        for undone in member.feedback.undismissed { dismissals[undone.group] = event(false, Int64(undone.seconds)) }
        memberships = memberships.filter { planner.model.shows($0.key) }
        dismissals = dismissals.filter { planner.model.shows($0.key) }
        for exposure in member.feedback.exposures where planner.model.shows(exposure.group) {
            impressions[exposure.group] = exposure.impressions * faded
        }
        topics = member.feedback.interests
        topicsStamp = member.feedback.interestsStamp
        pause = member.feedback.pause.map {
            Pause(atSeconds: min($0.atSeconds, readAt / 1000), endSeconds: $0.endSeconds)
        }
        hints = member.feedback.hints
        firstJoinAtMilliseconds = member.joined.map { Int64($0.seconds ?? 0) * 1000 }.min()
    }

    /// Creates the state of a user whose memberships a version has, and whose actions a catalog has.
    ///
    /// - Parameters:
    ///   - published: the data that was published of the user, or `nil` if there is none.
    ///   - forgotten: the ids of interactions that the member has forgotten since.
    ///   - instant: the time, in Unix milliseconds.
    /// - Returns: `nil` if there is no such user, or if the site has forgotten the user.
    init?(
        ofUser id: String, _ published: PublishedMember?, of manifest: Manifest, from catalog: Facts,
        for planner: Planner, without forgotten: Set<BytewiseString>, atMilliseconds instant: Int64
    ) throws(Failure) {
        let known = try catalog.member(withID: id)
        guard published != nil || known != nil, try !catalog.isForgotten(user: id) else { return nil }
        self.init()
        if let published { self.init(published, of: manifest, for: planner, atMilliseconds: instant) }
        // The catalog has them all.
        forgetFeedback()
        if let known, known.hasStatedInterests { topics = known.interests }
        try replay(from: catalog, ofUser: id, for: planner, without: forgotten, atMilliseconds: instant)
    }

    /// Replays changes that a version or a catalog lacks.
    ///
    /// - Parameter instant: the time, in Unix milliseconds.
    mutating func replay(_ changes: RecentMemberChanges, for planner: Planner, atMilliseconds instant: Int64) {
        if changes.isCleared { self = MemberState() }
        if changes.forgetsEarlier { forgetFeedback() }
        if let interests = changes.interests { state(interests, stamp: changes.interestsStamp ?? .max) }
        // After the site removed a member from a group, nothing that came before counts.
        for removal in changes.removals where removal.table == RelationSource.memberships.table {
            if let group = planner.model.index(ofID: removal.groupID) { memberships[UInt32(group)] = nil }
        }
        replay(changes.interactions, for: planner, atMilliseconds: instant)
        let halfLifeDays = planner.configuration.feedback.impressionHalfLifeDays
        for (id, times) in changes.impressions {
            guard let group = planner.model.index(ofID: id.text) else { continue }
            see(UInt32(group), at: times, atMilliseconds: instant, halfLifeDays: halfLifeDays)
        }
    }
}
