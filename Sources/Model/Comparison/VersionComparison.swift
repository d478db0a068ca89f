/// What differs between two model versions: groups, neighbours, scores.
///
/// Groups are matched by their external ids, byte by byte.
public struct VersionComparison: Encodable, Sendable, Equatable {
    /// Groups of the older version.
    public let groupsBefore: Int
    /// Groups of the newer version.
    public let groupsAfter: Int
    /// Groups of the older version that the newer does not have.
    public let groupsLost: Int
    /// Groups of the newer version that the older does not have.
    public let groupsAdded: Int
    /// The relations of either version, those of the newer first.
    public let relations: [RelationComparison]

    /// Compares two versions.
    ///
    /// - Complexity: O(groups + neighbours of both).
    public init(from older: ModelVersion, to newer: ModelVersion) {
        let matching = GroupMatching(from: older, to: newer)
        groupsBefore = older.groupCount
        groupsAfter = newer.groupCount
        groupsLost = older.groupCount - matching.pairs.count
        groupsAdded = newer.groupCount - matching.pairs.count
        let relations = newer.relations + older.relations.filter { !newer.relations.contains($0) }
        self.relations = relations.map { RelationComparison($0, from: older, to: newer, matching) }
    }
}

/// Which group of one version is which of another.
struct GroupMatching {
    /// The indexes of the groups that both have, in ascending order.
    private(set) var pairs: [(before: Int, after: Int)] = []
    /// The index in the newer version of each group of the older; nil if the newer does not have it.
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

/// What differs between two versions in one relation.
public struct RelationComparison: Encodable, Sendable, Equatable {
    /// Which relation.
    public let relation: Relation
    /// The share of the older version's groups that have a neighbour, 0...1.
    public let coverageBefore: Double
    /// The share of the newer version's groups that have a neighbour, 0...1.
    public let coverageAfter: Double
    /// Groups of both versions that had neighbours.
    public let groupsWithNeighboursBefore: Int
    /// Those of them that have none any more.
    public let groupsEmptied: Int
    /// How much of the 10 best neighbours is the same, 0...1; nil if no group of both has neighbours in either.
    ///
    /// The mean over groups of (common neighbours) / (neighbours of the longer list), of the k best of each.
    public let overlapAt10: Double?
    /// How much of the 100 best neighbours is the same, 0...1.
    public let overlapAt100: Double?
    /// How far scores moved, relative to what they were: Σ |after − before| / Σ before, over pairs that both list.
    public let scoreDrift: Double?

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

/// The sums over groups that a comparison of one relation is made of.
private struct Sums {
    var groupsWithNeighboursBefore = 0
    var groupsEmptied = 0
    var lists = 0
    var overlapAt10 = 0.0
    var overlapAt100 = 0.0
    var scoresBefore = 0.0
    var scoreChanges = 0.0
    /// Of each group of the newer version, its place in the list at hand, from 1; 0 if it is not in it.
    private var places: [Int32]

    init(groupCount: Int) { places = Array(repeating: 0, count: groupCount) }

    /// Adds one group: its older list, and its newer one.
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
