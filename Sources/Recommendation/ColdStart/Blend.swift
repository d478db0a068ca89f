/// Brings the personal list and the others together.
enum Blend {
    /// The personal groups in their order, and the others in theirs, in turns.
    ///
    /// Either fills up when the other ends; a group that is in both stands where the personal list has it.
    ///
    /// - Parameters:
    ///   - share: the part of turns of the personal list, 0 to 1.
    ///   - limit: how many at most.
    static func blend(_ personal: [PlanItem], _ others: [PlanItem], share: Double, limit: Int) -> [PlanItem] {
        let known = Set(personal.map(\.group))
        let others = others.filter { !known.contains($0.group) }
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
}
