import Model

/// How close a neighbour is, above 0 and up to 1, whatever the measure: its score in parts of the best of the list.
enum Closeness {
    /// The neighbours in a group's own lists, in any relation, each once with its greatest closeness.
    static func neighbours(of group: UInt32, in model: ModelVersion) -> [UInt32: Double] {
        var closest: [UInt32: Double] = [:]
        for relation in Relation.allCases {
            let list = model.neighbours(of: Int(group), by: relation)
            guard let best = list.first?.score, best > 0 else { continue }
            for neighbour in list {
                closest[neighbour.index] = max(closest[neighbour.index] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }

    /// How close one group's lists say another is; 0 if they do not name it.
    static func closeness(of other: UInt32, to group: UInt32, in model: ModelVersion) -> Double {
        var closest = 0.0
        for relation in Relation.allCases {
            let list = model.neighbours(of: Int(group), by: relation)
            guard let best = list.first?.score, best > 0 else { continue }
            if let neighbour = list.first(where: { $0.index == other }) {
                closest = max(closest, Double(neighbour.score / best))
            }
        }
        return closest
    }
}
