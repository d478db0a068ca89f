import Model

extension Planner {
    /// What brought each group of a list: the joined groups whose neighbour it is.
    ///
    /// - Parameters:
    ///   - items: a part of a plan.
    ///   - profile: the profile that the plan was made for.
    /// - Returns: for each item the reasons, the largest contribution first; equal ones by group index, then photos
    ///   before members; none for items that are not personal.
    /// - Complexity: O(neighbours of the member's groups).
    public func reasons(for items: some Collection<PlanItem>, of profile: MemberProfile) -> [[Suggestion.Reason]] {
        let groups = items.map(\.group)
        let places = GroupPlaces(groups)
        // Nearly no neighbours are on the page that is shown: one look at one bit tells that of most.
        let sieve = GroupSieve(groups)
        let joined = recentGroups(profile)
        let lists = model.lists(of: joined)
        let factors = Relation.allCases.map { configuration.weights.factor(of: $0, in: model) }
        var passed = [Int32](repeating: 0, count: lists.longestCount)
        var reasons = [[Suggestion.Reason]](repeating: [], count: items.count)
        lists.forEach { list, neighbours in
            let (seed, relation) = list.quotientAndRemainder(dividingBy: factors.count)
            guard factors[relation] > 0 else { return }
            var passed = passed.mutableSpan
            let passedCount = sieve.sift(neighbours, into: &passed)
            for number in 0..<passedCount {
                let neighbour = neighbours[Int(passed[number])]
                guard let place = places[neighbour.index] else { continue }
                reasons[place].append(
                    .init(
                        seed: joined[seed], relation: Relation.allCases[relation],
                        contribution: factors[relation] * Double(neighbour.score), common: neighbour.common))
            }
        }
        for (place, item) in items.enumerated() {
            if item.origin == .personal {
                reasons[place].sort(by: Suggestion.Reason.precedes)
            } else {
                reasons[place] = []
            }
        }
        return reasons
    }
}
