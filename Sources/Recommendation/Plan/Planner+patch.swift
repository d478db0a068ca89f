import Glibc
import Model

extension Planner {
    /// Returns a frozen plan with the member's later changes applied; apart from them the list stays the same.
    ///
    /// Groups that were joined or dismissed are removed, and the rest closes up in order. New candidates wait for the
    /// next plan. Undoing a change restores the list.
    ///
    /// Only neighbours of a changed group move, in either direction and any relation. A rank p becomes p · 2^(shift /
    /// 4): it changes by a fifth at most. The shift is the sum of ± closeness over the changes, limited to −1 to 1.
    /// Neighbours of dismissed and left groups sink; neighbours of joined and undismissed groups rise.
    ///
    /// Groups about interests stated since come in, or move up, at the turns of stated interests.
    ///
    /// - Parameters:
    ///   - items: the items of a plan that the model still shows, in their order.
    ///   - ranks: the rank of each item when the plan was made, from 1; groups that have left since move no other.
    ///   - changes: the changes since the plan was made.
    ///   - request: the present input of the list.
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
        let changed = ChangedGroups(changes, where: isTelling)
        guard !changed.groups.isEmpty else { return shifts }
        // The greater closeness of the two directions counts. The items' lists are read once for all changes.
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
    /// The direction for each group: negative if its neighbours rise, positive if they sink.
    let signs: [Double]
    let positions: GroupPositions

    init(_ changes: ProfileChanges, where isTelling: (UInt32) -> Bool) {
        var signOfGroup: [UInt32: Double] = [:]
        let changed =
            (changes.joined + changes.undismissed).map { ($0, -1.0) }
            + (changes.dismissed + changes.left).map { ($0, 1.0) }
        for (group, sign) in changed where isTelling(group) {
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

    /// Finds the differences between two profiles of a member.
    public init(from before: MemberProfile, to after: MemberProfile) { self.init(from: before.planned, to: after) }

    /// Finds the differences between the profile that a plan was made from and that of now.
    public init(from before: PlannedProfile, to after: MemberProfile) {
        let (joinedBefore, joinedAfter) = (Set(before.joined), Set(after.joined.map(\.group)))
        let (dismissedBefore, dismissedAfter) = (Set(before.dismissed), Set(after.dismissals.map(\.group)))
        joined = joinedAfter.subtracting(joinedBefore).sorted()
        left = joinedBefore.subtracting(joinedAfter).sorted()
        dismissed = dismissedAfter.subtracting(dismissedBefore).sorted()
        undismissed = dismissedBefore.subtracting(dismissedAfter).sorted()
        let topicsBefore = Set(before.topics.map(Term.normalized))
        topics = after.topics.filter { !topicsBefore.contains(Term.normalized($0)) }
    }
}

/// The parts of a profile that a plan remembers, to be patched by later changes of the profile.
public struct PlannedProfile: Sendable, Equatable {
    /// The groups joined.
    public var joined: [UInt32]
    /// The groups dismissed.
    public var dismissed: [UInt32]
    /// The stated interests.
    public var topics: [String]

    /// Creates the remembered parts of a profile.
    public init(joined: [UInt32], dismissed: [UInt32], topics: [String]) {
        self.joined = joined
        self.dismissed = dismissed
        self.topics = topics
    }
}

extension MemberProfile {
    /// The parts that a plan remembers.
    public var planned: PlannedProfile {
        PlannedProfile(joined: joined.map(\.group), dismissed: dismissals.map(\.group), topics: topics)
    }
}
