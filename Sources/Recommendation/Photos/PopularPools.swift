public import Model

/// The groups with the largest pools, or with the most members where there are no pools.
public struct PopularPools: Sendable {
    /// The largest first, equal ones in ascending order of the index.
    let groups: [UInt32]
    private let sizes: [UInt32]
    private let greatest: UInt32

    /// More groups are in no list.
    private static let limit = 2000

    /// The pools of a version.
    ///
    /// - Complexity: O(groups · log groups).
    public init(_ model: VisibleModel, _ relations: RelationTable = .standard) {
        func sizes(_ role: RelationFacts.Role) -> [UInt32] {
            guard let relation = relations[role]?.relation else { return [] }
            return (0..<model.groupCount).map { model.size(of: $0, in: relation) }
        }
        let pools = sizes(.pool)
        let found = pools.contains { $0 > 0 } ? pools : sizes(.membership)
        let ranked = found.indices.filter { found[$0] > 0 }.sorted { (found[$0], $1) > (found[$1], $0) }
        groups = ranked.prefix(Self.limit).map(UInt32.init)
        greatest = ranked.first.map { found[$0] } ?? 0
        self.sizes = found
    }

    /// n of a group: photos, or members where there are no pools.
    func size(of group: UInt32) -> Int { sizes.isEmpty ? 0 : Int(sizes[Int(group)]) }

    /// n relative to the greatest, 0 to 1.
    func share(of group: UInt32) -> Double { greatest > 0 ? Double(size(of: group)) / Double(greatest) : 0 }
}
