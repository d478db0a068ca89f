import Basics
import Model
import SQLite

/// The memberships of some users in shown groups.
package struct UserMemberships: Sendable {
    /// A membership.
    package struct Membership: Sendable, Equatable {
        /// The column of the user in a matrix.
        package var user: UInt32
        /// The row of the group in a matrix.
        package var group: UInt32
        /// The time of joining in Unix seconds, if it is known.
        package var seconds: Int64?
    }

    package let users: Range<Int>
    /// The start of each user's memberships, and the end of the last one's.
    private let starts: [Int]
    private let memberships: [Membership]

    /// Creates the memberships of users, in any order, all of them of one of the users.
    init(of users: Range<Int>, _ found: [Membership]) {
        var starts = [Int](repeating: 0, count: users.count + 1)
        for membership in found { starts[Int(membership.user) - users.lowerBound + 1] += 1 }
        for user in 0..<users.count { starts[user + 1] += starts[user] }
        var next = starts
        var sorted = found
        for membership in found {
            let user = Int(membership.user) - users.lowerBound
            sorted[next[user]] = membership
            next[user] += 1
        }
        for user in 0..<users.count { sorted[starts[user]..<starts[user + 1]].sort { $0.group < $1.group } }
        (self.users, self.starts, memberships) = (users, starts, sorted)
    }

    /// Returns the memberships of one of the users, in ascending order of the groups.
    package subscript(user: Int) -> ArraySlice<Membership> {
        memberships[starts[user - users.lowerBound]..<starts[user - users.lowerBound + 1]]
    }
}

extension UserMemberships {
    /// Reads the memberships of users from the index by user.
    init(_ plan: MatrixPlan, of users: Range<Int>, from database: ReadingDatabase) throws(Failure) {
        let source = plan.source
        var found: [Membership] = []
        var isInBounds = true
        let rows = try database.prepare(
            """
            SELECT \(source.entryColumn), \(source.rowColumn), \(source.timeColumn) FROM \(source.table)
            WHERE \(source.entryColumn) BETWEEN ? AND ? ORDER BY \(source.entryColumn), \(source.rowColumn)
            """, users.lowerBound, Int64(users.upperBound - 1))
        try rows.forEachIntegerTriple { user, group, time in
            guard users.contains(Int(user)), group >= 0, group < plan.rowOfGroup.count else {
                // A row of a group that is not there is in no matrix either.
                isInBounds = isInBounds && users.contains(Int(user))
                return
            }
            let row = plan.rowOfGroup[Int(group)]
            guard row >= 0 else { return }
            found.append(.init(user: UInt32(user), group: UInt32(row), seconds: time))
        }
        guard isInBounds else {
            throw .damaged("the rows of the index \(source.indexName) are out of order or bounds")
        }
        self.init(of: users, found)
    }
}
