import CatalogStore
import Model
import ModelStore
import Recommendation
import SparseMatrix

extension RecomputeJob {
    /// What is published of members.
    func memberProfiles(_ catalog: Catalog, _ groups: [GroupRecord], _ memberships: BinaryMatrix)
        throws(RecomputeError) -> (MemberProfiles, outcome: String)
    {
        let (userIDs, feedback, interests): (PackedTexts, [UInt32: MemberFeedback], PackedTexts)
        do throws(CatalogError) {
            userIDs = try catalog.userIDs()
            feedback = try memberFeedback(catalog, groups)
            interests = try catalog.statedInterests()
        } catch { throw .catalog(error) }
        do throws(MatrixError) {
            let profiles = try MemberProfiles(
                userIDs: userIDs, memberships: memberships, feedback: feedback, interests: interests)
            return (profiles, "\(profiles.userCount) users")
        } catch { throw .model("the memberships cannot be turned to users: \(error)") }
    }

    /// Dismissals in force and impressions without a click, by column.
    private func memberFeedback(_ catalog: Catalog, _ groups: [GroupRecord]) throws(CatalogError)
        -> [UInt32: MemberFeedback]
    {
        let usual = PlanConfiguration().feedback
        let since = usual.earliestImpression(atMilliseconds: startedAtMilliseconds)
        var feedback: [UInt32: MemberFeedback] = [:]
        try catalog.forEachMember(groups: groups, impressionsSince: since) { member in
            let interactions = member.events.compactMap { event in
                Interaction.Kind(rawValue: event.kind.rawValue).map {
                    Interaction($0, group: UInt32(event.row), atMilliseconds: event.atMilliseconds)
                }
            }
            let profile = MemberProfile(userID: "").replaying(
                interactions, atMilliseconds: startedAtMilliseconds, halfLifeDays: usual.impressionHalfLifeDays)
            let said = MemberFeedback(profile)
            if !said.isEmpty { feedback[UInt32(member.column)] = said }
        }
        return feedback
    }
}

extension MemberFeedback {
    /// What a profile has of it, but for the interests.
    fileprivate init(_ profile: MemberProfile) {
        self.init(
            dismissals: profile.dismissals.map {
                Dismissal(group: $0.group, atSeconds: UInt32(clamping: $0.atMilliseconds / 1000))
            },
            exposures: profile.exposures.compactMap { exposure in
                let thousandths = UInt32(clamping: Int64((min(exposure.impressions, 1e6) * 1000).rounded()))
                return thousandths > 0 ? Exposure(group: exposure.group, thousandths: thousandths) : nil
            })
    }
}
