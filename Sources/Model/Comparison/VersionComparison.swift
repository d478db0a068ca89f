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
