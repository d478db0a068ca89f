import Model

/// What the size of a group adds to its raw score, for every member.
///
/// It is weight · √(members / members of the largest group).
///
/// Where few groups have most of the members, a popular group is a better guess than a weak similarity. The more
/// groups a member has joined, the greater the sums beside it.
struct PopularityPrior: Sendable {
    private let scores: [Float]
    /// The groups with the most members, which are candidates of everybody; best first.
    let largest: [UInt32]

    /// - Parameters:
    ///   - weight: in units of the mean best score, above 0.
    ///   - limit: how many groups become candidates of everybody.
    /// - Complexity: O(groups · log groups).
    init(_ model: VisibleModel, _ relations: RelationTable, weight: Double, limit: Int) {
        let sizes = (0..<model.groupCount).map { relations.size(of: $0, in: .membership, model) }
        let greatest = Double(max(1, sizes.max() ?? 0))
        scores = sizes.map { Float(weight * (Double($0) / greatest).squareRoot()) }
        let ranked = sizes.indices.filter { sizes[$0] > 0 }.sorted { (sizes[$0], $1) > (sizes[$1], $0) }
        largest = ranked.prefix(limit).map(UInt32.init)
    }

    /// What is added to the score of a group, 0 or more.
    @inline(__always)
    subscript(group: UInt32) -> Double { Double(scores[Int(group)]) }
}
