public import Model

/// An interest of a member: joined groups that are similar to one another.
public struct Interest: Sendable, Equatable {
    /// Indexes of the member's groups that make it up, ascending.
    public var groups: [UInt32]
    /// The share of the member's groups that are in it, above 0 and up to 1.
    public var share: Double
    /// The group that is most similar to the others in it; of equal ones, the first.
    public var central: UInt32
    /// Whether it collects groups that are similar to no other group of the member.
    public var isMixed: Bool

    /// Its name: the most frequent topic of its groups, or if no two share one, the title or id of its central group.
    public func name(in model: VisibleModel) -> String {
        guard !isMixed else { return "mixed" }
        var counts: [String: Int] = [:]
        for group in groups {
            for topic in Set(model.topics(of: Int(group))) { counts[topic, default: 0] += 1 }
        }
        let common = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        if let common, common.value > 1 || groups.count == 1 { return common.key }
        let title = model.title(of: Int(central))
        return title.isEmpty ? model.id(of: Int(central)) : title
    }
}

extension Interest {
    /// Its weight in the division of a list: the number of its groups that have neighbours.
    ///
    /// - Parameter factors: of the relations that are blended; only their neighbours count.
    func weight(in model: VisibleModel, _ factors: [RelationFactor]) -> Double {
        let contributing = groups.count { group in
            factors.contains { model.hasNeighbours(Int(group), by: $0.relation) }
        }
        return Double(contributing)
    }

    /// The interests of a member: clusters of the groups joined, by average linkage of plain cosines.
    ///
    /// - Parameters:
    ///   - groups: the joined groups, in ascending order.
    ///   - factors: of the relations by index; those with 0 do not count. All count if there are none.
    ///   - configuration: where clustering stops, and from how many groups on there is a mixed interest.
    /// - Returns: the largest first, equal ones by their first group; the mixed one, if any, last.
    static func interests(
        of groups: [UInt32], in model: VisibleModel, factors: [Double] = [],
        _ configuration: PlanConfiguration.Interests
    ) -> [Interest] {
        let similarities = PairSimilarities(among: groups, in: model, factors: factors)
        var clusters = AverageLinkage.clusters(similarities, stop: configuration.leastMeanSimilarity)
        var singles: [Int] = []
        if groups.count >= configuration.leastGroupsForMixed {
            clusters = attachingSingles(clusters, similarities)
            let single = clusters.filter { $0.count == 1 }
            // A single group alone is an ordinary interest.
            if single.count > 1 {
                singles = single.map { $0[0] }
                clusters.removeAll { $0.count == 1 }
            }
        }
        let ordered = clusters.sorted { $0.count != $1.count ? $0.count > $1.count : $0[0] < $1[0] }
        var interests = ordered.map { cluster in
            Interest(
                groups: cluster.map { groups[$0] }, share: Double(cluster.count) / Double(groups.count),
                central: groups[central(of: cluster, similarities)], isMixed: false)
        }
        if let first = singles.first {
            interests.append(
                Interest(
                    groups: singles.map { groups[$0] }, share: Double(singles.count) / Double(groups.count),
                    central: groups[first], isMixed: true))
        }
        return interests
    }

    /// Adds each single group to the cluster to which it has the greatest mean similarity, if that is above 0.
    ///
    /// A large group is only slightly similar to each of its kind; without this step, such groups of different
    /// interests would become one mixed interest.
    private static func attachingSingles(_ clusters: [[Int]], _ similarities: PairSimilarities) -> [[Int]] {
        var attached = clusters
        for (own, single) in clusters.enumerated() where single.count == 1 {
            var best = (cluster: -1, mean: 0.0)
            for (other, cluster) in clusters.enumerated() where cluster.count > 1 {
                let sum = cluster.reduce(0.0) { $0 + Double(similarities[single[0], $1]) }
                if sum / Double(cluster.count) > best.mean { best = (other, sum / Double(cluster.count)) }
            }
            guard best.mean > 0 else { continue }
            attached[best.cluster] += single
            attached[own] = []
        }
        return attached.filter { !$0.isEmpty }.map { $0.sorted() }
    }

    private static func central(of cluster: [Int], _ similarities: PairSimilarities) -> Int {
        var best = (item: cluster[0], sum: -Float.infinity)
        for item in cluster {
            let sum = cluster.reduce(Float(0)) { $0 + similarities[item, $1] }
            if sum > best.sum { best = (item, sum) }
        }
        return best.item
    }
}
