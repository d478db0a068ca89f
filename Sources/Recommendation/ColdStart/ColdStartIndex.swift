import Model

/// What a model version has for those of whom little is known.
struct ColdStartIndex: Sendable {
    private static let popularLimit = 400
    /// Groups with the most members, equal ones with the most photos, then in ascending order of the index.
    private let popular: [UInt32]

    /// - Complexity: O(groups).
    init(_ model: ModelVersion) {
        let sized = (0..<model.groupCount).map { group in
            let members = UInt64(model.size(of: group, in: .members))
            return (group: UInt32(group), size: members << 32 | UInt64(model.size(of: group, in: .photos)))
        }
        let ordered = sized.sorted { $0.size != $1.size ? $0.size > $1.size : $0.group < $1.group }
        popular = ordered.prefix(Self.popularLimit).map(\.group)
    }

    /// The sources of a member's list.
    func sources(for request: PlanRequest, in model: ModelVersion, _ configuration: PlanConfiguration.ColdStart)
        -> ColdStart
    {
        ColdStart(popular: popular)
    }
}
