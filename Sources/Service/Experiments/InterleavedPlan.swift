import Experiments
import Recommendation

/// A plan drafted from the lists of two arms, and whose pick each of its groups is.
struct InterleavedPlan {
    let plan: Plan
    /// The teams of the plan's items, in their order.
    let teams: [Team]

    typealias Team = TeamDraft<UInt32>.Team

    /// Drafts a list from two that were made for the same request.
    ///
    /// - Parameters:
    ///   - seed: of the experiment; with the member and the bucket it throws the coins.
    ///   - limit: the most groups.
    init(_ first: Plan, _ second: Plan, seed: String, userID: String, limit: Int) {
        var round = 0
        let draft = TeamDraft(first.items.map(\.group), second.items.map(\.group), limit: limit) {
            round += 1
            return MemberBucket(seed: "\(seed) \(first.bucket) \(round)", memberID: userID).index.isMultiple(of: 2)
        }
        // An interest of the second list is that of the first with the same groups.
        let interests = second.interests.map { interest in
            first.interests.firstIndex { $0.groups == interest.groups }
        }
        let lists = [first, second].map { plan in
            Dictionary(plan.items.map { ($0.group, $0) }) { first, _ in first }
        }
        let items: [PlanItem] = draft.picks.compactMap { pick in
            switch pick.team {
            case .first: return lists[0][pick.element]
            case .second:
                guard var item = lists[1][pick.element] else { return nil }
                let interest = item.interest
                item.interest = interest.flatMap { interests[$0] }
                return item
            }
        }
        plan = Plan(
            items: items, interests: first.interests, bucket: first.bucket, candidateCount: first.candidateCount)
        teams = draft.picks.map(\.team)
    }
}
