import Glibc
import Model

/// What makes groups sink for a while: being shown without a click, and being like what was dismissed.
struct Damping {
    let configuration: PlanConfiguration.Feedback

    /// Lowers adjusted scores.
    ///
    /// Shown: score ÷ (1 + m / 24), m impressions without a click. Like a dismissed group: times
    /// 1 − depth · closeness · 2^(−age / half-life) for each, where closeness is its score in the dismissed group's
    /// list, in parts of the best score there.
    ///
    /// - Returns: how many candidates sank.
    func apply(
        to candidates: inout [Candidate], exposures: [Exposure], dismissals: [Dismissal],
        atMilliseconds instant: Int64, in model: ModelVersion
    ) -> Int {
        guard !exposures.isEmpty || !dismissals.isEmpty else { return 0 }
        let places = GroupPlaces(candidates.map(\.group))
        var factors = [Double](repeating: 1, count: candidates.count)
        for exposure in exposures {
            guard let place = places[exposure.group] else { continue }
            factors[place] /= 1 + exposure.impressions / configuration.impressionsToHalf
        }
        for dismissal in dismissals where Int(dismissal.group) < model.groupCount {
            let ageDays = Double(max(0, instant - dismissal.atMilliseconds)) / 86_400_000
            let depth = configuration.dismissalDepth * exp2(-ageDays / configuration.dismissalHalfLifeDays)
            for (group, closeness) in Closeness.neighbours(of: dismissal.group, in: model) {
                guard let place = places[group] else { continue }
                factors[place] *= 1 - depth * closeness
            }
        }
        for place in candidates.indices { candidates[place].adjusted *= factors[place] }
        return factors.count { $0 < 1 }
    }
}
