import Glibc

/// Merges the personal list with the cold-start groups.
enum Blend {
    /// The personal and the other groups in turns, each in their order.
    ///
    /// When one list ends, the other fills the rest.
    ///
    /// - Parameters:
    ///   - inBoth: the groups that are in both lists; each stands where it comes first.
    ///   - share: the personal list's share of the turns, 0 to 1.
    ///   - limit: how many at most.
    static func blend(
        _ personal: [PlanItem], _ others: [PlanItem], inBoth: Set<UInt32> = [], share: Double, limit: Int
    ) -> [PlanItem] {
        guard !others.isEmpty else { return Array(personal.prefix(limit)) }
        var turns = Turns(weights: [share, 1 - share])
        let queues = [personal, others]
        var next = [0, 0]
        var placed: Set<UInt32> = []
        var list: [PlanItem] = []
        while list.count < limit {
            guard let queue = turns.first(where: { next[$0] < queues[$0].count }) else { break }
            let item = queues[queue][next[queue]]
            next[queue] += 1
            // A group that the other list brought already is skipped, and this list keeps its turn.
            if inBoth.contains(item.group), !placed.insert(item.group).inserted { continue }
            list.append(item)
            turns.take(queue)
        }
        return list
    }

    /// The most turns that the others can have.
    static func turnsOfOthers(personalCount: Int, share: Double, limit: Int) -> Int {
        // Neither list gets more than one turn above its share.
        max(limit - personalCount, Int((1 - share) * Double(limit)) + 1)
    }
}

/// How much is known about a member, which decides how much of the list is personal.
enum Knowledge {
    /// 1 − 2^(−groups / half): 0 without groups, ½ after `half` groups, 99% after seven times as many.
    ///
    /// - Parameters:
    ///   - groups: the number of joined groups that the list is made from.
    ///   - half: above 0.
    static func personalShare(groups: Int, half: Double) -> Double { 1 - exp2(-Double(groups) / half) }
}

/// Divides turns among weighted parties: sequential Webster apportionment (Sainte-Laguë 1910).
struct Turns {
    private let weights: [Double]
    private var taken: [Int]

    /// - Parameter weights: one for each party, 0 or more.
    init(weights: [Double]) {
        self.weights = weights
        taken = [Int](repeating: 0, count: weights.count)
    }

    /// The party with the largest claim, of equal ones the first; nil if no party is present.
    ///
    /// - Parameter isPresent: whether a party still takes part.
    func first(where isPresent: (Int) -> Bool) -> Int? {
        var best: (party: Int, claim: Double)?
        for party in weights.indices where isPresent(party) {
            let claim = weights[party] / Double(2 * taken[party] + 1)
            if claim > best?.claim ?? -1 { best = (party, claim) }
        }
        return best?.party
    }

    /// Records that a party had a turn.
    mutating func take(_ party: Int) { taken[party] += 1 }
}
