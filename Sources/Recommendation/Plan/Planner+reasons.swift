import Model

extension Planner {
    /// The reasons for each group of a list: the joined groups whose neighbour it is.
    ///
    /// - Parameters:
    ///   - items: some items of a plan.
    ///   - profile: the profile for which the plan was made.
    /// - Returns: for each item the reasons, the largest contribution first; equal ones by group index, then in the
    ///   order of the version's relations; none for items that joined groups did not bring.
    /// - Complexity: O(neighbours of the member's groups).
    public func reasons(for items: some Collection<PlanItem>, of profile: MemberProfile) -> [[Suggestion.Reason]] {
        let joined = recentGroups(profile)
        var reasons = [[Suggestion.Reason]](repeating: [], count: items.count)
        let page = GroupLookup(items.map(\.group))
        page.forEachFound(in: neighbourLists(of: joined)) { seed, relation, neighbour, position in
            reasons[position].append(
                .init(
                    seed: joined[seed], relation: model.relations[relation],
                    contribution: factors[relation] * Double(neighbour.score), common: neighbour.common,
                    relationIndex: relation))
        }
        for (position, item) in items.enumerated() {
            // A popular group may by chance be a neighbour of a joined one: that is not why it is in the list.
            if item.origin == .personal || item.score > 0 {
                reasons[position].sort(by: Suggestion.Reason.precedes)
            } else {
                reasons[position] = []
            }
        }
        return reasons
    }
}
