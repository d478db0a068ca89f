import Glibc
import Model

/// Lowers groups for a while: the ones shown without a click, and the ones similar to a dismissed group.
struct Damping {
    let configuration: PlanConfiguration.Feedback

    /// Lowers adjusted scores.
    ///
    /// After m impressions without a click, a score is divided by 1 + m / 24. Each dismissed group multiplies it by 1 −
    /// depth · closeness · 2^(−age / half-life). The closeness is the candidate's score in the dismissed group's list,
    /// relative to the best score there.
    ///
    /// - Returns: the number of lowered candidates.
    func apply(
        to candidates: inout [Candidate], exposures: [Exposure], dismissals: [Dismissal],
        atMilliseconds instant: Int64, in model: VisibleModel, _ relations: RelationTable
    ) -> Int {
        guard !exposures.isEmpty || !dismissals.isEmpty else { return 0 }
        let positions = GroupPositions(candidates.map(\.group))
        var factors = [Double](repeating: 1, count: candidates.count)
        for exposure in exposures {
            guard let position = positions[exposure.group] else { continue }
            factors[position] /= 1 + exposure.impressions / configuration.impressionsToHalf
        }
        for dismissal in dismissals {
            let ageDays = Double(max(0, instant - dismissal.atMilliseconds)) / 86_400_000
            let depth = configuration.dismissalDepth * exp2(-ageDays / configuration.dismissalHalfLifeDays)
            for (group, closeness) in Closeness.neighbours(of: dismissal.group, in: model, relations) {
                guard let position = positions[group] else { continue }
                factors[position] *= 1 - depth * closeness
            }
        }
        for position in candidates.indices { candidates[position].adjusted *= factors[position] }
        return factors.count { $0 < 1 }
    }
}

/// The closeness of a neighbour, above 0 and up to 1: its score divided by the best score of the list.
///
/// Closeness means the same for any similarity measure.
enum Closeness {
    /// Returns the neighbours in a group's lists of all relations of tables, each with its greatest closeness.
    static func neighbours(
        of group: UInt32, in model: VisibleModel, _ relations: RelationTable
    ) -> [UInt32: Double] {
        var closest: [UInt32: Double] = [:]
        for relation in model.relations where relations.isTabled(relation) {
            guard let best = model.bestScore(of: Int(group), by: relation), best > 0 else { continue }
            for neighbour in model.neighbours(of: Int(group), by: relation) {
                closest[neighbour.index] = max(closest[neighbour.index] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }

    /// Returns the closeness of some groups in another group's lists, by their positions in a table.
    ///
    /// Groups that are not in the lists are missing.
    static func toward(
        _ positions: GroupPositions, from group: UInt32, in model: VisibleModel, _ relations: RelationTable
    ) -> [Int: Double] {
        var closest: [Int: Double] = [:]
        for relation in model.relations where relations.isTabled(relation) {
            guard let best = model.bestScore(of: Int(group), by: relation), best > 0 else { continue }
            for neighbour in model.neighbours(of: Int(group), by: relation) {
                guard let position = positions[neighbour.index] else { continue }
                closest[position] = max(closest[position] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }
}
