/// One list of two: in every round each list picks its best group that is not yet taken, and a coin decides who picks
/// first. (Radlinski, Kurup and Joachims, "How Does Clickthrough Data Reflect Retrieval Quality?", 2008.)
public struct TeamDraft<Element: Hashable & Sendable>: Sendable {
    /// Whose pick a row is.
    public enum Team: UInt8, Sendable, CaseIterable {
        case first, second
    }

    /// A row of the list.
    public struct Pick: Sendable {
        /// What was picked.
        public let element: Element
        /// Who picked it, and gets the credit if it is clicked or joined.
        public let team: Team
    }

    /// The rows, in their order.
    public private(set) var picks: [Pick] = []

    /// Drafts from two lists; once one has nothing left, the rest is the other's.
    ///
    /// - Parameters:
    ///   - limit: the most rows.
    ///   - coin: true if the first list picks first in a round; asked once a round.
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

/// Which of two interleaved lists members prefer: a member votes for the list that more of their clicks or joins are
/// credited to.
public struct InterleavingVotes: Sendable, Equatable {
    /// Members who prefer the first list, the second, and neither.
    public private(set) var first = 0, second = 0, neither = 0

    /// Without members.
    public init() {}

    /// Adds a member.
    ///
    /// - Parameter credits: of each list.
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
