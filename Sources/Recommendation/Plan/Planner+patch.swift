import Glibc
import Model

extension Planner {
    /// A frozen plan with the member's later changes applied; apart from them the list stays the same.
    ///
    /// Groups that were joined or dismissed are removed, and the rest closes up in order. Only neighbours of a
    /// changed group, in either direction and any relation, move: rank p becomes p · 2^(shift / 4), where the shift is
    /// the sum of ± closeness over the changes, limited to −1 to 1: by a fifth at most. Neighbours of dismissed and
    /// left groups are lowered, neighbours of joined and undismissed groups are raised. New candidates wait for the
    /// next plan. Undoing a change restores the list. Groups about interests that were stated since come in, or move
    /// up, at the turns that stated interests have in a list.
    ///
    /// - Parameters:
    ///   - items: the items of a plan that the model still shows, in their order.
    ///   - ranks: the rank that each had when the plan was made, from 1, so that what has left since moves no other.
    ///   - changes: the changes since it was made.
    ///   - request: what the list is for by now.
    public func patched(
        _ items: [PlanItem], madeAt ranks: [Int], by changes: ProfileChanges, for request: PlanRequest
    ) -> [PlanItem] {
        let gone = Set(changes.joined + changes.dismissed)
        let depth = configuration.feedback.patchDepth
        let shifts = shifts(of: items, changes)
        let moved = items.enumerated().map { position, item in
            (item: item, position: position, rank: Double(ranks[position]) * exp2(depth * shifts[position]))
        }
        let ordered =
            shifts.contains { $0 != 0 } ? moved.sorted { ($0.rank, $0.position) < ($1.rank, $1.position) } : moved
        let kept: [PlanItem] = ordered.lazy.map(\.item).filter { !gone.contains($0.group) }
        return changes.topics.isEmpty ? kept : raising(changes.topics, in: kept, request)
    }

    private func shifts(of items: [PlanItem], _ changes: ProfileChanges) -> [Double] {
        var shifts = [Double](repeating: 0, count: items.count)
        let changed = ChangedGroups(changes, in: model)
        guard !changed.groups.isEmpty else { return shifts }
        // The greater closeness of the two directions counts. The lists of the items are read once for all changes.
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

/// The changed groups, each once, and the direction in which their neighbours move.
private struct ChangedGroups {
    private(set) var groups: [UInt32] = []
    /// Negative if neighbours are raised, positive if they are lowered.
    let signs: [Double]
    let positions: GroupPositions

    init(_ changes: ProfileChanges, in model: VisibleModel) {
        var signOfGroup: [UInt32: Double] = [:]
        let changed =
            (changes.joined + changes.undismissed).map { ($0, -1.0) }
            + (changes.dismissed + changes.left).map { ($0, 1.0) }
        for (group, sign) in changed where model.shows(group) {
            if signOfGroup[group] == nil { groups.append(group) }
            signOfGroup[group, default: 0] += sign
        }
        signs = groups.map { signOfGroup[$0] ?? 0 }
        positions = GroupPositions(groups)
    }
}

/// A member's changes since a plan was made that affect the list.
public struct ProfileChanges: Sendable, Equatable {
    /// Groups joined since.
    public var joined: [UInt32]
    /// Groups left since.
    public var left: [UInt32]
    /// Groups dismissed since.
    public var dismissed: [UInt32]
    /// Groups whose dismissal was undone since.
    public var undismissed: [UInt32]
    /// Interests stated since.
    public var topics: [String]

    /// The differences between two profiles of a member.
    public init(from before: MemberProfile, to after: MemberProfile) {
        let (joinedBefore, joinedAfter) = (Set(before.joined.map(\.group)), Set(after.joined.map(\.group)))
        let (dismissedBefore, dismissedAfter) = (
            Set(before.dismissals.map(\.group)), Set(after.dismissals.map(\.group))
        )
        joined = joinedAfter.subtracting(joinedBefore).sorted()
        left = joinedBefore.subtracting(joinedAfter).sorted()
        dismissed = dismissedAfter.subtracting(dismissedBefore).sorted()
        undismissed = dismissedBefore.subtracting(dismissedAfter).sorted()
        let topicsBefore = Set(before.topics.map(Term.normalized))
        topics = after.topics.filter { !topicsBefore.contains(Term.normalized($0)) }
    }
}
