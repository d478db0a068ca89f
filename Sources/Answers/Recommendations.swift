import Basics
package import Model
package import Recommendation

/// A member's list: `GET /v1/users/{id}/recommendations`, `coterie recommend`.
package struct Recommendations: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var userId: String
    package var known: Bool
    package var recommendationId: String
    package var bucket: Int64
    package var interests: [MemberInterest]
    package var recommendations: [Row]
    package var next: String?
    package var pause = ListPause()
    /// The record of the list's making, for `--trace` on the command line only.
    package var trace: Trace?

    /// Creates a page of a list.
    ///
    /// - Parameters:
    ///   - bucket: the number of the period during which the order stays the same.
    ///   - items: the whole list, whose items refer to `interests` by index.
    ///   - offset: the number of items before the page.
    ///   - limit: the most items on a page.
    ///   - reasonLimit: the most reasons that a row gives; without any, no reason is looked for.
    ///   - profile: the profile from which reasons are derived.
    ///   - isKnown: whether anything is known of the member.
    package init(
        _ version: ServedVersion, id: String, bucket: Int64, interests: [MemberInterest], items: [PlanItem],
        after offset: Int = 0, limit: Int, reasonLimit: Int = SuggestedGroup.reasonLimit, for profile: MemberProfile,
        isKnown: Bool = true, _ planner: Planner
    ) {
        let page = items.dropFirst(offset).prefix(limit)
        self.version = version
        userId = profile.userID
        known = isKnown
        recommendationId = id
        self.bucket = bucket
        self.interests = interests
        recommendations = Self.rows(
            page, after: offset, LabelledReasons(interests, of: profile, in: planner.model),
            reasonLimit > 0 ? planner.reasons(for: page, of: profile) : page.map { _ in [] }, limit: reasonLimit,
            planner.hints(for: page, of: profile), StatedInterestLabels(profile.topics),
            planner.configuration.relations, in: planner.model)
        if offset + page.count < items.count, let last = page.last { next = planner.model.id(of: Int(last.group)) }
    }

    private static func rows(
        _ page: ArraySlice<PlanItem>, after offset: Int, _ labels: LabelledReasons,
        _ reasons: [[Suggestion.Reason]], limit: Int, _ hints: [ScoredHint?], _ stated: StatedInterestLabels,
        _ relations: RelationTable, in model: VisibleModel
    ) -> [Row] {
        let columns = SuggestedGroup.columns(of: relations, in: model)
        return zip(page, zip(reasons, hints)).enumerated().map { index, row in
            let (item, (reasons, hint)) = row
            let labelled = labels.label(item, reasons)
            return Row(
                at: offset + index, item, interest: labelled.interest, labelled.reasons, limit: limit, hint, stated,
                columns, in: model)
        }
    }

    /// Returns the id that interactions use for the list they come from.
    ///
    /// The id is derived from the content of the list; every daemon and every command therefore computes the same id.
    package static func id(of plan: Plan, forUser userID: String, _ version: VersionName) -> String {
        "\(version)-\(String(plan.fingerprint(ofUser: userID), radix: 36))"
    }

    package static let schemaName: String? = "Recommendations"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("userId", \.userId, "The member")
        fields.always("known", \.known, "Whether anything is known of the member; else the list is one for newcomers")
        fields.always("recommendationId", \.recommendationId, "What interactions call the list that they come from")
        fields.always("bucket", \.bucket, "The number of the rotation bucket; the order stays the same within a bucket")
        fields.always("interests", \.interests, "What the member cares about, the largest interest first")
        fields.always("recommendations", \.recommendations, "Groups, in the order in which they are shown")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
        fields.part(\.pause)
        fields.commandLineOnly("trace", \.trace)
    }
}

extension Recommendations {
    /// A group in a member's list.
    package struct Row: Answer, Equatable {
        package var group: SuggestedGroup
        package var origin: PlanItem.Origin
        /// The reason for the group's position.
        package var placement: PlanItem.Placement
        package var interest: String?
        package var statedInterests: [String]?
        package var reasons: [GroupReason]
        package var told: [ToldReason]?
        package var url: String?
        package var photos: [GroupPhoto]?

        fileprivate init(
            at index: Int, _ item: PlanItem, interest: String?, _ reasons: [Suggestion.Reason], limit: Int,
            _ hint: ScoredHint?, _ stated: StatedInterestLabels, _ columns: SizeColumns, in model: VisibleModel
        ) {
            group = SuggestedGroup(at: index, item.group, score: item.score, columns, in: model)
            origin = item.origin
            placement = item.placement
            self.interest = interest
            statedInterests = stated.topics(of: item.group, in: model)
            self.reasons = GroupReason.list(reasons, limit: limit, in: model)
            told = ToldReason.list(hint)
        }

        /// The reasons, for people.
        private var because: String {
            ([origin.explanation] + (told?.map(\.words) ?? []) + GroupReason.names(reasons)).compactMap(\.self)
                .joined(separator: ", ")
        }

        package static let schemaName: String? = "Suggestion"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.column(
                Column("score", isNumber: true) { $0.group.score > 0 ? Formats.fixed($0.group.score, 4) : "-" })
            fields.column(Column("interest", upTo: 20) { $0.interest ?? "-" })
            fields.always(
                "origin", \.origin.rawValue, as: .words(of: PlanItem.Origin.self), "Why it is in the list at all")
            fields.always(
                "placement", \.placement.rawValue, as: .words(of: PlanItem.Placement.self),
                "Why it stands above groups with greater scores; relevance if none follows",
                column: Column("placed by") { PlanItem.Placement(rawValue: $0)?.words ?? $0 })
            fields.column(Column("because of", upTo: 72, \.because))
            fields.sometimes(
                "interest", \.interest, "The name of the interest of its strongest reason; if joined groups brought it")
            fields.sometimes(
                "statedInterests", \.statedInterests, "Stated interests that it is about; if there are any")
            fields.always(
                "reasons", \.reasons,
                "Groups that brought it, the strongest first: joined ones, or those that favourites point to")
            fields.sometimes("told", \.told, "How many favourites and follows point to it; if any do")
            fields.sometimes("url", \.url, "Its page on the site; if the daemon knows the addresses of groups")
            fields.sometimes("photos", \.photos, "Its public photos, the last added first; if the request wants any")
        }
    }

    /// The record of a list's making, for the command line.
    package struct Trace: Answer, Equatable {
        package var joined: Int
        package var candidates: Int
        package var stages: [Stage]

        package init(joined: Int, candidates: Int, stages: [Stage]) {
            self.joined = joined
            self.candidates = candidates
            self.stages = stages
        }

        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("joined", \.joined, as: .count, "Joined groups that the model has")
            fields.always("candidates", \.candidates, as: .count, "Candidates that passed all filters")
            fields.always("stages", \.stages, "What every stage did, in their order")
        }
    }

    /// The report and the duration of one stage.
    package struct Stage: Answer, Equatable {
        package var report: StageReport
        package var microseconds: Double

        package init(_ report: StageReport, microseconds: Double) {
            self.report = report
            self.microseconds = microseconds
        }

        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always(
                "stage", \.report.stage.rawValue, as: .words(of: PlanStage.self), "The stage", column: .text("stage"))
            fields.always("taken", \.report.taken, as: .count, "Groups it was given", column: .count("taken"))
            fields.always("passed", \.report.passed, as: .count, "Groups it passed on", column: .count("passed"))
            fields.always("microseconds", \.microseconds, "How long it took", column: .fixed("µs", 1))
            fields.always(
                "note", \.report.note, "What else there is to say, in a few words", column: .text("note"))
        }
    }
}

/// Whether a member has paused the list, and until when: a part of every answer with the list.
package struct ListPause: Answer, Equatable {
    package var paused = false
    package var pausedUntilMilliseconds: Int64?

    init() {}

    package init(_ request: PlanRequest) {
        guard request.isPaused else { return }
        (paused, pausedUntilMilliseconds) = (true, request.profile.pause?.endSeconds.map { $0 * 1000 })
    }

    /// The same for people; nil without a pause.
    package var words: String? {
        guard paused else { return nil }
        let end = pausedUntilMilliseconds.map { "until \(Formats.time(milliseconds: $0))" }
        return "the list is paused \(end ?? "for good"), as the member wants it"
    }

    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("paused", \.paused, "Whether the member wants to see no groups for now; then the list is empty")
        fields.sometimes(
            "pausedUntilMilliseconds", \.pausedUntilMilliseconds,
            "When the pause ends, in Unix milliseconds; if there is one that is not for good")
    }
}

/// The stated interests of a member, for marking groups that match them.
struct StatedInterestLabels {
    /// The interests as the member wrote them, keyed by their normalized form.
    private let texts: [String: String]

    init(_ topics: [String]) {
        texts = Dictionary(topics.map { (Term.normalized($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the interests that match a group, in the order of its topics, or nil if none does.
    func topics(of group: UInt32, in model: VisibleModel) -> [String]? {
        guard !texts.isEmpty else { return nil }
        let topics = model.topics(of: Int(group)).compactMap { texts[Term.normalized($0)] }
        return topics.isEmpty ? nil : topics
    }
}

/// An interest of a member, made of some of the joined groups.
package struct MemberInterest: Answer, Equatable {
    package var name: String
    package var share: Double
    package var groupIds: [String]

    package init(name: String, share: Double, groupIds: [String]) {
        self.name = name
        self.share = share
        self.groupIds = groupIds
    }

    package init(_ interest: Interest, in model: VisibleModel) {
        self.init(
            name: interest.name(in: model), share: interest.share,
            groupIds: interest.groups.map { model.id(of: Int($0)) })
    }

    package static let schemaName: String? = "Interest"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", \.name, "What most of its groups have in common, or the title of the largest")
        fields.always("share", \.share, "Its part of those of the member's groups that bring something, from 0 to 1")
        fields.always(
            "groupIds", \.groupIds,
            "The groups it consists of: joined ones, or those that favourites and follows point to")
    }
}

/// The interests of a list, which label each group with the interest of its strongest reason.
struct LabelledReasons {
    /// The names of the interests, in their order.
    private let names: [String]
    /// The index of the interest of each group that is a reason.
    private var interestOfGroup: [UInt32: Int] = [:]

    /// - Parameter profile: the profile from which reasons are derived.
    init(_ interests: [MemberInterest], of profile: MemberProfile, in model: VisibleModel) {
        names = interests.map(\.name)
        let interestOfID = Dictionary(
            interests.enumerated().flatMap { number, interest in interest.groupIds.map { ($0, number) } },
            uniquingKeysWith: { first, _ in first })
        for group in profile.joined.map(\.group) + profile.hints.map(\.group) {
            interestOfGroup[group] = interestOfID[model.id(of: Int(group))]
        }
    }

    /// Returns the reasons to show for a group of the list, and the interest of the strongest.
    ///
    /// Some reasons may be newer than a session's list: those groups did not bring the item and are left out.
    ///
    /// - Parameter reasons: the reasons from all groups that the member has joined by now, the strongest first.
    func label(_ item: PlanItem, _ reasons: [Suggestion.Reason]) -> (interest: String?, reasons: [Suggestion.Reason]) {
        let told = reasons.filter { interestOfGroup[$0.seed] != nil }
        let interest = told.first.flatMap { interestOfGroup[$0.seed] } ?? item.interest
        return (item.score > 0 ? interest.map { names[$0] } : nil, told)
    }
}

/// The origin of a group that a member saw, as clients report it.
package enum ShownOrigin: String, Sendable, CaseIterable {
    /// The same as in `PlanItem.Origin`.
    case personal, topic, curated, trending, popular
    /// A list of similar groups.
    case similar
    /// A list of groups for a photo.
    case photo
}
