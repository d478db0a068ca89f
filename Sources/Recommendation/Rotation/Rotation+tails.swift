extension Rotation {
    /// How many of the groups that fill up a list change their order; those after them never come to the first page.
    static let tailLength = 100

    /// Groups that fill up a list, their first hundred in the order of the bucket.
    ///
    /// - Parameters:
    ///   - groups: best first.
    ///   - scores: of the first hundred at least, in the same order, above 0.
    ///   - isFirst: whether nothing stands before them, so that the best should stay where it is.
    func rotating(_ groups: [UInt32], scores: [Double], isFirst: Bool) -> [UInt32] {
        var leading = zip(groups, scores).prefix(Self.tailLength).map {
            Candidate(group: $0, score: $1, interest: 0)
        }
        apply(to: &leading, stickiness: isFirst ? configuration.stickiness : 0)
        Ranking.sort(&leading)
        return leading.map(\.group) + groups.dropFirst(Self.tailLength)
    }
}
