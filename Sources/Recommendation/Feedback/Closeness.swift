import Model

/// How close a neighbour is, above 0 and up to 1, whatever the measure: its score in parts of the best of the list.
enum Closeness {
    /// The neighbours in a group's own lists, in any relation, each once with its greatest closeness.
    static func neighbours(of group: UInt32, in model: ModelVersion) -> [UInt32: Double] {
        var closest: [UInt32: Double] = [:]
        for relation in model.relations {
            let list = model.neighbours(of: Int(group), by: relation)
            guard let best = list.first?.score, best > 0 else { continue }
            for neighbour in list {
                closest[neighbour.index] = max(closest[neighbour.index] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }

    /// How close a group's lists say the groups of a table are, by their places; those it does not name are missing.
    static func toward(_ places: GroupPlaces, from group: UInt32, in model: ModelVersion) -> [Int: Double] {
        var closest: [Int: Double] = [:]
        for relation in model.relations {
            let list = model.neighbours(of: Int(group), by: relation)
            guard let best = list.first?.score, best > 0 else { continue }
            for neighbour in list {
                guard let place = places[neighbour.index] else { continue }
                closest[place] = max(closest[place] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }
}
