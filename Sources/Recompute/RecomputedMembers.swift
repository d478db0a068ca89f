import CatalogStore
import Model
import ModelStore
import SparseMatrix

/// The members that a recompute publishes to a shared store, as it read them from the catalog.
struct RecomputedMembers: MemberSource {
    private let userIDs: PackedTexts
    /// Users × groups.
    private let joined: BinaryMatrix
    /// By row, the day of the user's earliest membership; `UInt16.max` or missing if there is none.
    private let firstDays: [UInt16]
    /// Dismissals and exposures of those who have any, by row.
    private let feedback: [UInt32: PublishedMember.Feedback]
    /// Stated interests by row, separated by semicolons.
    private let interests: PackedTexts
    /// The rows of those who have an id, and joined a group or said something.
    private let rows: [UInt32]

    /// - Parameters:
    ///   - userIDs: the users' external ids, by column of the matrix.
    ///   - memberships: groups × users.
    ///   - firstDays: as of `MatrixReading`, by column.
    ///   - feedback: dismissals and exposures, by column.
    ///   - interests: separated by semicolons, by column.
    /// - Complexity: O(entries).
    init(
        userIDs: PackedTexts, memberships: BinaryMatrix, firstDays: [UInt16],
        feedback: [UInt32: PublishedMember.Feedback], interests: PackedTexts
    ) throws(MatrixError) {
        self.userIDs = userIDs
        self.firstDays = firstDays
        let joined = try memberships.transposed()
        let rowCount = max(joined.rowCount, Int(feedback.keys.max() ?? 0) + 1, interests.count)
        rows = (0..<rowCount).lazy.filter { row in
            !userIDs.bytes(at: row).isEmpty
                && (row < joined.rowCount && joined.size(ofRow: row) > 0 || feedback[UInt32(row)] != nil
                    || !interests.bytes(at: row).isEmpty)
        }.map(UInt32.init)
        self.joined = joined
        self.feedback = feedback
        self.interests = interests
    }

    var userCount: Int { rows.count }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { userIDs.bytes(at: Int(rows[number])) }

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
        feedback.interests = interests[Int(rows[number])].split(separator: ";").map(String.init)
        return feedback
    }
}
