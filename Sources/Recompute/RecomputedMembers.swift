import CatalogStore
import Dispatch
import Model
import ModelStore
import Recommendation
import Similarity
import Synchronization

/// The members that a recompute publishes with a version.
struct RecomputedMembers: MemberSource {
    private let users: UserTexts
    /// Users × groups.
    private let joined: BinaryMatrix
    /// The day of the user's earliest membership, by row; `UInt16.max` or absent if there is none.
    private let firstDays: [UInt16]
    /// The dismissals and exposures of users who have any, by row.
    private let feedback: [UInt32: PublishedMember.Feedback]
    /// The rows of the users who are not listed.
    var unlisted: Set<UInt32> = []
    /// The groups that the users' favourites and follows point to.
    var hints = MemberHints.none { didSet { rows = Self.rows(users, joined, feedback, hints) } }
    /// The rows of the users to publish: those with an id and with a group, feedback, interests or hints.
    private var rows: [UInt32]

    /// Chooses the users to publish.
    ///
    /// - Parameters:
    ///   - users: ids and interests, by row.
    ///   - joined: users × groups.
    ///   - firstDays: as in `MatrixReading`, by row.
    ///   - feedback: dismissals and exposures, by row.
    /// - Complexity: O(users).
    init(
        users: UserTexts, joined: BinaryMatrix, firstDays: [UInt16], feedback: [UInt32: PublishedMember.Feedback]
    ) {
        rows = Self.rows(users, joined, feedback, .none)
        self.users = users
        self.joined = joined
        self.firstDays = firstDays
        self.feedback = feedback
    }

    private static func rows(
        _ users: UserTexts, _ joined: BinaryMatrix, _ feedback: [UInt32: PublishedMember.Feedback],
        _ hints: MemberHints
    ) -> [UInt32] {
        (0..<users.ids.count).lazy.filter { row in
            !users.ids.bytes(at: row).isEmpty
                && (row < joined.rowCount && joined.size(ofRow: row) > 0 || feedback[UInt32(row)] != nil
                    || !users.interests.bytes(at: row).isEmpty || hints.tells(user: row))
        }.map(UInt32.init)
    }

    var userCount: Int { rows.count }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { users.ids.bytes(at: Int(rows[number])) }

    func groups(ofUser number: Int) -> ArraySlice<UInt32> {
        let row = Int(rows[number])
        return row < joined.rowCount ? joined.row(row) : []
    }

    func firstDay(ofUser number: Int) -> UInt16? {
        let row = Int(rows[number])
        return row < firstDays.count && firstDays[row] < .max ? firstDays[row] : nil
    }

    func feedback(ofUser number: Int) -> PublishedMember.Feedback {
        var feedback = feedback[rows[number]] ?? PublishedMember.Feedback()
        let interests = users.interests.bytes(at: Int(rows[number]))
        let isText = (try? UTF8Span(validating: interests.span)) != nil
        feedback.hints = hints.hints(ofUser: Int(rows[number]))
        feedback.isUnlisted = unlisted.contains(rows[number])
        feedback.interestBytes = isText ? interests : Array(String(decoding: interests, as: UTF8.self).utf8)[...]
        return feedback
    }

    func prepare(_ numbers: ArraySlice<UInt32>) {
        let rows = numbers.map { Int(self.rows[Int($0)]) }
        let joinedRows = rows.filter { $0 < joined.rowCount }
        for row in rows {
            users.ids.prefetchRange(at: row)
            users.interests.prefetchRange(at: row)
        }
        for row in joinedRows { joined.rowOffsets.span.prefetch(row..<row + 2) }
        for row in rows {
            users.ids.prefetchText(at: row)
            users.interests.prefetchText(at: row)
        }
        for row in joinedRows {
            joined.columnIndices.span.prefetch(joined.rowOffsets[row]..<joined.rowOffsets[row + 1])
        }
    }
}

extension RecomputeJob {
    /// Whether members are published with the version, for readers whose catalog does not have them.
    var publishesMembers: Bool {
        (store.shared != nil || tablesPath != nil || parameters.publishesMembers) && !parameters.isDryRun
    }

    /// Returns the members to publish with the version.
    func membersToPublish(_ entries: any EntrySource, _ memberships: MatrixReading)
        throws(RecomputeError) -> (RecomputedMembers, outcome: String)
    {
        let joined = TransposedMatrix(of: memberships.matrix, isMeanwhile: parameters.threads > 1)
        let (users, feedback, unlisted): (UserTexts, [UInt32: PublishedMember.Feedback], Set<UInt32>)
        do throws(CatalogError) {
            users = try entries.users()
            feedback = try memberFeedback(entries)
            unlisted = try entries.unlistedUsers()
        } catch { throw .catalog(error) }
        do throws(MatrixError) {
            var members = RecomputedMembers(
                users: users, joined: try joined.wait(), firstDays: memberships.firstDays ?? [], feedback: feedback)
            members.unlisted = unlisted
            return (members, "\(members.userCount) users")
        } catch { throw .model("the memberships cannot be turned to users: \(error)") }
    }

    /// Returns the dismissals in force and the impressions without a click, by column.
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

/// A matrix that is transposed on another thread while the catalog is read.
private final class TransposedMatrix: Sendable {
    private let outcome = Mutex<Result<BinaryMatrix, MatrixError>?>(nil)
    private let isOver = DispatchGroup()

    /// Begins to transpose a matrix.
    ///
    /// - Parameters:
    ///   - matrix: the matrix.
    ///   - isMeanwhile: whether another thread transposes it; otherwise the initialiser does.
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

    /// Waits for the matrix, and returns it.
    func wait() throws(MatrixError) -> BinaryMatrix {
        isOver.wait()
        guard let outcome = outcome.withLock({ $0 }) else { preconditionFailure("nothing was transposed") }
        return try outcome.get()
    }
}
