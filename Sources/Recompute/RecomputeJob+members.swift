import CatalogStore
import Dispatch
import Model
import ModelStore
import Recommendation
import SparseMatrix
import Synchronization

extension RecomputeJob {
    /// Whether members are published with the version: daemons of a shared store know them from there.
    var publishesMembers: Bool { store.shared != nil && !parameters.isDryRun }

    /// The members to publish with the version.
    func membersToPublish(_ entries: any EntrySource, _ memberships: MatrixReading)
        throws(RecomputeError) -> (RecomputedMembers, outcome: String)
    {
        let joined = TransposedMatrix(of: memberships.matrix, isMeanwhile: parameters.threads > 1)
        let (users, feedback): (UserTexts, [UInt32: PublishedMember.Feedback])
        do throws(CatalogError) {
            users = try entries.users()
            feedback = try memberFeedback(entries)
        } catch { throw .catalog(error) }
        do throws(MatrixError) {
            let members = RecomputedMembers(
                users: users, joined: try joined.wait(), firstDays: memberships.firstDays ?? [], feedback: feedback)
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

/// A matrix that is transposed on a thread of its own, while others read the catalog.
private final class TransposedMatrix: Sendable {
    private let outcome = Mutex<Result<BinaryMatrix, MatrixError>?>(nil)
    private let isOver = DispatchGroup()

    /// - Parameter isMeanwhile: whether there is a thread for it; it is done here and now otherwise.
    init(of matrix: BinaryMatrix, isMeanwhile: Bool) {
        guard isMeanwhile else {
            transpose(matrix)
            return
        }
        DispatchQueue(label: "transposition").async(group: isOver) { [self] in transpose(matrix) }
    }

    private func transpose(_ matrix: BinaryMatrix) {
        let transposed = Result { () throws(MatrixError) in try matrix.transposed() }
        outcome.withLock { $0 = transposed }
    }

    /// Waits for the matrix.
    func wait() throws(MatrixError) -> BinaryMatrix {
        isOver.wait()
        guard let outcome = outcome.withLock({ $0 }) else { preconditionFailure("nothing was transposed") }
        return try outcome.get()
    }
}
