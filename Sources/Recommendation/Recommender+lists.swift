import Model

extension Recommender {
    /// Groups for a member: the neighbours of the joined groups, without those joined.
    ///
    /// - Parameters:
    ///   - joined: indexes of the groups the member has joined.
    ///   - limit: how many at most.
    public func recommendations(joined: [UInt32], limit: Int) -> [Suggestion] {
        let known = Set(joined)
        return suggest(seeds: known.map { Seed(group: $0) }, limit: limit) { !known.contains($0) }
    }

    /// Groups that are similar to one, in the blend of this recommender's weights.
    public func similar(to group: UInt32, limit: Int) -> [Suggestion] {
        suggest(seeds: [Seed(group: group)], limit: limit) { $0 != group }
    }
}
