/// The differences between two model versions: groups, neighbours and scores.
///
/// Groups are matched by their external ids, byte by byte.
package struct VersionComparison: Sendable, Equatable {
    /// The number of groups in the older version.
    package let groupsBefore: Int
    /// The number of groups in the newer version.
    package let groupsAfter: Int
    /// The number of groups in the older version that the newer one lacks.
    package let groupsLost: Int
    /// The number of groups in the newer version that the older one lacks.
    package let groupsAdded: Int
    /// The relations of both versions: those of the newer first, then those that only the older has.
    package let relations: [RelationComparison]

    /// Compares two versions.
    ///
    /// - Complexity: O(neighbours of both + newer groups + older groups × log newer groups).
    package init(from older: ModelVersion, to newer: ModelVersion) {
        let matching = GroupMatching(from: older, to: newer)
        groupsBefore = older.groupCount
        groupsAfter = newer.groupCount
        groupsLost = older.groupCount - matching.pairs.count
        groupsAdded = newer.groupCount - matching.pairs.count
        let relations = newer.relations + older.relations.filter { !newer.relations.contains($0) }
        self.relations = relations.map { RelationComparison($0, from: older, to: newer, matching) }
    }
}

/// The groups that two versions share, with their indexes in each.
struct GroupMatching {
    /// The indexes of the shared groups, in ascending order.
    private(set) var pairs: [(before: Int, after: Int)] = []
    /// For each group of the older version, its index in the newer one, or nil if the newer one lacks it.
    private(set) var successors: [UInt32?]

    init(from older: ModelVersion, to newer: ModelVersion) {
        successors = Array(repeating: nil, count: older.groupCount)
        for before in 0..<older.groupCount {
            guard let after = newer.index(ofID: older.id(of: before)) else { continue }
            pairs.append((before, after))
            successors[before] = UInt32(after)
        }
    }
}

/// The differences between two versions in one relation.
package struct RelationComparison: Sendable, Equatable {
    package let relation: Relation
    /// The share of the older version's groups that have a neighbour, 0...1.
    package let coverageBefore: Double
    /// The share of the newer version's groups that have a neighbour, 0...1.
    package let coverageAfter: Double
    /// The number of shared groups that had neighbours in the older version.
    package let groupsWithNeighboursBefore: Int
    /// The number of those groups that have no neighbours in the newer version.
    package let groupsEmptied: Int
    /// The share of the 10 best neighbours that both versions have, 0...1, as a mean over groups.
    ///
    /// For one group, the share is (common neighbours) / (neighbours of the longer list), among the 10 best of each
    /// list. Groups without neighbours in both versions do not count; nil if no shared group counts.
    package let overlapAt10: Double?
    /// The same as `overlapAt10`, for the 100 best neighbours.
    package let overlapAt100: Double?
    /// The relative change of scores: Σ |after − before| / Σ before, over pairs that both versions list; nil if there
    /// are none.
    package let scoreDrift: Double?

    init(_ relation: Relation, from older: ModelVersion, to newer: ModelVersion, _ matching: GroupMatching) {
        self.relation = relation
        coverageBefore = Self.coverage(older, relation)
        coverageAfter = Self.coverage(newer, relation)
        var sums = Sums(groupCount: newer.groupCount)
        for (before, after) in matching.pairs {
            sums.add(
                older.neighbours(of: before, by: relation), newer.neighbours(of: after, by: relation),
                matching.successors)
        }
        groupsWithNeighboursBefore = sums.groupsWithNeighboursBefore
        groupsEmptied = sums.groupsEmptied
        let lists = Double(sums.lists)
        overlapAt10 = sums.lists > 0 ? sums.overlapAt10 / lists : nil
        overlapAt100 = sums.lists > 0 ? sums.overlapAt100 / lists : nil
        scoreDrift = sums.scoresBefore > 0 ? sums.scoreChanges / sums.scoresBefore : nil
    }

    private static func coverage(_ version: ModelVersion, _ relation: Relation) -> Double {
        let covered = (0..<version.groupCount).count { !version.neighbours(of: $0, by: relation).isEmpty }
        return version.groupCount == 0 ? 0 : Double(covered) / Double(version.groupCount)
    }
}

/// The sums over groups from which the comparison of one relation is computed.
private struct Sums {
    var groupsWithNeighboursBefore = 0
    var groupsEmptied = 0
    var lists = 0
    var overlapAt10 = 0.0
    var overlapAt100 = 0.0
    var scoresBefore = 0.0
    var scoreChanges = 0.0
    /// For each group of the newer version, its position in the current list, from 1; 0 if the list lacks it.
    private var places: [Int32]

    init(groupCount: Int) { places = Array(repeating: 0, count: groupCount) }

    /// Adds one group, given its older and its newer list.
    mutating func add(_ before: NeighbourList, _ after: NeighbourList, _ successors: [UInt32?]) {
        guard !before.isEmpty || !after.isEmpty else { return }
        lists += 1
        groupsWithNeighboursBefore += before.isEmpty ? 0 : 1
        groupsEmptied += after.isEmpty ? 1 : 0
        for (place, neighbour) in after.enumerated() { places[Int(neighbour.index)] = Int32(place + 1) }
        var (common10, common100) = (0, 0)
        for (place, neighbour) in before.enumerated() {
            guard let successor = successors[Int(neighbour.index)] else { continue }
            let placeAfter = Int(places[Int(successor)])
            guard placeAfter > 0 else { continue }
            common10 += place < 10 && placeAfter <= 10 ? 1 : 0
            common100 += place < 100 && placeAfter <= 100 ? 1 : 0
            scoresBefore += Double(neighbour.score)
            scoreChanges += Double(abs(after[placeAfter - 1].score - neighbour.score))
        }
        for neighbour in after { places[Int(neighbour.index)] = 0 }
        let longer = max(before.count, after.count)
        overlapAt10 += Double(common10) / Double(min(10, longer))
        overlapAt100 += Double(common100) / Double(min(100, longer))
    }
}
