import Glibc
import Model

/// Lowers groups for a while: those shown without a click, and those similar to a dismissed one.
struct Damping {
    let configuration: PlanConfiguration.Feedback

    /// Lowers adjusted scores.
    ///
    /// After m impressions without a click, the score is divided by 1 + m / 24. For each dismissed group it is
    /// multiplied by 1 − depth · closeness · 2^(−age / half-life), where closeness is the score in the dismissed
    /// group's list relative to the best score there.
    ///
    /// - Returns: how many candidates were lowered.
    func apply(
        to candidates: inout [Candidate], exposures: [Exposure], dismissals: [Dismissal],
        atMilliseconds instant: Int64, in model: VisibleModel
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
            for (group, closeness) in Closeness.neighbours(of: dismissal.group, in: model) {
                guard let position = positions[group] else { continue }
                factors[position] *= 1 - depth * closeness
            }
        }
        for position in candidates.indices { candidates[position].adjusted *= factors[position] }
        return factors.count { $0 < 1 }
    }
}

/// The closeness of a neighbour, above 0 and up to 1, for any measure: its score divided by the best score of the list.
enum Closeness {
    /// The neighbours in a group's lists of all relations, each with its greatest closeness.
    static func neighbours(of group: UInt32, in model: VisibleModel) -> [UInt32: Double] {
        var closest: [UInt32: Double] = [:]
        for relation in model.relations {
            guard let best = model.bestScore(of: Int(group), by: relation), best > 0 else { continue }
            for neighbour in model.neighbours(of: Int(group), by: relation) {
                closest[neighbour.index] = max(closest[neighbour.index] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }

    /// The closeness of the groups of a table in another group's lists, by their positions in the table; groups that
    /// are not in the lists are missing.
    static func toward(_ positions: GroupPositions, from group: UInt32, in model: VisibleModel) -> [Int: Double] {
        var closest: [Int: Double] = [:]
        for relation in model.relations {
            guard let best = model.bestScore(of: Int(group), by: relation), best > 0 else { continue }
            for neighbour in model.neighbours(of: Int(group), by: relation) {
                guard let position = positions[neighbour.index] else { continue }
                closest[position] = max(closest[position] ?? 0, Double(neighbour.score / best))
            }
        }
        return closest
    }
}
