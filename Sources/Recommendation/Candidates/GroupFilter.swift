public import Model

/// What a request asks of the groups in its list; by default nothing.
public struct GroupFilter: Sendable, Equatable {
    /// A group must have one of these topics, upper and lower case being the same; empty for any.
    public var topics: [String]
    /// One must be able to join a group in one of these ways; empty for any.
    public var joinPolicies: Set<JoinPolicy>
    /// The fewest members that a group must have, inclusive.
    public var minimumMembers: Int
    /// Groups that are left out.
    public var excluded: Set<UInt32>

    /// A filter.
    public init(
        topics: [String] = [], joinPolicies: Set<JoinPolicy> = [], minimumMembers: Int = 0, excluded: Set<UInt32> = []
    ) {
        self.topics = topics
        self.joinPolicies = joinPolicies
        self.minimumMembers = minimumMembers
        self.excluded = excluded
    }

    /// Lets every group pass.
    public static let none = GroupFilter()
}

/// A filter in terms of a model: what there is to look up is looked up once.
struct AppliedFilter {
    private let filter: GroupFilter
    private let model: VisibleModel
    private let membership: Relation?
    /// Groups with one of the topics; nil for any.
    let groupsOfTopics: Set<UInt32>?

    /// - Returns: nil if every group passes.
    init?(_ filter: GroupFilter, in model: VisibleModel, _ relations: RelationTable) {
        guard filter != .none else { return nil }
        self.filter = filter
        self.model = model
        membership = relations[.membership]?.relation
        groupsOfTopics =
            filter.topics.isEmpty ? nil : filter.topics.reduce(into: []) { $0.formUnion(model.groups(withTopic: $1)) }
    }

    /// Whether a group is what the request asks for.
    func passes(_ group: UInt32) -> Bool {
        if filter.excluded.contains(group) || groupsOfTopics?.contains(group) == false { return false }
        if !filter.joinPolicies.isEmpty, !filter.joinPolicies.contains(model.joinPolicy(of: Int(group))) {
            return false
        }
        guard filter.minimumMembers > 0, let membership else { return true }
        return model.size(of: Int(group), in: membership) >= filter.minimumMembers
    }
}
