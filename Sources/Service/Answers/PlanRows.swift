import Model
import Recommendation

extension JSONWriter {
    /// A member that is a list of what a member cares about.
    mutating func interests(_ name: String, _ interests: [SessionList.NamedInterest]) {
        objects(name, interests) { row, interest in
            row.member("name", interest.name)
            row.member("share", interest.share)
            row.texts("groupIds", interest.groupIDs)
        }
    }

    /// A member that is a part of a plan which begins after `offset` items, with what brought each group.
    mutating func planItems(
        _ name: String, _ items: some Collection<PlanItem>, after offset: Int,
        of interests: [SessionList.NamedInterest],
        for profile: MemberProfile, _ planner: Planner
    ) {
        let model = planner.model
        let rows = zip(items, planner.reasons(for: items, of: profile))
        objects(name, rows.enumerated()) { row, element in
            let (place, (item, reasons)) = element
            row.suggestedGroup(
                offset + place, item.group, score: item.score, planner.configuration.relations, in: model)
            row.member("origin", item.origin.rawValue)
            if let interest = item.interest { row.member("interest", interests[interest].name) }
            // What speaks for a group may have changed since a frozen list was made.
            let total = reasons.reduce(0) { $0 + $1.contribution }
            row.reasons(reasons.prefix(Self.reasonLimit), ofScore: total, in: model)
        }
    }

    /// The member `reasons`: joined groups that speak for a group of a score.
    mutating func reasons(_ reasons: some Sequence<Suggestion.Reason>, ofScore score: Double, in model: ModelVersion) {
        objects("reasons", reasons) { row, reason in
            row.member("groupId", model.id(of: Int(reason.seed)))
            row.member("title", model.title(of: Int(reason.seed)))
            row.member("relation", reason.relation.rawValue)
            row.member("share", reason.contribution / score)
            row.member("common", reason.common)
        }
    }
}
