import CivilTime
public import Model
public import Recommendation

/// Why a group is in a member's list, at which rank, or why it is not there:
/// `GET /v1/users/{id}/recommendations/{group}/why`, `coterie explain`.
public struct Explanation: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// The member.
    public var userId: String
    /// The group that was asked about.
    public var groupId: String
    /// A word that programs can go by: one of `standings`.
    public var standing: String
    /// A clause for people.
    public var explanation: String
    /// Its rank in the list; nil if it is not there.
    public var place: Int?
    /// Why it stands there; nil if it is not in the list.
    public var placement: PlanItem.Placement?
    /// The name of the interest of its strongest reason; nil unless it is in the list because of joined groups.
    public var interest: String?
    /// The joined groups whose neighbour it is, whether or not it is in the list; the strongest first.
    public var reasons: [GroupReason] = []

    /// The name of the schema.
    public static let schemaName: String? = "Explanation"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("userId", \.userId, "The member")
        fields.always("groupId", \.groupId, "The group that was asked about")
        fields.always("standing", \.standing, as: .string(words: standings), "Whether it is in the list, or why not")
        fields.always("explanation", \.explanation, "The same for people")
        fields.sometimes("place", \.place, as: .rank, "Its rank in the list; if it is there")
        fields.sometimes(
            "placement", \.placement?.rawValue, as: .words(of: PlanItem.Placement.self),
            "Why it stands above groups with greater scores; relevance if none follows; if it is in the list")
        fields.sometimes(
            "interest", \.interest, "The name of the interest of its strongest reason; if joined groups brought it")
        fields.always("reasons", \.reasons, "Joined groups whose neighbour it is, the strongest first")
    }

    /// All words for standings.
    static let standings = [
        "listed", "joined", "dismissed", "hidden", "inactive", "noEvidence", "tooSimilar", "notReached", inNextList,
    ]
    /// The word for a group that is not in the list of a session, but would be in a new one.
    private static let inNextList = "inNextList"
}

extension Explanation {
    /// Explains a group of the planner's model in a list that is made right now.
    public init(_ version: ServedVersion, of group: UInt32, _ planner: Planner, _ request: PlanRequest) {
        let (standing, plan) = planner.standing(of: group, request)
        self.init(
            version, of: group, standing, planner, request,
            plan.interests.map { MemberInterest($0, in: planner.model) })
    }

    /// Explains a group of the planner's model in the list of a session.
    ///
    /// - Parameters:
    ///   - items: the list as it stands now.
    ///   - interests: those of the list.
    public init(
        _ version: ServedVersion, of group: UInt32, inSession items: [PlanItem], _ interests: [MemberInterest],
        _ planner: Planner, _ request: PlanRequest
    ) {
        if let index = items.firstIndex(where: { $0.group == group }) {
            let standing = Standing.listed(rank: index + 1, item: items[index])
            self.init(version, of: group, standing, planner, request, interests)
            return
        }
        self.init(version, of: group, planner, request)
        if let place {
            standing = Self.inNextList
            explanation = """
                it is not in the list of this session, which was made before; a new one would have it at rank \(place)
                """
            (self.place, placement, interest) = (nil, nil, nil)
        }
    }

    /// Explains a group that is shown to nobody, whether or not a version has it; nothing more is told about it.
    ///
    /// - Parameter isPrivate: because it is private; else because it is hidden.
    public init(_ version: ServedVersion, userId: String, unshownGroup groupId: String, isPrivate: Bool = false) {
        self.version = version
        self.userId = userId
        self.groupId = groupId
        standing = "hidden"
        explanation =
            isPrivate ? "it is private, and private groups are shown to nobody" : "it is hidden from everybody"
    }

    private init(
        _ version: ServedVersion, of group: UInt32, _ standing: Standing, _ planner: Planner, _ request: PlanRequest,
        _ interests: [MemberInterest]
    ) {
        (self.standing, explanation) = standing.words(planner)
        self.version = version
        userId = request.profile.userID
        groupId = planner.model.id(of: Int(group))
        // As of a personal item: reasons are given whether or not the group is in the list.
        let asked = PlanItem(group: group, score: 0, interest: nil, origin: .personal)
        var reasons = planner.reasons(for: [asked], of: request.profile)[0]
        if case .listed(let rank, let item) = standing {
            (place, placement) = (rank, item.placement)
            let labelled = LabelledReasons(interests).label(item, reasons, in: planner.model)
            interest = labelled.interest
            if item.score > 0 { reasons = labelled.reasons }
        }
        self.reasons = GroupReason.list(reasons, in: planner.model)
    }
}

extension Standing {
    /// A word that programs can go by, and a clause for people.
    fileprivate func words(_ planner: Planner) -> (name: String, text: String) {
        func time(_ seconds: Int64) -> String { UnixTime(seconds: seconds)?.description ?? "\(seconds)" }
        switch self {
        case .listed(let rank, let item):
            return ("listed", "it is at rank \(rank), \(item.placement.clause)")
        case .joined: return ("joined", "the user is a member of it")
        case .dismissed(let milliseconds):
            return ("dismissed", "the user dismissed it at \(time(milliseconds / 1000))")
        case .inactive(let seconds): return ("inactive", "nothing has happened in it since \(time(seconds))")
        case .noEvidence:
            return (
                "noEvidence",
                """
                no group that the user has joined has it among its closest neighbours, and it is not among those that \
                fill up the list
                """
            )
        case .tooSimilar(let seed):
            return (
                "tooSimilar",
                """
                it is too similar to \(planner.model.id(of: Int(seed))), which the user has joined: their cosine is \
                \(planner.configuration.filters.ceiling) or more
                """
            )
        case .notReached(let rank, let candidates):
            return (
                "notReached",
                "it is number \(rank) of \(candidates) candidates by score, and the list was full before its turn came"
            )
        }
    }
}

extension PlanItem.Placement {
    /// How it came to its rank, for people.
    fileprivate var clause: String {
        switch self {
        case .relevance: "by its score"
        case .interestShare: "which its interest has a share in, before groups with greater scores"
        case .variety: "before groups with greater scores that are more like those above"
        case .rotation: "by the order of these hours, before groups with greater scores"
        case .seasonal: "as it is its time of the year, before groups with greater scores"
        case .curated: "as the site picked it"
        case .coldStart: "to fill up a list of which little is personal"
        }
    }
}

/// A joined group whose neighbour another group is.
public struct GroupReason: Answer, Equatable {
    /// The joined group.
    public var groupId: String
    /// Its title.
    public var title: String
    /// What the two have in common.
    public var relation: Relation
    /// Its share of the score, from 0 to 1.
    public var share: Double
    /// How much they have in common.
    public var common: UInt32

    /// The first of some reasons; shares are those of what all of them contribute.
    static func list(_ reasons: [Suggestion.Reason], limit: Int = .max, in model: VisibleModel) -> [GroupReason] {
        // Not the score of the list's item: the reasons for a group may have changed since the list was made.
        let total = reasons.reduce(0) { $0 + $1.contribution }
        return reasons.prefix(limit).map { reason in
            GroupReason(
                groupId: model.id(of: Int(reason.seed)), title: model.title(of: Int(reason.seed)),
                relation: reason.relation, share: reason.contribution / total, common: reason.common)
        }
    }

    /// The name of the schema.
    public static let schemaName: String? = "Reason"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupId", \.groupId, "A group that it is like")
        fields.always("title", \.title, "That group's title")
        fields.always("relation", \.relation, "What the two have in common")
        fields.always("share", \.share, "Its share of the score, from 0 to 1")
        fields.always("common", \.common, as: .count, "How much they have in common")
    }
}
