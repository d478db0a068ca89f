package import Recommendation

/// One list drafted from two: in every round each list picks its best group that is not yet taken.
///
/// A coin decides which list picks first in a round (Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect
/// Retrieval Quality?", 2008).
package struct TeamDraft<Element: Hashable & Sendable>: Sendable {
    /// A row of the drafted list.
    package struct Pick: Sendable {
        package let element: Element
        /// The list that picked it, and gets the credit for a click or a join.
        package let team: PlanItem.Team
    }

    /// The rows, in their order.
    package private(set) var picks: [Pick] = []

    /// Drafts from two lists; once one has nothing left, the rest is the other's.
    ///
    /// - Parameters:
    ///   - first: the first list, best first.
    ///   - second: the second list, best first.
    ///   - limit: the greatest number of rows.
    ///   - alike: returns the elements that the list has not beside one.
    ///   - coin: whether the first list picks first in a round; called once a round.
    package init(
        _ first: [Element], _ second: [Element], limit: Int = .max,
        alike: (Element) -> ArraySlice<Element> = { _ in [] }, coin: () -> Bool
    ) {
        var taken: Set<Element> = []
        var rests = [first[...], second[...]]
        var round: [PlanItem.Team] = []
        while picks.count < limit {
            for index in rests.indices { rests[index] = rests[index].drop { taken.contains($0) } }
            if rests.allSatisfy(\.isEmpty) { break }
            if round.isEmpty { round = coin() ? [.first, .second] : [.second, .first] }
            let team = round.removeFirst()
            guard let element = rests[Int(team.rawValue)].popFirst() else { continue }
            taken.insert(element)
            taken.formUnion(alike(element))
            picks.append(Pick(element: element, team: team))
        }
    }
}
