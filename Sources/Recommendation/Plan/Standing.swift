/// The rank of a group in a member's list, or the reason why it is not there.
package enum Standing: Sendable, Equatable {
    /// The group's rank in the list, counted from 1, and its item.
    case listed(rank: Int, item: PlanItem)
    /// The member has joined the group.
    case joined
    /// The member has dismissed the group.
    case dismissed(atMilliseconds: Int64)
    /// The group's last activity, in Unix seconds, is too long ago.
    case inactive(sinceSeconds: Int64)
    /// The filters of the request leave the group out.
    case filtered
    /// The group's shrunk plain cosine to this joined group reaches the ceiling.
    case tooSimilar(to: UInt32)
    /// The group is neither a neighbour of joined groups, as far as these are read, nor a cold-start group of the list.
    case noEvidence
    /// The group is a candidate with this rank by raw score, counted from 1, and was not selected.
    case notReached(rank: Int, candidates: Int)
}

extension Planner {
    /// Returns a member's list, and the standing of a group that the model shows.
    package func standing(of group: UInt32, _ request: PlanRequest) -> (standing: Standing, plan: Plan) {
        let personal = personalList(request) { _ in }
        let plan = plan(request, from: personal) { _ in }
        return (standing(of: group, plan, personal), plan)
    }

    private func standing(of group: UInt32, _ plan: Plan, _ personal: PersonalList) -> Standing {
        switch personal.eligibility.obstacle(to: group) {
        case .joined: return .joined
        case .dismissed(let time): return .dismissed(atMilliseconds: time)
        case .inactive(let seconds): return .inactive(sinceSeconds: seconds)
        case .filtered: return .filtered
        case .tooSimilar(let seed): return .tooSimilar(to: seed)
        case nil: break
        }
        if let position = plan.items.firstIndex(where: { $0.group == group }) {
            return .listed(rank: position + 1, item: plan.items[position])
        }
        let table = personal.table
        guard let score = table.first(where: { $0.group == group })?.score else { return .noEvidence }
        let better = table.count { $0.score > score && personal.eligibility.allows($0.group) }
        return .notReached(rank: better + 1, candidates: personal.candidateCount)
    }
}
