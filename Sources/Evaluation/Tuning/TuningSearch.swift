import Model
import Similarity

/// Looks for good settings: from several starts downhill, one parameter at a time with ever smaller steps (pattern
/// search; Hooke and Jeeves 1961), then again from settings nearby.
///
/// What it tries next depends on the results alone. A search that begins again with the results of an earlier one goes
/// on where that one was.
struct TuningSearch {
    /// On how many members settings are measured.
    enum Sample: String, Codable, Hashable {
        /// A part of them, to sort out what is far worse.
        case few
        case all
    }

    /// There is no time for another measurement.
    struct TimeIsUp: Error {}

    /// How good settings are: greater is better.
    typealias Measure = (_ settings: TunedSettings, _ sample: Sample) throws(TimeIsUp) -> Double

    /// What is tried first; the usual settings are the first of them.
    let starts: [TunedSettings]
    /// The relation of memberships, whose weight is 1.
    let membership: Relation
    /// The most pairs that a group keeps.
    let limit: Int

    /// Settings and how good they are.
    private struct Found {
        var settings: TunedSettings
        var value: Double
    }

    /// An improvement must be at least this part of what there is, or it is chance.
    private static let leastRise = 0.0005
    /// How many of the best go on from one stage to the next.
    private static let survivors = 3
    /// How often it begins again nearby without finding better settings before it gives up.
    private static let patience = 12

    /// The best settings that were found in time.
    func best(_ measure: Measure) -> TunedSettings {
        var ranked: [Found] = []
        do throws(TimeIsUp) {
            for start in starts { ranked.append(Found(settings: start, value: try measure(start, .few))) }
            ranked.sort { $0.value > $1.value }
            for index in ranked.prefix(Self.survivors).indices {
                try refine(&ranked[index], .few, sizes: index == 0 ? [1, 0.5] : [1], measure)
            }
        } catch {}
        ranked.sort { $0.value > $1.value }
        guard let first = ranked.first else { return starts[0] }
        // What is best on a part of the members need not be best on all.
        var finalists: [Found] = []
        var best = Found(settings: first.settings, value: -.infinity)
        do throws(TimeIsUp) {
            for settings in ranked.prefix(Self.survivors).map(\.settings) + [starts[0]] {
                finalists.append(Found(settings: settings, value: try measure(settings, .all)))
            }
            finalists.sort { $0.value > $1.value }
            for index in finalists.indices { try refine(&finalists[index], .all, sizes: [0.5], measure) }
        } catch {}
        for found in finalists where found.value > best.value { best = found }
        do throws(TimeIsUp) {
            try refine(&best, .all, sizes: [0.25], measure)
            try restart(&best, measure)
        } catch {}
        return best.settings
    }

    /// Begins again near the best settings, for as long as that finds better ones.
    private func restart(_ best: inout Found, _ measure: Measure) throws(TimeIsUp) {
        var random = Steps(state: 1)
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
            var found = Found(settings: settings, value: try measure(settings, .all))
            // On the way down better settings are noted at once: time may be up before its end.
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

    /// Steps of each size until none is better.
    private func refine(_ found: inout Found, _ sample: Sample, sizes: [Double], _ measure: Measure) throws(TimeIsUp) {
        for size in sizes { while try pass(&found, sample, size: size, measure) {} }
    }

    /// Tries a step up and down of every parameter, and goes on in a direction for as long as it gets better.
    ///
    /// - Returns: whether it got better.
    private func pass(_ found: inout Found, _ sample: Sample, size: Double, _ measure: Measure) throws(TimeIsUp) -> Bool
    {
        var improved = false
        for relation in found.settings.relations {
            for parameter in parameters(of: relation) {
                for up in [true, false] {
                    var isFirst = true
                    while let next = step(found.settings, relation, parameter, size: size, up: up) {
                        let value = try measure(next, sample)
                        guard value > found.value * (1 + Self.leastRise) else { break }
                        found = Found(settings: next, value: value)
                        (improved, isFirst) = (true, false)
                        // The other choice is where it came from.
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
        // Without a weight nothing else of a relation matters; that of memberships only gives the scale.
        TuningParameter.allCases.filter { relation != membership || $0 != .weight }
    }
}

/// The same numbers in every run (SplitMix64; Steele, Lea, Flood 2014).
private struct Steps {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
