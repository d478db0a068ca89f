/// Agglomerative clustering by average linkage (Sokal and Michener 1958).
enum AverageLinkage {
    /// Merges the two clusters with the greatest mean similarity again and again, until it falls below a bound.
    ///
    /// Among equal pairs, the pair with the earliest first item is merged first, which makes the result deterministic.
    ///
    /// - Parameters:
    ///   - similarities: the similarities of all pairs of items.
    ///   - stop: the least mean similarity for merging two clusters (inclusive); above 0.
    /// - Returns: the clusters in the order of their first items, each in ascending order.
    /// - Complexity: O(count²) time usually, O(count³) at worst; O(count²) memory.
    static func clusters(_ similarities: PairSimilarities, stop: Double) -> [[Int]] {
        var clusters: [[Int]] = []
        clusters.reserveCapacity(similarities.count)
        var state = State(similarities)
        forEachComponent(of: similarities, least: stop) { items in
            guard items.count > 1 else { return clusters.append(items) }
            state.begin(items)
            while let pair = state.bestPair(), pair.mean >= stop { state.merge(pair.first, pair.second) }
            clusters += state.clusters
        }
        return clusters.sorted { $0[0] < $1[0] }
    }

    /// Calls `body` once for each set of items that similarities of at least `least` connect, in ascending order.
    ///
    /// Each such component is clustered by itself. A mean of similarities reaches `least` only if one of them does, so
    /// no cluster has items of two components.
    private static func forEachComponent(of similarities: PairSimilarities, least: Double, _ body: ([Int]) -> Void) {
        var unreached = Array(0..<similarities.count)
        while !unreached.isEmpty {
            var reached = [unreached.removeFirst()]
            var next = 0
            while next < reached.count {
                similarities.move(&unreached, to: &reached, near: reached[next], least: least)
                next += 1
            }
            body(reached.sorted())
        }
    }

    /// The clusters of some items; an item is known by its position among them, a cluster by its first item.
    private struct State {
        private let similarities: PairSimilarities
        private var items: [Int] = []
        /// The items that name a cluster, ascending.
        private var names: [Int] = []
        /// The number of items in each cluster.
        private var sizes: [Double] = []
        private var clusterOfItem: [Int] = []
        /// The sums of similarities between the items of two clusters.
        private var sums: [Double] = []
        /// The nearest later cluster of each cluster, and the mean similarity to it; −1 if there is none.
        private var nearest: [(other: Int, mean: Double)] = []

        init(_ similarities: PairSimilarities) { self.similarities = similarities }

        private var count: Int { items.count }

        /// Makes each of some items a cluster of its own, and forgets all earlier clusters.
        mutating func begin(_ items: [Int]) {
            self.items = items
            names = Array(items.indices)
            clusterOfItem = names
            sizes = [Double](repeating: 1, count: count)
            sums = similarities.matrix(of: items)
            nearest.removeAll(keepingCapacity: true)
            for position in items.indices { nearest.append(nearest(to: position, position: position)) }
        }

        /// All items by cluster, each in ascending order.
        var clusters: [[Int]] {
            var members = [[Int]](repeating: [], count: count)
            for (position, item) in items.enumerated() { members[clusterOfItem[position]].append(item) }
            return names.map { members[$0] }
        }

        /// Returns the later cluster that is nearest to a cluster.
        ///
        /// - Parameter position: the position of that name in `names`.
        private func nearest(to cluster: Int, position: Int) -> (other: Int, mean: Double) {
            let row = sums.span.extracting(cluster * count..<(cluster + 1) * count)
            let (names, sizes) = (names.span, sizes.span)
            let size = sizes[cluster]
            var best = (other: -1, mean: 0.0)
            for later in position + 1..<max(position + 1, names.count) where row[names[later]] > 0 {
                let other = names[later]
                let mean = row[other] / (size * sizes[other])
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
            let (count, others) = (count, names)
            var matrix = sums.mutableSpan
            for other in others where other != first {
                let sum = matrix[first * count + other] + matrix[second * count + other]
                matrix[first * count + other] = sum
                matrix[other * count + first] = sum
            }
            sizes[first] += sizes[second]
            var owners = clusterOfItem.mutableSpan
            for item in owners.indices where owners[item] == second { owners[item] = first }
            // Average linkage is reducible: a merged cluster is never nearer to a third one than both of its parts
            // were. Only clusters whose nearest was one of the parts have to search again.
            for (position, other) in names.enumerated() {
                guard other < second else { break }
                if other == first || nearest[other].other == first || nearest[other].other == second {
                    nearest[other] = nearest(to: other, position: position)
                }
            }
        }
    }
}
