/// Agglomerative clustering by average linkage (Sokal and Michener 1958).
enum AverageLinkage {
    /// Merges the two clusters of greatest mean similarity between their items, until it falls below a bound.
    ///
    /// Of equal pairs the one whose first item stands first is merged first, so that the result is determined.
    ///
    /// - Parameters:
    ///   - similarities: of all pairs of items.
    ///   - stop: clusters are merged only if their mean similarity is at least this; above 0.
    /// - Returns: clusters by their first item; each in ascending order.
    /// - Complexity: O(count²) time as a rule, O(count³) at worst; O(count²) memory.
    static func clusters(_ similarities: PairSimilarities, stop: Double) -> [[Int]] {
        var state = State(similarities)
        while let pair = state.bestPair(), pair.mean >= stop { state.merge(pair.first, pair.second) }
        return state.clusters.filter { !$0.isEmpty }
    }

    /// Clusters are named by their first item.
    private struct State {
        let count: Int
        /// Items of each cluster, ascending; empty once it is merged into another.
        var clusters: [[Int]]
        /// Sums of similarities between the items of two clusters.
        var sums: [Double]
        /// The later cluster that is nearest to each, and the mean similarity to it; −1 if there is none.
        var nearest: [(other: Int, mean: Double)]

        init(_ similarities: PairSimilarities) {
            count = similarities.count
            clusters = (0..<similarities.count).map { [$0] }
            sums = []
            sums.reserveCapacity(count * count)
            for item in 0..<count { for value in similarities.row(item) { sums.append(Double(value)) } }
            nearest = []
            for item in 0..<count { nearest.append(findNearest(to: item)) }
        }

        private func mean(_ first: Int, _ second: Int) -> Double {
            sums[first * count + second] / Double(clusters[first].count * clusters[second].count)
        }

        private func findNearest(to cluster: Int) -> (other: Int, mean: Double) {
            var best = (other: -1, mean: 0.0)
            for other in (cluster + 1)..<max(count, cluster + 1)
            where sums[cluster * count + other] > 0 && !clusters[other].isEmpty {
                let mean = mean(cluster, other)
                if mean > best.mean { best = (other, mean) }
            }
            return best
        }

        func bestPair() -> (first: Int, second: Int, mean: Double)? {
            var best: (first: Int, second: Int, mean: Double)?
            for first in 0..<count where !clusters[first].isEmpty && nearest[first].other >= 0 {
                if nearest[first].mean > best?.mean ?? 0 { best = (first, nearest[first].other, nearest[first].mean) }
            }
            return best
        }

        /// Merges a cluster into one whose first item stands before its own.
        mutating func merge(_ first: Int, _ second: Int) {
            for other in 0..<count where other != first && other != second && !clusters[other].isEmpty {
                let sum = sums[first * count + other] + sums[second * count + other]
                sums[first * count + other] = sum
                sums[other * count + first] = sum
            }
            clusters[first] = (clusters[first] + clusters[second]).sorted()
            clusters[second] = []
            nearest[first] = findNearest(to: first)
            // Average linkage is reducible: a merge never makes a cluster nearer to a third than both of its parts
            // were, so that only those whose nearest was one of the parts have to look again.
            for other in 0..<second where other != first && !clusters[other].isEmpty {
                if nearest[other].other == first || nearest[other].other == second {
                    nearest[other] = findNearest(to: other)
                }
            }
        }
    }
}
