import CatalogStore
import Changes
import Glibc
import Model
import ModelStore
import Recommendation

extension MemberProfile {
    /// Creates a profile from the data that was published of a user, at an instant; impressions have faded since.
    ///
    /// - Parameters:
    ///   - manifest: the manifest of the version.
    ///   - planner: the planner of the version.
    ///   - instant: the time, in Unix milliseconds.
    init(
        userID: String, _ member: PublishedMember, of manifest: Manifest, for planner: Planner,
        atMilliseconds instant: Int64
    ) {
        let ageDays = max(0, Double(instant - manifest.createdAtMilliseconds)) / 86_400_000
        let faded = exp2(-ageDays / planner.configuration.feedback.impressionHalfLifeDays)
        self.init(
            userID: userID, joined: Self.joined(member, planner),
            dismissals: member.feedback.dismissals.filter { planner.model.shows($0.group) }.map {
                // A dismissal from a clock that was ahead must not win over a later change by the member.
                Dismissal(
                    group: $0.group, atMilliseconds: min($0.atMilliseconds, manifest.createdAtMilliseconds))
            },
            exposures: member.feedback.exposures.filter { planner.model.shows($0.group) }.map {
                Exposure(group: $0.group, impressions: $0.impressions * faded)
            },
            topics: member.feedback.interests)
        hints = member.feedback.hints
        firstJoinAtMilliseconds = member.firstJoinAtMilliseconds
    }

    private static func joined(_ member: PublishedMember, _ planner: Planner) -> [JoinedGroup] {
        member.joined.filter { planner.model.shows($0.group) }.map {
            JoinedGroup(group: $0.group, atMilliseconds: $0.seconds.map { Int64($0) * 1000 })
        }
    }

    /// Creates the profile of a user whose memberships a version has, and whose actions a catalog has.
    ///
    /// - Parameters:
    ///   - published: the data that was published of the user, or `nil` if there is none.
    ///   - manifest: the manifest of the version.
    ///   - catalog: the catalog.
    ///   - planner: the planner of the version.
    ///   - instant: the time, in Unix milliseconds.
    /// - Returns: `nil` if there is no such user, or if the site has forgotten the user.
    init?(
        userID: String, _ published: PublishedMember?, of manifest: Manifest, from catalog: Catalog,
        for planner: Planner, atMilliseconds instant: Int64
    ) throws(CatalogError) {
        let known = try catalog.member(withID: userID)
        guard published != nil || known != nil, try !catalog.isForgotten(user: userID) else { return nil }
        let joined = published.map { Self.joined($0, planner) } ?? []
        let stated = known.flatMap { $0.hasStatedInterests ? $0.interests : nil }
        self.init(
            userID: userID, joined: joined,
            topics: stated ?? published?.feedback.interests ?? [])
        hints = published?.feedback.hints ?? []
        firstJoinAtMilliseconds = published?.firstJoinAtMilliseconds
        let feedback = planner.configuration.feedback
        let history = try catalog.history(
            ofUser: userID, impressionsSince: feedback.earliestImpression(atMilliseconds: instant))
        let interactions = history.compactMap { Interaction($0, in: planner.model) }
        let isJoined = Set(joined.map(\.group))
        self = replaying(
            // The version has a membership in spite of an earlier leave, if the member joined once more after it.
            interactions.filter { interaction in
                interaction.effect != .leave || interaction.atMilliseconds > manifest.createdAtMilliseconds
                    || !isJoined.contains(interaction.group)
            }, atMilliseconds: instant, halfLifeDays: feedback.impressionHalfLifeDays)
    }

    /// Returns the profile with newer changes replayed on top.
    ///
    /// - Parameters:
    ///   - changes: the member's changes since the version was made.
    ///   - planner: the planner of the version.
    ///   - instant: the time, in Unix milliseconds.
    func replaying(_ changes: RecentMemberChanges, for planner: Planner, atMilliseconds instant: Int64)
        -> MemberProfile
    {
        var profile = self
        if changes.forgetsEarlier { (profile.dismissals, profile.exposures) = ([], []) }
        if let interests = changes.interests { profile.topics = interests }
        // The site may remove a member from a group; a later join makes the member join again.
        let membership = planner.configuration.relations[.membership]?.source?.table
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

extension PublishedMember {
    /// The time of the earliest membership in Unix milliseconds, 0 if one is not known; nil without memberships.
    fileprivate var firstJoinAtMilliseconds: Int64? { joined.map { Int64($0.seconds ?? 0) * 1000 }.min() }
}
