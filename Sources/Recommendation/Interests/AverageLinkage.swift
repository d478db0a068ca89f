/// Agglomerative clustering by average linkage (Sokal and Michener 1958).
enum AverageLinkage {
    /// Merges the two clusters with the greatest mean similarity between their items, until it falls below a bound.
    ///
    /// Of equal pairs, the one with the earliest first item is merged first, so that the result is determined.
    ///
    /// - Parameters:
    ///   - similarities: of all pairs of items.
    ///   - stop: clusters are merged only if their mean similarity is at least this; above 0.
    /// - Returns: clusters in the order of their first items; each in ascending order.
    /// - Complexity: O(count²) time usually, O(count³) at worst; O(count²) memory.
    static func clusters(_ similarities: PairSimilarities, stop: Double) -> [[Int]] {
        var state = State(similarities)
        while let pair = state.bestPair(), pair.mean >= stop { state.merge(pair.first, pair.second) }
        return state.clusters
    }

    /// A cluster's name is its first item.
    private struct State {
        let count: Int
        /// The items that name a cluster, ascending.
        private var names: [Int]
        /// How many items each cluster has.
        private var sizes: [Double]
        /// The cluster that each item is in.
        private var clusterOfItem: [Int]
        /// Sums of similarities between the items of two clusters.
        private var sums: [Double]
        /// The later cluster that is nearest to each, and the mean similarity to it; −1 if there is none.
        private var nearest: [(other: Int, mean: Double)]

        init(_ similarities: PairSimilarities) {
            count = similarities.count
            names = Array(0..<similarities.count)
            sizes = [Double](repeating: 1, count: similarities.count)
            clusterOfItem = names
            sums = similarities.values.map(Double.init)
            nearest = []
            nearest.reserveCapacity(count)
            for item in 0..<count { nearest.append(nearest(to: item, position: item)) }
        }

        /// All items by cluster, each in ascending order.
        var clusters: [[Int]] {
            var members = [[Int]](repeating: [], count: count)
            for item in 0..<count { members[clusterOfItem[item]].append(item) }
            return names.map { members[$0] }
        }

        /// - Parameter position: the position of the cluster's name in `names`.
        private func nearest(to cluster: Int, position: Int) -> (other: Int, mean: Double) {
            let row = sums.span.extracting(cluster * count..<(cluster + 1) * count)
            var best = (other: -1, mean: 0.0)
            for other in names.dropFirst(position + 1) where row[other] > 0 {
                let mean = row[other] / (sizes[cluster] * sizes[other])
                if mean > best.mean { best = (other, mean) }
            }
            return best
        }

        func bestPair() -> (first: Int, second: Int, mean: Double)? {
            var best: (first: Int, second: Int, mean: Double)?
            var greatest = 0.0
            for name in names where nearest[name].mean > greatest {
                greatest = nearest[name].mean
                best = (name, nearest[name].other, greatest)
            }
            return best
        }

        /// Merges a cluster into one with an earlier first item.
        mutating func merge(_ first: Int, _ second: Int) {
            names.removeAll { $0 == second }
            for other in names where other != first {
                let sum = sums[first * count + other] + sums[second * count + other]
                sums[first * count + other] = sum
                sums[other * count + first] = sum
            }
            sizes[first] += sizes[second]
            for item in 0..<count where clusterOfItem[item] == second { clusterOfItem[item] = first }
            // Average linkage is reducible: a merged cluster is never nearer to a third one than both of its parts
            // were. So only clusters whose nearest was one of the parts have to search again.
            for (position, other) in names.enumerated() {
                guard other < second else { break }
                if other == first || nearest[other].other == first || nearest[other].other == second {
                    nearest[other] = nearest(to: other, position: position)
                }
            }
        }
    }
}
