import Glibc

/// Merges the personal list with the cold-start groups.
enum Blend {
    /// The personal and the other groups in turns, each in their order, and each once.
    ///
    /// When one list ends, the other fills the rest. A shorter list is a prefix of a longer one.
    ///
    /// - Parameters:
    ///   - share: the personal list's share of the turns, 0 to 1.
    ///   - limit: how many at most.
    ///   - nextOther: the next of the others, each group once, and its position in the personal list if it is there.
    static func blend(
        _ personal: [PlanItem], share: Double, limit: Int, nextOther: () -> (item: PlanItem, rank: Int?)?
    ) -> [PlanItem] {
        var turns = Turns(weights: [share, 1 - share])
        var isPlaced = [Bool](repeating: false, count: personal.count)
        var next = 0
        var hasOthers = true
        var list: [PlanItem] = []
        list.reserveCapacity(min(limit, personal.count))
        while list.count < limit {
            // A group that the other list brought already is skipped, and this list keeps its turn.
            while next < personal.count, isPlaced[next] { next += 1 }
            guard let queue = turns.first(where: { $0 == 0 ? next < personal.count : hasOthers }) else { break }
            if queue == 0 {
                isPlaced[next] = true
                list.append(personal[next])
            } else {
                guard let other = nextOther() else {
                    hasOthers = false
                    continue
                }
                if let rank = other.rank {
                    if isPlaced[rank] { continue }
                    isPlaced[rank] = true
                }
                list.append(other.item)
            }
            turns.take(queue)
        }
        return list
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
