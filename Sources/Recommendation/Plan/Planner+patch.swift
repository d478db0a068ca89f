import Glibc
import Model

extension Planner {
    /// A frozen plan after what the member did since: quick to react, and otherwise the same list.
    ///
    /// Groups that were joined, dismissed or hidden leave, and the rest closes up in order. Only groups that are
    /// neighbours of a changed one, in either direction and any relation, move: position p, counted from 1, becomes
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
        let moved = plan.items.enumerated().map { position, item in
            (item: item, position: position, rank: Double(position + 1) * exp2(shifts[position]))
        }
        let ordered =
            shifts.contains { $0 != 0 } ? moved.sorted { ($0.rank, $0.position) < ($1.rank, $1.position) } : moved
        return ordered.lazy.map(\.item).filter { !gone.contains($0.group) }
    }

    private func shifts(of items: [PlanItem], _ changes: ProfileChanges) -> [Double] {
        var shifts = [Double](repeating: 0, count: items.count)
        let changed = ChangedGroups(changes, in: model)
        guard !changed.groups.isEmpty else { return shifts }
        // Of the two directions the closer one counts. The lists of the items are read once, however much changed.
        var closest = items.map { Closeness.toward(changed.positions, from: $0.group, in: model) }
        let positions = GroupPositions(items.map(\.group))
        for (change, group) in changed.groups.enumerated() {
            for (neighbour, closeness) in Closeness.neighbours(of: group, in: model) {
                guard let position = positions[neighbour] else { continue }
                closest[position][change] = max(closest[position][change] ?? 0, closeness)
            }
            for position in items.indices {
                shifts[position] += changed.signs[change] * (closest[position][change] ?? 0)
            }
        }
        return shifts.map { max(-1, min(1, $0)) }
    }
}

/// The groups of a model that changed, each once, and which way their neighbours move.
private struct ChangedGroups {
    private(set) var groups: [UInt32] = []
    /// Below 0 if neighbours rise, above 0 if they sink.
    let signs: [Double]
    let positions: GroupPositions

    init(_ changes: ProfileChanges, in model: ModelVersion) {
        var signOfGroup: [UInt32: Double] = [:]
        let changed =
            (changes.joined + changes.undismissed).map { ($0, -1.0) }
            + (changes.dismissed + changes.left).map { ($0, 1.0) }
        for (group, sign) in changed where Int(group) < model.groupCount {
            if signOfGroup[group] == nil { groups.append(group) }
            signOfGroup[group, default: 0] += sign
        }
        signs = groups.map { signOfGroup[$0] ?? 0 }
        positions = GroupPositions(groups)
    }
}
