/// The memberships of one user at a time, with room that is used again for the next user.
struct MembershipWorkspace {
    /// The groups joined, in no particular order, none twice.
    private(set) var groups: [Int] = []
    /// When each was joined, in the order of `groups`; empty until that is asked for.
    private(set) var joined: [Int] = []
    /// Positions in `groups`, by theme: those of theme t are `themeOffsets[t] ..< themeOffsets[t + 1]`.
    private(set) var positions: [Int] = []
    private(set) var themeOffsets: [Int] = Array(repeating: 0, count: Theme.all.count + 1)
    /// The round in which each group was joined last: what is in an older round is not joined now.
    private var rounds: [UInt32]
    private var round: UInt32 = 0

    init(groupCount: Int) { rounds = Array(repeating: 0, count: groupCount) }

    var count: Int { groups.count }

    func contains(_ group: Int) -> Bool { rounds[group] == round }

    /// Forgets the user before.
    mutating func begin() {
        groups.removeAll(keepingCapacity: true)
        joined.removeAll(keepingCapacity: true)
        round += 1
    }

    mutating func add(_ group: Int) {
        groups.append(group)
        rounds[group] = round
    }

    mutating func add(joined instant: Int) { joined.append(instant) }

    /// Sorts the positions by theme, in the order of joining within each (a counting sort).
    mutating func arrangeByTheme(_ table: [Group]) {
        for theme in themeOffsets.indices { themeOffsets[theme] = 0 }
        for group in groups { themeOffsets[Int(table[group].theme) + 1] += 1 }
        for theme in 1..<themeOffsets.count { themeOffsets[theme] += themeOffsets[theme - 1] }
        var next = themeOffsets
        positions = Array(repeating: 0, count: groups.count)
        for position in groups.indices {
            let theme = Int(table[groups[position]].theme)
            positions[next[theme]] = position
            next[theme] += 1
        }
    }
}
