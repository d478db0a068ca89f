import Model
import Similarity

/// A search for good settings: pattern search (Hooke and Jeeves 1961) from several starts, then from settings nearby.
///
/// Pattern search changes one parameter at a time, in ever smaller steps. Each trial depends only on earlier results. A
/// repeated search with the results of an earlier one therefore continues it.
struct TuningSearch {
    /// The members that settings are measured on.
    enum Sample: String, Codable, Hashable {
        /// A part of the members, to drop settings that are far worse.
        case few
        case all
    }

    /// The error if there is no time for another measurement.
    struct DeadlineReached: Error {}

    /// A function that measures the quality of settings; greater is better.
    typealias Measure = (_ settings: TunedSettings, _ sample: Sample) throws(DeadlineReached) -> Double

    /// The settings to try first; the usual settings are the first of them.
    let starts: [TunedSettings]
    /// The relation of memberships, whose weight is 1.
    let membership: Relation
    /// The most pairs that a group keeps.
    let limit: Int

    /// Settings with their quality.
    private struct ScoredSettings {
        var settings: TunedSettings
        var value: Double
    }

    /// The least relative improvement; a smaller one may be chance.
    private static let leastRise = 0.0005
    /// The number of the best settings that go on from one stage to the next.
    private static let survivors = 3
    /// The number of failed restarts before the search ends.
    private static let patience = 12

    /// Returns the best settings that were found in time.
    func best(_ measure: Measure) -> TunedSettings {
        var ranked: [ScoredSettings] = []
        do throws(DeadlineReached) {
            for start in starts { ranked.append(ScoredSettings(settings: start, value: try measure(start, .few))) }
            ranked.sort { $0.value > $1.value }
            for index in ranked.prefix(Self.survivors).indices {
                try refine(&ranked[index], .few, sizes: index == 0 ? [1, 0.5] : [1], measure)
            }
        } catch {}
        ranked.sort { $0.value > $1.value }
        guard let first = ranked.first else { return starts[0] }
        // The best settings for a part of the members need not be the best for all.
        var finalists: [ScoredSettings] = []
        var best = ScoredSettings(settings: first.settings, value: -.infinity)
        do throws(DeadlineReached) {
            for settings in ranked.prefix(Self.survivors).map(\.settings) + [starts[0]] {
                finalists.append(ScoredSettings(settings: settings, value: try measure(settings, .all)))
            }
            finalists.sort { $0.value > $1.value }
            for index in finalists.indices { try refine(&finalists[index], .all, sizes: [0.5], measure) }
        } catch {}
        for found in finalists where found.value > best.value { best = found }
        do throws(DeadlineReached) {
            try refine(&best, .all, sizes: [0.25], measure)
            try restart(&best, measure)
        } catch {}
        return best.settings
    }

    /// Restarts near the best settings until that finds no better ones.
    private func restart(_ best: inout ScoredSettings, _ measure: Measure) throws(DeadlineReached) {
        var random = SplitMix64(seed: 1)
        var failures = 0
        while failures < Self.patience {
            var settings = best.settings
            for relation in settings.relations {
                for parameter in parameters(of: relation) where parameter != .cut {
                    guard let part = settings[relation], random.next() % 2 == 0 else { continue }
                    let moved = parameter.step(from: part, size: 0.5, up: random.next() % 2 == 0)
                    if let moved, moved.limit <= limit { settings[relation] = moved }
                }
            }
            var found = ScoredSettings(settings: settings, value: try measure(settings, .all))
            // Better settings are noted at once, because time may run out in the middle.
            while try pass(&found, .all, size: 0.5, measure) {
                if found.value > best.value { best = found }
            }
            while try pass(&found, .all, size: 0.25, measure) {
                if found.value > best.value {
                    best = found
                    failures = 0
                }
            }
            failures += 1
        }
    }

    /// Makes steps of each size until none is an improvement.
    private func refine(_ found: inout ScoredSettings, _ sample: Sample, sizes: [Double], _ measure: Measure)
        throws(DeadlineReached)
    {
        for size in sizes { while try pass(&found, sample, size: size, measure) {} }
    }

    /// Tries a step up and down of every parameter, and repeats a step that improves.
    ///
    /// - Returns: Whether anything improved.
    private func pass(_ found: inout ScoredSettings, _ sample: Sample, size: Double, _ measure: Measure)
        throws(DeadlineReached) -> Bool
    {
        var improved = false
        for relation in found.settings.relations {
            for parameter in parameters(of: relation) {
                for up in [true, false] {
                    var isFirst = true
                    while let next = step(found.settings, relation, parameter, size: size, up: up) {
                        let value = try measure(next, sample)
                        guard value > found.value * (1 + Self.leastRise) else { break }
                        found = ScoredSettings(settings: next, value: value)
                        (improved, isFirst) = (true, false)
                        // There are two choices; the other one is the previous one.
                        if parameter == .cut { break }
                    }
                    if !isFirst { break }
                }
            }
        }
        return improved
    }

    private func step(
        _ settings: TunedSettings, _ relation: Relation, _ parameter: TuningParameter, size: Double, up: Bool
    ) -> TunedSettings? {
        guard let part = settings[relation], let next = parameter.step(from: part, size: size, up: up),
            next.limit <= limit
        else { return nil }
        var changed = settings
        changed[relation] = next
        return changed
    }

    private func parameters(of relation: Relation) -> [TuningParameter] {
        // The weight of memberships is fixed: it sets the scale of the other weights.
        TuningParameter.allCases.filter { relation != membership || $0 != .weight }
    }
}
