/// One list drafted from two: in every round each list picks its best group that is not yet taken.
///
/// A coin decides which list picks first in a round (Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect
/// Retrieval Quality?", 2008).
public struct TeamDraft<Element: Hashable & Sendable>: Sendable {
    /// The list that picked a row.
    public enum Team: UInt8, Sendable, CaseIterable {
        case first, second
    }

    /// A row of the drafted list.
    public struct Pick: Sendable {
        /// The element that was picked.
        public let element: Element
        /// The list that picked it, and gets the credit for a click or a join.
        public let team: Team
    }

    /// The rows, in their order.
    public private(set) var picks: [Pick] = []

    /// Drafts from two lists; once one has nothing left, the rest is the other's.
    ///
    /// - Parameters:
    ///   - first: the first list, best first.
    ///   - second: the second list, best first.
    ///   - limit: the greatest number of rows.
    ///   - coin: whether the first list picks first in a round; called once a round.
    public init(_ first: [Element], _ second: [Element], limit: Int = .max, coin: () -> Bool) {
        var taken: Set<Element> = []
        var rests = [first[...], second[...]]
        var round: [Team] = []
        while picks.count < limit {
            for index in rests.indices { rests[index] = rests[index].drop { taken.contains($0) } }
            if rests.allSatisfy(\.isEmpty) { break }
            if round.isEmpty { round = coin() ? [.first, .second] : [.second, .first] }
            let team = round.removeFirst()
            guard let element = rests[Int(team.rawValue)].popFirst() else { continue }
            taken.insert(element)
            picks.append(Pick(element: element, team: team))
        }
    }
}

/// The votes of members between two interleaved lists.
///
/// A member votes for the list that more of the member's clicks or joins are credited to.
public struct InterleavingVotes: Sendable, Equatable {
    /// The numbers of members who prefer the first list, the second, and neither.
    public private(set) var first = 0, second = 0, neither = 0

    /// Creates votes of no members.
    public init() {}

    /// Adds a member.
    ///
    /// - Parameter credits: the number of clicks or joins credited to each list.
    public mutating func add(_ credits: (first: Int, second: Int)) {
        if credits.first > credits.second {
            first += 1
        } else if credits.first < credits.second {
            second += 1
        } else {
            neither += 1
        }
    }

    /// The part of the members with a preference who prefer the second list; a half if nobody has one.
    public var secondPart: Double { first + second > 0 ? Double(second) / Double(first + second) : 0.5 }
    /// The probability of votes at least as one-sided if members preferred neither (the sign test).
    public var pValue: Double { BinomialDistribution.signTest(successes: second, of: first + second) }
}
