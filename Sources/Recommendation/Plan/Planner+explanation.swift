/// The rank of a group in a member's list, or why the group is not there.
public enum Standing: Sendable, Equatable {
    /// It is in the list; ranks count from 1.
    case listed(rank: Int, item: PlanItem)
    /// The member is in it.
    case joined
    /// The member is not interested.
    case dismissed(atMilliseconds: Int64)
    /// Its last activity was then, in Unix seconds, which is too long ago.
    case inactive(sinceSeconds: Int64)
    /// Its plain cosine to a joined group reaches the ceiling.
    case tooSimilar(to: UInt32)
    /// It is among the neighbours of no joined group that are looked at, nor among the cold-start groups in the list.
    case noEvidence
    /// It is a candidate with this rank by raw score, counted from 1, and was not selected.
    case notReached(rank: Int, candidates: Int)
}

extension Planner {
    /// A member's list, and the standing of a group that the model shows.
    public func standing(of group: UInt32, _ request: PlanRequest) -> (standing: Standing, plan: Plan) {
        let personal = personalList(request) { _ in }
        let plan = plan(request, from: personal) { _ in }
        return (standing(of: group, plan, personal), plan)
    }

    private func standing(of group: UInt32, _ plan: Plan, _ personal: PersonalList) -> Standing {
        switch personal.eligibility.obstacle(to: group) {
        case .joined: return .joined
        case .dismissed(let time): return .dismissed(atMilliseconds: time)
        case .inactive(let seconds): return .inactive(sinceSeconds: seconds)
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
