public import Model
public import Recommendation

/// A member's list: `GET /v1/users/{id}/recommendations`, `coterie recommend`.
public struct Recommendations: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// The member.
    public var userId: String
    /// Whether anything is known of the member.
    public var known: Bool
    /// What interactions call the list that they come from.
    public var recommendationId: String
    /// The number of the span of time for which the order stays as it is.
    public var bucket: Int64
    /// What the member cares about, the largest interest first.
    public var interests: [MemberInterest]
    /// The groups, in the order in which they are shown.
    public var recommendations: [Row]
    /// Where the next page begins; nil if this is the last one.
    public var next: String?
    /// How the list was made; only on the command line, with `--trace`.
    public var trace: Trace?

    /// A page of a list.
    ///
    /// - Parameters:
    ///   - items: the whole list, whose interests are indexes of `interests`.
    ///   - offset: how many items stand before the page.
    ///   - limit: how many items a page has at most.
    ///   - profile: the profile that reasons are told from.
    ///   - isKnown: whether anything is known of the member.
    public init(
        _ version: ServedVersion, id: String, bucket: Int64, interests: [MemberInterest], items: [PlanItem],
        after offset: Int = 0, limit: Int, for profile: MemberProfile, isKnown: Bool = true, _ planner: Planner
    ) {
        let page = items.dropFirst(offset).prefix(limit)
        self.version = version
        userId = profile.userID
        known = isKnown
        recommendationId = id
        self.bucket = bucket
        self.interests = interests
        recommendations = Self.rows(
            page, after: offset, LabelledReasons(interests), planner.reasons(for: page, of: profile),
            StatedInterests(profile.topics), planner.configuration.relations, in: planner.model)
        if offset + page.count < items.count, let last = page.last { next = planner.model.id(of: Int(last.group)) }
    }

    /// A list that no session keeps, of one page.
    public init(
        _ version: ServedVersion, _ name: VersionName, _ plan: Plan, limit: Int, for profile: MemberProfile,
        isKnown: Bool, _ planner: Planner
    ) {
        self.init(
            version, id: Self.id(of: plan, forUser: profile.userID, name), bucket: plan.bucket,
            interests: plan.interests.map { MemberInterest($0, in: planner.model) },
            items: Array(plan.items.prefix(limit)), limit: limit, for: profile, isKnown: isKnown, planner)
    }

    private static func rows(
        _ page: ArraySlice<PlanItem>, after offset: Int, _ labels: LabelledReasons,
        _ reasons: [[Suggestion.Reason]], _ stated: StatedInterests, _ relations: RelationTable,
        in model: VisibleModel
    ) -> [Row] {
        let columns = SuggestedGroup.columns(of: relations)
        return zip(page, reasons).enumerated().map { index, row in
            let (item, reasons) = row
            let labelled = labels.label(item, reasons, in: model)
            return Row(
                at: offset + index, item, interest: labelled.interest, labelled.reasons, stated, columns, in: model)
        }
    }

    /// What interactions call the list that they come from.
    ///
    /// It follows from what the list is, so that every daemon and every command call it the same.
    public static func id(of plan: Plan, forUser userID: String, _ version: VersionName) -> String {
        "\(version)-\(String(plan.fingerprint(ofUser: userID), radix: 36))"
    }

    /// The name of the schema.
    public static let schemaName: String? = "Recommendations"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("userId", \.userId, "The member")
        fields.always("known", \.known, "Whether anything is known of the member; else the list is one for newcomers")
        fields.always("recommendationId", \.recommendationId, "What interactions call the list that they come from")
        fields.always("bucket", \.bucket, "The number of the span of time for which the order stays as it is")
        fields.always("interests", \.interests, "What the member cares about, the largest interest first")
        fields.always("recommendations", \.recommendations, "Groups, in the order in which they are shown")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
        fields.commandLineOnly("trace", \.trace)
    }
}

extension Recommendations {
    /// A group in a member's list.
    public struct Row: Answer, Equatable {
        /// The group.
        public var group: SuggestedGroup
        /// Why it is in the list at all.
        public var origin: PlanItem.Origin
        /// Why it stands where it stands.
        public var placement: PlanItem.Placement
        /// The name of the interest of its strongest reason; nil unless joined groups brought it.
        public var interest: String?
        /// The interests that the member stated and it is about; nil if there are none.
        public var statedInterests: [String]?
        /// The joined groups that brought it, the strongest first.
        public var reasons: [GroupReason]

        fileprivate init(
            at index: Int, _ item: PlanItem, interest: String?, _ reasons: [Suggestion.Reason],
            _ stated: StatedInterests, _ columns: SizeColumns, in model: VisibleModel
        ) {
            group = SuggestedGroup(at: index, item.group, score: item.score, columns, in: model)
            origin = item.origin
            placement = item.placement
            self.interest = interest
            statedInterests = stated.topics(of: item.group, in: model)
            self.reasons = GroupReason.list(reasons, limit: SuggestedGroup.reasonLimit, in: model)
        }

        /// The name of the schema.
        public static let schemaName: String? = "Suggestion"
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always(
                "origin", \.origin.rawValue, as: .words(of: PlanItem.Origin.self), "Why it is in the list at all")
            fields.always(
                "placement", \.placement.rawValue, as: .words(of: PlanItem.Placement.self),
                "Why it stands above groups with greater scores; relevance if none follows")
            fields.sometimes(
                "interest", \.interest, "The name of the interest of its strongest reason; if joined groups brought it")
            fields.sometimes(
                "statedInterests", \.statedInterests, "Stated interests that it is about; if there are any")
            fields.always("reasons", \.reasons, "Joined groups that brought it, the strongest first")
        }
    }

    /// How a list was made, for whoever looks into it on the command line.
    public struct Trace: Answer, Equatable {
        /// Joined groups that the model has.
        public var joined: Int
        /// Candidates that passed all filters.
        public var candidates: Int
        /// What every stage did, in their order.
        public var stages: [Stage]

        /// A trace.
        public init(joined: Int, candidates: Int, stages: [Stage]) {
            self.joined = joined
            self.candidates = candidates
            self.stages = stages
        }

        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("joined", \.joined, as: .count, "Joined groups that the model has")
            fields.always("candidates", \.candidates, as: .count, "Candidates that passed all filters")
            fields.always("stages", \.stages, "What every stage did, in their order")
        }
    }

    /// What a stage did, and how long it took.
    public struct Stage: Answer, Equatable {
        /// What it did.
        public var report: StageReport
        /// How long it took.
        public var microseconds: Double

        /// A stage.
        public init(_ report: StageReport, microseconds: Double) {
            self.report = report
            self.microseconds = microseconds
        }

        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("stage", \.report.stage.rawValue, as: .words(of: PlanStage.self), "The stage")
            fields.always("taken", \.report.taken, as: .count, "Groups it was given")
            fields.always("passed", \.report.passed, as: .count, "Groups it passed on")
            fields.always("microseconds", \.microseconds, "How long it took")
            fields.always("note", \.report.note, "What else there is to say, in a few words")
        }
    }
}

/// The interests that a member has stated, to be told of groups that are about them.
struct StatedInterests {
    /// As the member wrote them, by what they are compared as.
    private let texts: [String: String]

    init(_ topics: [String]) {
        texts = Dictionary(topics.map { (Term.normalized($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Those that a group is about, in the order of its topics; nil if there are none.
    func topics(of group: UInt32, in model: VisibleModel) -> [String]? {
        guard !texts.isEmpty else { return nil }
        let topics = model.topics(of: Int(group)).compactMap { texts[Term.normalized($0)] }
        return topics.isEmpty ? nil : topics
    }
}

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

/// What made a group stand where a member saw it, as clients tell it.
public enum ShownOrigin: String, Sendable, CaseIterable {
    /// As `PlanItem.Origin`.
    case personal, topic, curated, trending, popular
    /// A list of similar groups.
    case similar
    /// A list of groups for a photo.
    case photo
}
