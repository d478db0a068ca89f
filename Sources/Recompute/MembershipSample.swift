import SparseMatrix

/// Some members, each with a group that is left out of the others to see whether these would find it.
///
/// A member is chosen by the groups, and not by the number that the user happens to have: the same memberships give the
/// same sample, in whatever order they were imported.
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
        let found = Self.candidates(in: matrix)
        let stride = max(1, (found.count + Self.memberLimit - 1) / Self.memberLimit)
        for (index, candidate) in found.enumerated() where index.isMultiple(of: stride) {
            // Any group will do, as long as a rerun leaves out the same.
            let chosen = Int(Self.mixed(candidate.mark)) % candidate.groups.count
            var others = candidate.groups
            let leftOut = others.remove(at: chosen)
            members.append(Member(joined: others, leftOut: leftOut))
        }
    }

    /// Different sets of groups of some users, in an order that is as good as random.
    private static func candidates(in matrix: BinaryMatrix) -> [(mark: UInt32, groups: [UInt32])] {
        var (slots, marks) = chosenUsers(in: matrix)
        var groups = [[UInt32]](repeating: [], count: marks.count)
        for row in 0..<matrix.rowCount {
            for user in matrix.row(row) where slots[Int(user)] != 0 {
                groups[Int(slots[Int(user)]) - 1].append(UInt32(row))
            }
        }
        slots = []
        var found = zip(marks, groups).filter { (2...groupLimit).contains($0.1.count) }
        found.sort { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1.lexicographicallyPrecedes($1.1) }
        return found.indices.lazy.filter { $0 == 0 || found[$0 - 1].1 != found[$0].1 }
            .map { (mark: found[$0].0, groups: found[$0].1) }
    }

    /// Chooses users by their marks, which are sums of a number for each of their groups.
    ///
    /// - Returns: by column, a number from 1 for a chosen user, 0 for others; and the marks of those chosen.
    private static func chosenUsers(in matrix: BinaryMatrix) -> (slots: [UInt32], marks: [UInt32]) {
        var sums = [UInt32](repeating: 0, count: matrix.columnCount)
        for row in 0..<matrix.rowCount {
            let number = mixed(UInt32(row) &+ 1)
            for user in matrix.row(row) { sums[Int(user)] &+= number }
        }
        let userCount = sums.count { $0 != 0 }
        let step = UInt32(max(1, userCount / (memberLimit * usersPerMember)))
        var marks: [UInt32] = []
        for user in sums.indices {
            let mark = sums[user]
            let isChosen = mark != 0 && mark.isMultiple(of: step)
            if isChosen { marks.append(mark) }
            sums[user] = isChosen ? UInt32(marks.count) : 0
        }
        return (sums, marks)
    }

    /// The bits of a number well mixed (the end of MurmurHash3; Appleby 2011).
    private static func mixed(_ number: UInt32) -> UInt32 {
        var bits = (number ^ number >> 16) &* 0x85eb_ca6b
        bits = (bits ^ bits >> 13) &* 0xc2b2_ae35
        return bits ^ bits >> 16
    }
}
