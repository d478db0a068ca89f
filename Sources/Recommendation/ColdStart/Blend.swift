/// Brings the personal list and the others together.
enum Blend {
    /// The personal groups in their order, and the others in theirs, in turns.
    ///
    /// Either fills up when the other ends. No group may be in both.
    ///
    /// - Parameters:
    ///   - share: the part of turns of the personal list, 0 to 1.
    ///   - limit: how many at most.
    static func blend(_ personal: [PlanItem], _ others: [PlanItem], share: Double, limit: Int) -> [PlanItem] {
        guard !others.isEmpty else { return Array(personal.prefix(limit)) }
        var turns = Turns(weights: [share, 1 - share])
        let queues = [personal, others]
        var next = [0, 0]
        var list: [PlanItem] = []
        while list.count < limit {
            guard let queue = turns.first(where: { next[$0] < queues[$0].count }) else { break }
            list.append(queues[queue][next[queue]])
            next[queue] += 1
            turns.take(queue)
        }
        return list
    }

    /// How many of the others have a turn at most.
    static func turnsOfOthers(personalCount: Int, share: Double, limit: Int) -> Int {
        // Nobody is more than a turn ahead of his share.
        max(limit - personalCount, Int((1 - share) * Double(limit)) + 1)
    }
}
