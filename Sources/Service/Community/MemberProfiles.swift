public import Changes
import Glibc
public import Model
public import ModelStore
public import Recommendation

extension MemberProfile {
    /// Creates a profile from the data that was published of a user, at an instant; impressions have faded since.
    ///
    /// - Parameters:
    ///   - manifest: the manifest of the version.
    ///   - planner: the planner of the version.
    ///   - instant: the time, in Unix milliseconds.
    public init(
        userID: String, _ member: PublishedMember, of manifest: Manifest, for planner: Planner,
        atMilliseconds instant: Int64
    ) {
        let ageDays = max(0, Double(instant - manifest.createdAtMilliseconds)) / 86_400_000
        let faded = exp2(-ageDays / planner.configuration.feedback.impressionHalfLifeDays)
        self.init(
            userID: userID, joined: member.joined.filter(planner.model.shows).map { JoinedGroup(group: $0) },
            dismissals: member.feedback.dismissals.filter { planner.model.shows($0.group) }.map {
                // A dismissal from a clock that was ahead must not win over a later change by the member.
                Dismissal(
                    group: $0.group, atMilliseconds: min($0.atMilliseconds, manifest.createdAtMilliseconds))
            },
            exposures: member.feedback.exposures.filter { planner.model.shows($0.group) }.map {
                Exposure(group: $0.group, impressions: $0.impressions * faded)
            },
            topics: member.feedback.interests)
        firstJoinAtMilliseconds = member.firstDay.map { Int64($0) * 86_400_000 }
    }

    /// Returns the profile with newer changes replayed on top.
    ///
    /// - Parameters:
    ///   - changes: the member's changes since the version was made.
    ///   - planner: the planner of the version.
    ///   - instant: the time, in Unix milliseconds.
    public func replaying(_ changes: RecentMemberChanges, for planner: Planner, atMilliseconds instant: Int64)
        -> MemberProfile
    {
        var profile = self
        if changes.forgetsEarlier { (profile.dismissals, profile.exposures) = ([], []) }
        if let interests = changes.interests { profile.topics = interests }
        // The site may remove a member from a group; a later join makes the member join again.
        let membership = planner.configuration.relations[.membership]?.source.table
        let removals = changes.removals.filter { $0.table == membership }.compactMap { removal in
            planner.model.index(ofID: removal.groupID).map { group in
                Interaction(.leave, group: UInt32(group), atMilliseconds: removal.atMilliseconds)
            }
        }
        return profile.replaying(
            changes.interactions.compactMap { Interaction($0, in: planner.model) } + removals, atMilliseconds: instant,
            halfLifeDays: planner.configuration.feedback.impressionHalfLifeDays)
    }
}
