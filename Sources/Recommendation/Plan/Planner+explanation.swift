import Model

/// Why a group is where it is in a member's list, or why it is not there.
public enum Standing: Sendable, Equatable {
    /// It is in the list; places count from 1.
    case listed(place: Int, item: PlanItem)
    /// The member is in it.
    case joined
    /// The member is not interested.
    case dismissed(atMilliseconds: Int64)
    /// It must not be shown to anybody.
    case hidden
    /// Nothing has happened in it since, in Unix seconds.
    case inactive(sinceSeconds: Int64)
    /// No joined group has it as a neighbour.
    case noEvidence
    /// Its plain cosine to a joined group reaches the ceiling.
    case tooSimilar(to: UInt32)
    /// Its place among the candidates, counted from 1, is beyond those that are looked at.
    case belowPool(rank: Int, poolSize: Int)
}

extension Planner {
    /// Why a group is in a member's list or not.
    public func standing(of group: UInt32, _ request: PlanRequest) -> Standing {
        let personal = personalList(request) { _ in }
        switch personal.eligibility.obstacle(to: group) {
        case .joined: return .joined
        case .dismissed(let time): return .dismissed(atMilliseconds: time)
        case .hidden: return .hidden
        case .inactive(let seconds): return .inactive(sinceSeconds: seconds)
        case nil: break
        }
        let items = plan(request).items
        if let place = items.firstIndex(where: { $0.group == group }) {
            return .listed(place: place + 1, item: items[place])
        }
        guard let entry = personal.table[group] else { return .noEvidence }
        if let seed = entry.tooSimilarTo { return .tooSimilar(to: seed) }
        guard let rank = personal.ranked.firstIndex(where: { $0.group == group }) else {
            let better = personal.table.entries.count { $0.score > entry.score }
            return .belowPool(rank: better + 1, poolSize: personal.pool.count)
        }
        if personal.tooSimilar.contains(rank) {
            // Only the candidate's own list has the pair.
            let closest = personal.joined.max {
                model.greatestCosine(between: group, $0) < model.greatestCosine(between: group, $1)
            }
            if let closest { return .tooSimilar(to: closest) }
        }
        return .belowPool(rank: rank + 1, poolSize: personal.pool.count)
    }
}

extension ModelVersion {
    /// The greatest stored plain cosine of two groups, in either direction and any relation; 0 if they are no neighbours.
    func greatestCosine(between first: UInt32, _ second: UInt32) -> Float {
        PairSimilarities(among: [first, second], in: self)[0, 1]
    }
}
