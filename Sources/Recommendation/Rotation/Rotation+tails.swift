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
    ///   - scores: of the first hundred at least, in the same order, above 0.
    func rotating(_ groups: [UInt32], scores: [Double], as tail: Tail) -> [UInt32] {
        var leading = zip(groups, scores).prefix(Self.tailLength).map {
            Candidate(group: $0, score: $1, interest: 0)
        }
        switch tail {
        case .whole: apply(to: &leading, stickiness: configuration.stickiness)
        case .following: apply(to: &leading, stickiness: 0)
        case .drawn:
            for position in leading.indices {
                leading[position].take(noise: exp(configuration.tailNoise * noise(of: leading[position].group)))
            }
        }
        Ranking.sort(&leading)
        return leading.map(\.group) + groups.dropFirst(Self.tailLength)
    }
}
