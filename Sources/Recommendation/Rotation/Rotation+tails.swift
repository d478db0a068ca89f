import Glibc

extension Rotation {
    /// How many of the groups that fill up a list change their order; those after them never come to the first page.
    static let tailLength = 100

    /// How the order of groups that fill up a list changes.
    enum Tail {
        /// As that of candidates: the best stays where it is.
        case whole
        /// As that of candidates behind the best.
        case following
        /// Drawn in proportion to the scores (Gumbel-max sampling), behind others that hardly leave them any room.
        case drawn
    }

    /// Groups that fill up a list, their first hundred in the order of the bucket.
    ///
    /// - Parameters:
    ///   - groups: best first.
    ///   - score: of the group at a position, above 0; asked for the first hundred.
    ///   - isWanted: whether a group is needed; the order of those that are is that of all.
    func rotating(
        _ groups: [UInt32], score: (_ position: Int) -> Double, as tail: Tail,
        where isWanted: (UInt32) -> Bool = { _ in true }
    ) -> [UInt32] {
        let count = min(groups.count, Self.tailLength)
        guard count > 0 else { return [] }
        let strength = Strength(count: count, configuration, score: score)
        var leading: [Candidate] = []
        for position in 0..<count where isWanted(groups[position]) {
            leading.append(Candidate(group: groups[position], score: score(position), interest: 0))
        }
        switch tail {
        case .whole: add(strength, to: &leading, stickiness: configuration.stickiness)
        case .following: add(strength, to: &leading, stickiness: 0)
        case .drawn:
            for position in leading.indices {
                leading[position].take(noise: exp(configuration.tailNoise * noise(of: leading[position].group)))
            }
        }
        Ranking.sort(&leading)
        return leading.map(\.group) + groups.dropFirst(Self.tailLength).filter(isWanted)
    }
}
