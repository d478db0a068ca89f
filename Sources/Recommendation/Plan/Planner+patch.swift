import Glibc
import Model

extension Planner {
    /// A frozen plan after what the member did since: quick to react, and otherwise the same list.
    ///
    /// Groups that were joined, dismissed or hidden leave, and the rest closes up in order. Only groups that are
    /// neighbours of a changed one, in either direction and any relation, move: place p, counted from 1, becomes
    /// p · 2^shift, where the shift is the sum of ± closeness over the changes, between −1 and 1: neighbours of groups
    /// dismissed or left sink, of groups joined or taken back rise. New candidates wait for the next plan. Undoing
    /// what was done restores the list.
    ///
    /// - Parameters:
    ///   - plan: a plan of this planner's model version.
    ///   - changes: since it was made.
    ///   - hidden: groups that nobody may be shown.
    public func patched(_ plan: Plan, by changes: ProfileChanges, hidden: Set<UInt32> = []) -> [PlanItem] {
        let gone = Set(changes.joined + changes.dismissed).union(hidden)
        let shifts = shifts(of: plan.items, changes)
        let moved = plan.items.enumerated().map { place, item in
            (item: item, place: place, rank: Double(place + 1) * exp2(shifts[place]))
        }
        let ordered = shifts.contains { $0 != 0 } ? moved.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) } : moved
        return ordered.lazy.map(\.item).filter { !gone.contains($0.group) }
    }

    private func shifts(of items: [PlanItem], _ changes: ProfileChanges) -> [Double] {
        var shifts = [Double](repeating: 0, count: items.count)
        let signed =
            (changes.joined + changes.undismissed).map { ($0, -1.0) }
            + (changes.dismissed + changes.left).map { ($0, 1.0) }
        let known = signed.filter { Int($0.0) < model.groupCount }
        guard !known.isEmpty else { return shifts }
        let places = GroupPlaces(items.map(\.group))
        for (group, sign) in known {
            // Of the two directions the closer one counts.
            var closest: [Int: Double] = [:]
            for (neighbour, closeness) in Closeness.neighbours(of: group, in: model) {
                if let place = places[neighbour] { closest[place] = closeness }
            }
            for (place, item) in items.enumerated() where Int(item.group) < model.groupCount {
                let reverse = Closeness.closeness(of: group, to: item.group, in: model)
                if reverse > closest[place] ?? 0 { closest[place] = reverse }
            }
            for (place, closeness) in closest { shifts[place] += sign * closeness }
        }
        return shifts.map { max(-1, min(1, $0)) }
    }
}
