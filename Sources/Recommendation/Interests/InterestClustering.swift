package import Model

/// Divides a member's groups into interests: average linkage of plain cosines.
struct InterestClustering: Sendable {
    private let configuration: PlanConfiguration.Interests
    /// The index of the relation of memberships, or `nil` if the version has none.
    private let membership: Int?

    /// Creates a clustering for the groups of a model.
    ///
    /// - Parameter relations: the relations; one of them says which members a group has.
    init(in model: VisibleModel, _ relations: RelationTable, _ configuration: PlanConfiguration.Interests) {
        self.configuration = configuration
        membership = relations[.membership].flatMap { model.relations.firstIndex(of: $0.relation) }
    }

    /// Returns the interests of a member.
    ///
    /// - Parameters:
    ///   - groups: the joined groups, ascending.
    ///   - table: the candidate table of these groups.
    /// - Returns: the interests with the most groups first, equal ones by their first group; the mixed one, if any,
    ///   last.
    func interests(of groups: [UInt32], _ table: CandidateTable, in model: VisibleModel) -> [Interest] {
        let sizes = GroupSizes(of: groups, in: model)
        let (similarities, overlaps) = PairSimilarities.cosinesAndOverlaps(
            table.joinedPairs, sizes, shrinkage: configuration.overlapShrinkage)
        var clusters = AverageLinkage.clusters(similarities, stop: configuration.leastMeanSimilarity)
        var mixed: [Int] = []
        if groups.count >= configuration.leastGroupsForMixed, clusters.contains(where: { $0.count == 1 }) {
            clusters = attachingSingles(clusters, overlaps)
            let single = clusters.filter { $0.count == 1 }
            // A single group alone is an ordinary interest.
            if single.count > 1 {
                mixed = single.map { $0[0] }
                clusters.removeAll { $0.count == 1 }
            }
        }
        var ordered = clusters.sorted { $0.count != $1.count ? $0.count > $1.count : $0[0] < $1[0] }
        if !mixed.isEmpty { ordered.append(mixed) }
        let bringing = table.bringsCandidates
        let bringingCount = Double(max(1, bringing.count { $0 }))
        return ordered.enumerated().map { number, cluster in
            Interest(
                groups: cluster.map { groups[$0] }, share: Double(cluster.count { bringing[$0] }) / bringingCount,
                largest: groups[largest(of: cluster, sizes)], isMixed: !mixed.isEmpty && number == ordered.count - 1)
        }
    }

    /// Returns the position of the group with the most members; of equal ones the first.
    private func largest(of cluster: [Int], _ sizes: GroupSizes) -> Int {
        guard let membership else { return cluster[0] }
        var best = cluster[0]
        for position in cluster.dropFirst() where sizes[position, membership] > sizes[best, membership] {
            best = position
        }
        return best
    }

    /// Adds each single group to the cluster that it clearly belongs to, if there is one.
    ///
    /// Cosines are no guide here. A large group and a small one have a low cosine even if the large one has nearly all
    /// entries of the small one. Overlaps count the common entries as a part of the smaller group.
    ///
    /// A cluster qualifies if its mean overlap with the single group is large, and clearly larger than that of any
    /// other cluster. A few common members are not enough.
    private func attachingSingles(_ clusters: [[Int]], _ overlaps: PairSimilarities) -> [[Int]] {
        var attached = clusters
        for (own, single) in clusters.enumerated() where single.count == 1 {
            var best = (cluster: -1, mean: 0.0)
            var second = 0.0
            for (other, cluster) in clusters.enumerated() where cluster.count > 1 {
                let sum = cluster.reduce(0.0) { $0 + Double(overlaps[single[0], $1]) }
                let mean = sum / Double(cluster.count)
                second = max(second, min(mean, best.mean))
                if mean > best.mean { best = (other, mean) }
            }
            guard best.mean >= configuration.leastMeanOverlap, best.mean >= configuration.clearness * second else {
                continue
            }
            attached[best.cluster] += single
            attached[own] = []
        }
        return attached.filter { !$0.isEmpty }.map { $0.sorted() }
    }
}

/// An interest of a member: joined groups that are similar to one another.
package struct Interest: Sendable, Equatable {
    /// The indexes of the member's groups in this interest, ascending.
    package var groups: [UInt32]
    /// The part of a list that the interest may claim, 0 to 1.
    ///
    /// The share is a part of the member's groups; groups without neighbours in a relation that counts are left out.
    package var share: Double
    /// The group with the most members; of equal ones, the first.
    package var largest: UInt32
    /// Whether the interest collects groups that are similar to no other group of the member.
    package var isMixed: Bool

    /// Returns the topic that more than half of its groups have, else the title or id of its largest group.
    ///
    /// Among several such topics, the most frequent one wins; of equally frequent ones the first in the alphabet. A
    /// mixed interest is named "mixed".
    package func name(in model: VisibleModel) -> String {
        guard !isMixed else { return "mixed" }
        var counts: [String: Int] = [:]
        for group in groups {
            for topic in Set(model.topics(of: Int(group))) { counts[topic, default: 0] += 1 }
        }
        let common = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        if let common, 2 * common.value > groups.count { return common.key }
        let title = model.title(of: Int(largest))
        return title.isEmpty ? model.id(of: Int(largest)) : title
    }
}

extension Interest {
    /// Returns the index of the interest of each of a member's groups.
    ///
    /// - Parameter groups: the groups of all the interests, ascending.
    static func numbers(of groups: [UInt32], in interests: some Collection<Interest>) -> [Int] {
        let positions = GroupPositions(groups)
        var numbers = [Int](repeating: 0, count: groups.count)
        for (number, interest) in interests.enumerated() {
            for group in interest.groups { if let position = positions[group] { numbers[position] = number } }
        }
        return numbers
    }
}
