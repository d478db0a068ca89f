import CatalogStore
import Model
import ModelStore
import SparseMatrix

/// Who joined what and what they said of it, for stores that publish it.
struct MemberProfiles: ProfileSource {
    private let userIDs: PackedTexts
    /// Users × groups.
    private let joined: BinaryMatrix
    /// Dismissals and exposures of those who have any, by row.
    private let feedback: [UInt32: MemberFeedback]
    /// Stated interests by row, with semicolons between them.
    private let interests: PackedTexts
    /// The rows of those who have an id, and joined a group or said something.
    private let rows: [UInt32]

    /// - Parameters:
    ///   - userIDs: the users' external ids, by column of the matrix.
    ///   - memberships: groups × users.
    ///   - feedback: dismissals and exposures, by column.
    ///   - interests: with semicolons between them, by column.
    /// - Complexity: O(entries).
    init(
        userIDs: PackedTexts, memberships: BinaryMatrix, feedback: [UInt32: MemberFeedback], interests: PackedTexts
    ) throws(MatrixError) {
        self.userIDs = userIDs
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

    func feedback(ofUser number: Int) -> MemberFeedback {
        var feedback = feedback[rows[number]] ?? MemberFeedback()
        feedback.interests = interests[Int(rows[number])].split(separator: ";").map(String.init)
        return feedback
    }
}
