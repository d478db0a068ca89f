import CatalogStore
import Model
import ModelStore
import Recommendation
import SparseMatrix

extension RecomputeJob {
    /// Whether members are published with the version: daemons of a shared store know them from there.
    var publishesMembers: Bool { store.shared != nil && !parameters.isDryRun }

    /// The members to publish with the version.
    func membersToPublish(_ entries: any EntrySource, _ memberships: MatrixReading)
        throws(RecomputeError) -> (RecomputedMembers, outcome: String)
    {
        let (userIDs, feedback, interests): (PackedTexts, [UInt32: PublishedMember.Feedback], PackedTexts)
        do throws(CatalogError) {
            userIDs = try entries.userIDs()
            feedback = try memberFeedback(entries)
            interests = try entries.statedInterests()
        } catch { throw .catalog(error) }
        do throws(MatrixError) {
            let members = try RecomputedMembers(
                userIDs: userIDs, memberships: memberships.matrix, firstDays: memberships.firstDays ?? [],
                feedback: feedback, interests: interests)
            return (members, "\(members.userCount) users")
        } catch { throw .model("the memberships cannot be turned to users: \(error)") }
    }

    /// Dismissals in force and impressions without a click, by column.
    private func memberFeedback(_ entries: any EntrySource) throws(CatalogError) -> [UInt32: PublishedMember.Feedback] {
        let usual = PlanConfiguration().feedback
        let since = usual.earliestImpression(atMilliseconds: startedAtMilliseconds)
        var feedback: [UInt32: PublishedMember.Feedback] = [:]
        try entries.forEachMember(impressionsSince: since) { column, interactions in
            let profile = MemberProfile(userID: "").replaying(
                interactions, atMilliseconds: startedAtMilliseconds, halfLifeDays: usual.impressionHalfLifeDays)
            let said = PublishedMember.Feedback(
                dismissals: profile.dismissals,
                exposures: profile.exposures.filter { $0.impressions >= PublishedMember.Feedback.leastImpressions })
            if !said.isEmpty { feedback[UInt32(column)] = said }
        }
        return feedback
    }
}
