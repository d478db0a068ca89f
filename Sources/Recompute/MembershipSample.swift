import SparseMatrix

/// Some members, each with a group that is left out of the others to see whether these would find it.
struct MembershipSample: Sendable {
    struct Member: Sendable {
        /// The other groups, ascending.
        var joined: [UInt32]
        var leftOut: UInt32
    }

    private(set) var members: [Member] = []

    static let none = MembershipSample()

    private static let memberLimit = 2000
    /// How many users are looked at for each that is wanted: many are in a single group.
    private static let usersPerMember = 4
    /// Users in more groups tell little of the usual ones, and take long.
    private static let groupLimit = 500

    private init() {}

    /// - Parameter matrix: groups × users.
    /// - Complexity: O(entries).
    init(_ matrix: BinaryMatrix) {
        let step = max(1, matrix.columnCount / (Self.memberLimit * Self.usersPerMember))
        var groups = [[UInt32]](repeating: [], count: (matrix.columnCount + step - 1) / step)
        for group in 0..<matrix.rowCount {
            for user in matrix.row(group) where Int(user).isMultiple(of: step) {
                groups[Int(user) / step].append(UInt32(group))
            }
        }
        let usable = groups.enumerated().filter { (2...Self.groupLimit).contains($0.element.count) }
        let stride = max(1, (usable.count + Self.memberLimit - 1) / Self.memberLimit)
        for (index, (user, joined)) in usable.enumerated() where index.isMultiple(of: stride) {
            // Any group will do, as long as a rerun leaves out the same: a multiplicative hash (Knuth 1973).
            let chosen = Int(UInt32(truncatingIfNeeded: user + 1) &* 2_654_435_761) % joined.count
            var others = joined
            let leftOut = others.remove(at: chosen)
            members.append(Member(joined: others, leftOut: leftOut))
        }
    }
}
