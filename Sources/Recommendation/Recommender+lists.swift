import Model

extension Recommender {
    /// Groups that are similar to one, in the blend of this recommender's weights.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - hidden: groups that must not be shown to anybody.
    public func similar(to group: UInt32, limit: Int, hidden: Set<UInt32> = []) -> [Suggestion] {
        suggest(seeds: [Seed(group: group)], limit: limit) { $0 != group && !hidden.contains($0) }
    }
}
