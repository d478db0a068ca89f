import Model
import Recommendation

extension ListMaker {
    /// How many groups of a list count for its stability.
    private static let stabilityLength = 100

    /// How far the list of a session keeps its order when the member joins, or dismisses, the group at its head.
    ///
    /// - Returns: the mean of Kendall's tau for the two, between the first 100 groups before and after, over those that
    ///   are in both; nil if there are too few.
    func stability(of profile: MemberProfile) -> Double? {
        guard let planner = planners[.served] else { return nil }
        let plan = planner.plan(PlanRequest(profile: profile, atMilliseconds: instant))
        guard let head = plan.items.first?.group else { return nil }
        let before = plan.items.prefix(Self.stabilityLength).map(\.group)
        var joined = profile
        joined.joined = (joined.joined + [.init(group: head)]).sorted { $0.group < $1.group }
        var dismissing = profile
        dismissing.dismissals.append(.init(group: head, atMilliseconds: instant))
        let correlations = [joined, dismissing].compactMap { after in
            let patched = planner.patched(
                plan.items, madeAt: Array(1...plan.items.count), by: ProfileChanges(from: profile, to: after),
                for: PlanRequest(profile: after, atMilliseconds: instant))
            return RankCorrelation.tau(before, patched.prefix(Self.stabilityLength).map(\.group))
        }
        return correlations.isEmpty ? nil : correlations.reduce(0, +) / Double(correlations.count)
    }
}
