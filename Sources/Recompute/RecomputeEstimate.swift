package import CatalogStore
package import Model

/// An estimate of the work, the duration and the memory of a recompute.
package struct RecomputeEstimate: Sendable, Equatable {
    package let work: [Relation: WorkEstimate]
    /// Wall time in seconds.
    package let seconds: Double
    /// The peak resident memory, in bytes.
    package let memoryBytes: Int
    /// The steps and their expected seconds.
    let steps: [Forecast.Step]

    init(_ amounts: JobAmounts) {
        work = amounts.work
        memoryBytes = amounts.memoryBytes
        steps = JobStep.all(of: amounts.relations).compactMap { step in
            step.seconds(amounts).map { seconds in
                Forecast.Step(name: step.name, expectedSeconds: amounts.learnedSeconds(of: step) ?? seconds)
            }
        }
        seconds = steps.reduce(0) { $0 + $1.expectedSeconds }
    }
}

extension JobAmounts {
    /// Returns the duration that an earlier version predicts for a step, or `nil` if it says nothing about it.
    fileprivate func learnedSeconds(of step: JobStep) -> Double? {
        guard let previous, let seconds = previous.steps.first(where: { $0.name == step.name })?.seconds else {
            return nil
        }
        switch step.growth {
        case .none: return nil
        case .steady: return seconds
        case .rows(let relation):
            guard let then = previous[relation]?.entries, then > 0, let now = work[relation]?.rows else { return nil }
            return seconds * Double(now) / Double(then)
        }
    }

    /// The peak resident memory in bytes, with measured factors.
    ///
    /// - Reading keeps the rows twice, and comparing keeps some of them three times.
    /// - Tags and places are in memory together with the photos' matrix.
    /// - Published members are encoded after the matrices are gone, with about 6 bytes for a membership.
    /// - Lists are there twice: as pairs and sorted, then as found and as bytes.
    /// - Recent entries stay until the trends are counted.
    fileprivate var memoryBytes: Int {
        let comparing = (work.values.map(\.rows).max() ?? 0) * 14
        // Each thread reads photos and tags into arrays that grow by doubling. Then the same is stored in the order of
        // photos. The texts of rare tags come on top.
        let describing =
            rows(.pool) * 4 + content.photos * 28 + content.tags * 8 + min(content.tags, 4_000_000) * 60
        let recent = work.values.reduce(0) { $0 + $1.recentRows } * 12
        // Values with ids and buckets of users who joined some tens of groups each.
        let publishing = memberRows * 10
        return (48 << 20) + max(comparing, describing, publishing) + recent + neighbours * 32 + told * 4
    }
}
