public import Model
public import Recommendation

/// Something that a member cares about.
public struct MemberInterest: Answer, Equatable {
    /// What most of its groups have in common, or the title of the largest.
    public var name: String
    /// Its part of those of the member's groups that bring something, from 0 to 1.
    public var share: Double
    /// The joined groups it consists of.
    public var groupIds: [String]

    /// An interest.
    public init(name: String, share: Double, groupIds: [String]) {
        self.name = name
        self.share = share
        self.groupIds = groupIds
    }

    /// An interest of a plan.
    public init(_ interest: Interest, in model: VisibleModel) {
        self.init(
            name: interest.name(in: model), share: interest.share,
            groupIds: interest.groups.map { model.id(of: Int($0)) })
    }

    /// The name of the schema.
    public static let schemaName: String? = "Interest"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", \.name, "What most of its groups have in common, or the title of the largest")
        fields.always("share", \.share, "Its part of those of the member's groups that bring something, from 0 to 1")
        fields.always("groupIds", \.groupIds, "The joined groups it consists of")
    }
}

/// The interests of a list, which name each of its groups after the strongest reason.
struct LabelledReasons {
    /// The names of the interests, in their order.
    private let names: [String]
    /// By the ids of joined groups.
    private let interestOfGroup: [String: Int]

    init(_ interests: [MemberInterest]) {
        names = interests.map(\.name)
        interestOfGroup = Dictionary(
            interests.enumerated().flatMap { number, interest in interest.groupIds.map { ($0, number) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The reasons of a group of the list that are told, and the interest of the strongest.
    ///
    /// Of a session's list some reasons may have come since it was made: these groups did not bring what is there.
    ///
    /// - Parameter reasons: by all groups that the member has joined by now, the strongest first.
    func label(_ item: PlanItem, _ reasons: [Suggestion.Reason], in model: VisibleModel)
        -> (interest: String?, reasons: [Suggestion.Reason])
    {
        let told = reasons.compactMap { reason in
            interestOfGroup[model.id(of: Int(reason.seed))].map { (interest: $0, reason: reason) }
        }
        let interest = told.first?.interest ?? item.interest
        return (item.score > 0 ? interest.map { names[$0] } : nil, told.map(\.reason))
    }
}
