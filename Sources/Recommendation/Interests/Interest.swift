public import Model

/// Groups of a member that are alike: one of the things he or she cares about.
public struct Interest: Sendable, Equatable {
    /// Indexes of the member's groups that make it up, ascending.
    public var groups: [UInt32]
    /// The part of the member's groups that are in it, above 0 and up to 1.
    public var share: Double
    /// The group that is closest to the others of it; of equal ones, the first.
    public var central: UInt32
    /// Whether it gathers groups that are like no other of the member's.
    public var isMixed: Bool

    /// What to call it: the most frequent topic of its groups, or if none is shared the title or id of its central group.
    public func name(in model: ModelVersion) -> String {
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
    /// What it counts where interests share a list: those of its groups that can bring anything.
    ///
    /// - Parameter factors: of the relations that are blended; one that does not count brings nothing.
    func weight(in model: ModelVersion, _ factors: [RelationFactor]) -> Double {
        let speaking = groups.count { group in
            factors.contains { !model.neighbours(of: Int(group), by: $0.relation).isEmpty }
        }
        return Double(speaking)
    }

    /// The interests of a member: clusters of the groups joined, by average linkage of plain cosines.
    ///
    /// - Parameters:
    ///   - groups: the groups joined, in ascending order.
    ///   - configuration: where clustering stops, and from how many groups on single ones are gathered.
    /// - Returns: the largest first, equal ones by their first group; the mixed one, if any, last.
    static func interests(
        of groups: [UInt32], in model: ModelVersion, _ configuration: PlanConfiguration.Interests
    ) -> [Interest] {
        let similarities = PairSimilarities(among: groups, in: model)
        var clusters = AverageLinkage.clusters(similarities, stop: configuration.leastMeanSimilarity)
        var singles: [Int] = []
        if groups.count >= configuration.leastGroupsForMixed {
            clusters = attachingSingles(clusters, similarities)
            let single = clusters.filter { $0.count == 1 }
            // One alone is an interest like any other.
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

    /// Groups that are like no cluster enough to be merged with it go to the one they are most like on average, if any.
    ///
    /// A group that many are in is a little like all of its kind: without this, groups of several interests would be
    /// gathered as one mixed interest.
    private static func attachingSingles(_ clusters: [[Int]], _ similarities: PairSimilarities) -> [[Int]] {
        var attached = clusters
        for (place, single) in clusters.enumerated() where single.count == 1 {
            var best = (place: -1, mean: 0.0)
            for (other, cluster) in clusters.enumerated() where cluster.count > 1 {
                let sum = cluster.reduce(0.0) { $0 + Double(similarities[single[0], $1]) }
                if sum / Double(cluster.count) > best.mean { best = (other, sum / Double(cluster.count)) }
            }
            guard best.mean > 0 else { continue }
            attached[best.place] += single
            attached[place] = []
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
