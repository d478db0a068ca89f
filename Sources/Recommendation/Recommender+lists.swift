import Model

extension Recommender {
    /// Groups that are similar to one, in the blend of this recommender's weights.
    public func similar(to group: UInt32, limit: Int) -> [Suggestion] {
        suggest(seeds: [Seed(group: group)], limit: limit) { $0 != group }
    }
}
