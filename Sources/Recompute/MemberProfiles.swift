import Catalog
import ModelStore
import SparseMatrix

/// Who joined what, for stores that publish it: the matrix groups × members read by member.
struct MemberProfiles: ProfileSource {
    let userIDs: PackedIDs
    let memberships: BinaryMatrix
    let userCount: Int

    /// - Parameters:
    ///   - userIDs: the users' outside ids, by column of the matrix.
    ///   - memberships: groups × users.
    init(userIDs: PackedIDs, memberships: BinaryMatrix) {
        self.userIDs = userIDs
        self.memberships = memberships
        userCount = memberships.columnDegrees().count { $0 > 0 }
    }

    func forEachUser(_ body: (_ userID: String, _ groups: ArraySlice<UInt32>) throws(StoreError) -> Void)
        throws(StoreError)
    {
        let byUser: BinaryMatrix
        do throws(MatrixError) {
            byUser = try memberships.transposed()
        } catch { throw StoreError(.writeFailed, "the memberships cannot be turned to users: \(error)") }
        for column in 0..<byUser.rowCount where byUser.size(ofRow: column) > 0 {
            if let id = userIDs[column] { try body(id, byUser.row(column)) }
        }
    }
}
