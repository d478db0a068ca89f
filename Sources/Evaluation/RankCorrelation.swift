/// How far two orders agree.
enum RankCorrelation {
    /// Kendall's tau between two lists, over the groups that are in both: 1 for the same order, −1 for the opposite.
    ///
    /// Kendall, "A new measure of rank correlation", 1938. Lists have no ties, so that this is tau-b.
    ///
    /// - Returns: nil if they have fewer than two groups in common.
    /// - Complexity: O(groups²).
    static func tau(_ first: [UInt32], _ second: [UInt32]) -> Double? {
        let ranks = Dictionary(zip(second, 0...)) { first, _ in first }
        let common = first.compactMap { ranks[$0] }
        guard common.count > 1 else { return nil }
        var agreement = 0
        for (position, rank) in common.enumerated() {
            for later in common[(position + 1)...] { agreement += rank < later ? 1 : -1 }
        }
        return Double(agreement) / Double(common.count * (common.count - 1) / 2)
    }
}
