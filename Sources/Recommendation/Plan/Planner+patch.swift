import Glibc
import Model

extension Planner {
    /// Returns a frozen plan with the member's later changes applied; apart from them the list stays the same.
    ///
    /// Groups that were joined or dismissed, or that the filter now leaves out, are removed. The rest closes up in
    /// order. New candidates wait for the next plan. Undoing a change restores the list.
    ///
    /// Only neighbours of a changed group move, in either direction and any relation. A rank p becomes p · 2^(shift /
    /// 4): it changes by a fifth at most. The shift is the sum of ± closeness over the changes, limited to −1 to 1.
    /// Neighbours of dismissed and left groups sink; neighbours of joined and undismissed groups rise.
    ///
    /// Groups about interests stated since come in, or move up, at the turns of stated interests. Groups that
    /// favourites and follows point to since come in, or move up, before groups of lower scores; groups that they
    /// pointed to sink.
    ///
    /// - Parameters:
    ///   - items: the items of a plan that the model still shows, in their order.
    ///   - ranks: the rank of each item when the plan was made, from 1; groups that have left since move no other.
    ///   - request: the present input of the list.
    package func patched(
        _ items: [PlanItem], madeAt ranks: [Int], by changes: ProfileChanges, for request: PlanRequest
    ) -> [PlanItem] {
        let gone = Set(changes.joined + changes.dismissed)
        let depth = configuration.feedback.patchDepth
        let hints = changes.hinted.map { _ in self.hints(of: request.profile) } ?? []
        var shifts = shifts(of: items, changes)
        let lost = Set(changes.hinted ?? []).subtracting(hints.map(\.group))
        for position in items.indices where lost.contains(items[position].group) { shifts[position] = 1 }
        let moved = items.enumerated().map { position, item in
            (item: item, position: position, rank: Double(ranks[position]) * exp2(depth * shifts[position]))
        }
        let ordered =
            shifts.contains { $0 != 0 } ? moved.sorted { ($0.rank, $0.position) < ($1.rank, $1.position) } : moved
        let filter = AppliedFilter(request.filter, in: model, configuration.relations)
        let kept = ordered.map(\.item).filter { !gone.contains($0.group) && filter?.passes($0.group) != false }
        let new = hints.filter { hint in changes.hinted.map { !$0.contains(hint.group) } ?? false }
        let pointed = new.isEmpty ? kept : raising(new, in: kept, request)
        return changes.topics.isEmpty ? pointed : raising(changes.topics, in: pointed, request)
    }

    /// Returns a list with groups that the member's telling points to since the list was made, the best first.
    ///
    /// Each stands before a group of a lower score; groups that move up take turns with the others.
    private func raising(_ hints: [ScoredHint], in items: [PlanItem], _ request: PlanRequest) -> [PlanItem] {
        let eligibility = eligibility(for: request)
        let positions = GroupPositions(items.map(\.group))
        var waiting = hints.filter { eligibility.allows($0.group) }.map { hint -> PlanItem in
            guard let position = positions[hint.group] else {
                return PlanItem(group: hint.group, score: hint.score, interest: nil, origin: .personal)
            }
            var item = items[position]
            item.score += hint.score
            item.origin = .personal
            return item
        }.sorted { ($0.score, $1.group) > ($1.score, $0.group) }
        var raised: [PlanItem] = []
        for item in items {
            if let best = waiting.first, best.score > item.score, best.group != item.group {
                raised.append(waiting.removeFirst())
            }
            guard !raised.contains(where: { $0.group == item.group }) else { continue }
            let place = waiting.firstIndex { $0.group == item.group }
            raised.append(place.map { waiting.remove(at: $0) } ?? item)
        }
        return ceiling.distinct(raised + waiting, limit: max(items.count, configuration.selection.length)) { $0.group }
    }

    private func shifts(of items: [PlanItem], _ changes: ProfileChanges) -> [Double] {
        var shifts = [Double](repeating: 0, count: items.count)
        let changed = ChangedGroups(changes, where: isTelling)
        guard !changed.groups.isEmpty else { return shifts }
        let relations = configuration.relations
        // The greater closeness of the two directions counts. The items' lists are read once for all changes.
        var closest = items.map { Closeness.toward(changed.positions, from: $0.group, in: model, relations) }
        let positions = GroupPositions(items.map(\.group))
        for (change, group) in changed.groups.enumerated() {
            for (neighbour, closeness) in Closeness.neighbours(of: group, in: model, relations) {
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
package struct ProfileChanges: Sendable, Equatable {
    /// Groups joined since.
    package var joined: [UInt32]
    /// Groups left since.
    package var left: [UInt32]
    /// Groups dismissed since.
    package var dismissed: [UInt32]
    /// Groups whose dismissal was undone since.
    package var undismissed: [UInt32]
    /// Interests stated since.
    package var topics: [String]
    /// The groups that favourites and follows pointed to when the plan was made; nil if they point to the same now.
    package var hinted: [UInt32]?

    /// Finds the differences between two profiles of a member.
    package init(from before: MemberProfile, to after: MemberProfile) { self.init(from: before.planned, to: after) }

    /// Finds the differences between the profile that a plan was made from and that of now.
    package init(from before: PlannedProfile, to after: MemberProfile) {
        let (joinedBefore, joinedAfter) = (Set(before.joined), Set(after.joined.map(\.group)))
        let (dismissedBefore, dismissedAfter) = (Set(before.dismissed), Set(after.dismissals.map(\.group)))
        joined = joinedAfter.subtracting(joinedBefore).sorted()
        left = joinedBefore.subtracting(joinedAfter).sorted()
        dismissed = dismissedAfter.subtracting(dismissedBefore).sorted()
        undismissed = dismissedBefore.subtracting(dismissedAfter).sorted()
        let topicsBefore = Set(before.topics.map(Term.normalized))
        topics = after.topics.filter { !topicsBefore.contains(Term.normalized($0)) }
        hinted = before.hinted == after.planned.hinted ? nil : before.hinted
    }
}

/// The parts of a profile that a plan remembers, to be patched by later changes of the profile.
package struct PlannedProfile: Sendable, Equatable {
    package var joined: [UInt32]
    package var dismissed: [UInt32]
    /// The stated interests.
    package var topics: [String]
    /// The groups that favourites and follows pointed to, ascending.
    package var hinted: [UInt32]

    package init(joined: [UInt32], dismissed: [UInt32], topics: [String], hinted: [UInt32] = []) {
        self.hinted = hinted
        self.joined = joined
        self.dismissed = dismissed
        self.topics = topics
    }
}

extension MemberProfile {
    /// The parts that a plan remembers.
    package var planned: PlannedProfile {
        PlannedProfile(
            joined: joined.map(\.group), dismissed: dismissals.map(\.group), topics: topics,
            hinted: Set(hints.map(\.group)).sorted())
    }
}
