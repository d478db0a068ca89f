import CatalogStore
import Model
import ModelStore
import SparseMatrix

/// The members that a recompute publishes to a shared store, as it read them from the catalog.
struct RecomputedMembers: MemberSource {
    private let users: UserTexts
    /// Users × groups.
    private let joined: BinaryMatrix
    /// By row, the day of the user's earliest membership; `UInt16.max` or missing if there is none.
    private let firstDays: [UInt16]
    /// Dismissals and exposures of those who have any, by row.
    private let feedback: [UInt32: PublishedMember.Feedback]
    /// The rows of those who have an id, and joined a group or said something.
    private let rows: [UInt32]

    /// - Parameters:
    ///   - users: by row.
    ///   - joined: users × groups.
    ///   - firstDays: as of `MatrixReading`, by row.
    ///   - feedback: dismissals and exposures, by row.
    /// - Complexity: O(users).
    init(
        users: UserTexts, joined: BinaryMatrix, firstDays: [UInt16], feedback: [UInt32: PublishedMember.Feedback]
    ) {
        rows = (0..<users.ids.count).lazy.filter { row in
            !users.ids.bytes(at: row).isEmpty
                && (row < joined.rowCount && joined.size(ofRow: row) > 0 || feedback[UInt32(row)] != nil
                    || !users.interests.bytes(at: row).isEmpty)
        }.map(UInt32.init)
        self.users = users
        self.joined = joined
        self.firstDays = firstDays
        self.feedback = feedback
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
