import Basics
package import Model
package import Recommendation

/// The reason why a group is in a member's list, and at which rank, or why it is not.
///
/// The explanation answers `GET /v1/users/{id}/recommendations/{group}/why` and `coterie explain`.
package struct Explanation: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var userId: String
    package var groupId: String
    /// A word for programs: one of `standings`.
    package var standing: String
    package var explanation: String
    package var place: Int?
    package var placement: PlanItem.Placement?
    package var interest: String?
    package var reasons: [GroupReason] = []
    package var told: [ToldReason]?

    package static let schemaName: String? = "Explanation"
    package static func declare(_ fields: inout some FieldList<Self>) {
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
        fields.sometimes("told", \.told, "How many favourites and follows point to it; if any do")
    }

    /// All words that `standing` can be.
    static let standings = [
        "listed", "joined", "dismissed", "hidden", "inactive", "filtered", "noEvidence", "tooSimilar", "notReached",
        inNextList, paused,
    ]
    /// The word for a group that is not in a session's list but would be in a new list.
    private static let inNextList = "inNextList"
    /// The word for a group that would be in the list if the member had not paused it.
    private static let paused = "paused"
}

extension Explanation {
    /// Explains a group in a list that is made now.
    package init(_ version: ServedVersion, of group: UInt32, _ planner: Planner, _ request: PlanRequest) {
        let (standing, plan) = planner.standing(of: group, request)
        self.init(
            version, of: group, standing, planner, request,
            plan.interests.map { MemberInterest($0, in: planner.model) })
    }

    /// Explains a group in the list of a session.
    ///
    /// - Parameters:
    ///   - group: the group's index in the planner's model.
    ///   - request: the request for the member's list.
    package init(
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

    /// Explains a group that is shown to nobody; the explanation tells nothing more about it.
    ///
    /// The model version need not have the group.
    ///
    /// - Parameter concealment: the reason why the group is not shown.
    package init(
        _ version: ServedVersion, userId: String, unshownGroup groupId: String, concealment: Concealment
    ) {
        self.version = version
        self.userId = userId
        self.groupId = groupId
        standing = "hidden"
        let word = concealment.rawValue
        explanation =
            concealment == .hidden
            ? "it is hidden from everybody" : "it is \(word), and \(word) groups are shown to nobody"
    }

    private init(
        _ version: ServedVersion, of group: UInt32, _ standing: Standing, _ planner: Planner, _ request: PlanRequest,
        _ interests: [MemberInterest]
    ) {
        (self.standing, explanation) = standing.words(planner)
        self.version = version
        userId = request.profile.userID
        groupId = planner.model.id(of: Int(group))
        // As for a personal item: reasons are given whether or not the group is in the list.
        let asked = PlanItem(group: group, score: 0, interest: nil, origin: .personal)
        var reasons = planner.reasons(for: [asked], of: request.profile)[0]
        if let pause = ListPause(request).words, case .listed = standing {
            (self.standing, explanation) = (Self.paused, pause)
        } else if case .listed(let rank, let item) = standing {
            (place, placement) = (rank, item.placement)
            let labels = LabelledReasons(interests, of: request.profile, in: planner.model)
            let labelled = labels.label(item, reasons)
            interest = labelled.interest
            if item.score > 0 { reasons = labelled.reasons }
        }
        self.reasons = GroupReason.list(reasons, in: planner.model)
        told = ToldReason.list(planner.hints(of: request.profile).first { $0.group == group })
    }
}

extension Standing {
    /// Returns a word for programs and a clause for people.
    fileprivate func words(_ planner: Planner) -> (name: String, text: String) {
        switch self {
        case .listed(let rank, let item):
            return ("listed", "it is at rank \(rank), \(item.placement.clause)")
        case .joined: return ("joined", "the user is a member of it")
        case .dismissed(let milliseconds):
            return ("dismissed", "the user dismissed it at \(Formats.time(seconds: milliseconds / 1000))")
        case .inactive(let seconds):
            return ("inactive", "nothing has happened in it since \(Formats.time(seconds: seconds))")
        case .filtered: return ("filtered", "the filters of the request leave it out")
        case .noEvidence:
            return (
                "noEvidence",
                """
                no group that the user has joined has it among its closest neighbours, no favourite or follow points \
                to it, and it is not among those that fill up the list
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
                "its score has rank \(rank) of \(candidates) candidates, beyond the end of the list"
            )
        }
    }
}

extension PlanItem.Placement {
    /// A clause for people that explains the rank.
    fileprivate var clause: String {
        switch self {
        case .relevance: "by its score"
        case .interestShare: "which its interest has a share in, before groups with greater scores"
        case .variety: "before groups with greater scores that are more like those above"
        case .rotation: "by the order of these hours, before groups with greater scores"
        case .seasonal: "as it is its time of the year, before groups with greater scores"
        case .curated: "as the site picked it"
        case .coldStart: "to fill up a list of which little is personal"
        case .boosted: "by a boost of the request, before groups with greater scores"
        }
    }
}

/// A joined group that has another group as its neighbour.
package struct GroupReason: Answer, Equatable {
    package var groupId: String
    package var title: String
    package var relation: Relation
    package var share: Double
    package var common: UInt32

    /// Returns the first reasons, at most `limit`; shares are relative to the sum of all reasons.
    static func list(_ reasons: [Suggestion.Reason], limit: Int = .max, in model: VisibleModel) -> [GroupReason] {
        // The item's score is not the total, because reasons may have changed since the list was made.
        let total = reasons.reduce(0) { $0 + $1.contribution }
        return reasons.prefix(limit).map { reason in
            GroupReason(
                groupId: model.id(of: Int(reason.seed)), title: model.title(of: Int(reason.seed)),
                relation: reason.relation, share: reason.contribution / total, common: reason.common)
        }
    }

    /// Returns the names of up to three groups that contribute most, each once, and the number of further ones.
    static func names(_ reasons: [GroupReason]) -> [String] {
        var names: [String] = []
        for reason in reasons {
            let name = Formats.name(reason.groupId, reason.title)
            if !names.contains(name) { names.append(name) }
        }
        guard names.count > 3 else { return names }
        return names.prefix(2) + ["\(names[2]) and \(names.count - 3) more"]
    }

    package static let schemaName: String? = "Reason"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupId", \.groupId, "A group that it is like", column: .id("because of"))
        fields.always("title", \.title, "That group's title", column: .text("title"))
        fields.always("relation", \.relation, "What the two have in common", column: Column("by", \.rawValue))
        fields.always("share", \.share, "Its share of the score, from 0 to 1", column: .fixed("share", 3))
        fields.always("common", \.common, as: .count, "How much they have in common", column: .count("common"))
    }
}

/// The number of a member's favourites, or of members whom they follow, that point to a group.
///
/// It never says which ones, so that nobody is recognised.
package struct ToldReason: Answer, Equatable {
    package var kind: EvidenceKind
    /// The number of favourite photos or followed members.
    package var count: UInt32

    /// Returns the reasons of a hint, or nil if there is none.
    package static func list(_ hint: ScoredHint?) -> [ToldReason]? {
        hint.map { hint in hint.counts.map { ToldReason(kind: $0.kind, count: $0.count) } }
    }

    /// The same for people, such as "3 favourites".
    package var words: String {
        switch kind {
        case .favourites: count == 1 ? "1 favourite" : "\(count) favourites"
        case .follows: "\(count) people you follow"
        case .photos: count == 1 ? "1 photo of yours" : "\(count) photos of yours"
        }
    }

    package static let schemaName: String? = "ToldReason"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("kind", \.kind.rawValue, as: .words(of: EvidenceKind.self), "What the member told")
        fields.always("count", \.count, as: .count, "How many of their favourites, or of those whom they follow")
    }
}
