import Catalog
import ModelStore
import SparseMatrix

/// Who joined what, for stores that publish it: the matrix groups × members turned to members.
struct MemberProfiles: ProfileSource {
    private let userIDs: PackedIDs
    /// Users × groups.
    private let joined: BinaryMatrix
    /// The rows of those who joined a group and have an id.
    private let rows: [UInt32]

    /// - Parameters:
    ///   - userIDs: the users' outside ids, by column of the matrix.
    ///   - memberships: groups × users.
    /// - Complexity: O(entries).
    init(userIDs: PackedIDs, memberships: BinaryMatrix) throws(MatrixError) {
        self.userIDs = userIDs
        let joined = try memberships.transposed()
        rows = (0..<joined.rowCount).lazy.filter { joined.size(ofRow: $0) > 0 && userIDs.bytes(at: $0) != nil }
            .map(UInt32.init)
        self.joined = joined
    }

    var userCount: Int { rows.count }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { userIDs.bytes(at: Int(rows[number])) ?? [] }

    func groups(ofUser number: Int) -> ArraySlice<UInt32> { joined.row(Int(rows[number])) }
}
