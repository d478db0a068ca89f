import Basics
import CatalogStore
import Evaluation
import Experiments

/// A comparison of a plan's members with what members did before: whether they can find the plan's effect.
enum PlanSize {
    /// The possible durations of an experiment, in weeks.
    static let weeks = [1, 2, 4, 8, 12]

    /// Returns the sums of a measure over the members who did anything with a list, for the last weeks of each number.
    static func past(
        of measure: Measure, from catalog: Facts, atMilliseconds now: Int64
    ) throws(Failure) -> [(weeks: Int, sums: SampleSums)] {
        var past: [(weeks: Int, sums: SampleSums)] = []
        for weeks in weeks {
            let start = now - Int64(weeks) * 7 * ExperimentCourse.dayLength
            past.append((weeks, try Exposures(of: catalog).pastAmounts(of: measure, since: start, before: now)))
        }
        return past
    }

    /// Returns a warning if the members of a plan cannot find its effect, or if nothing tells; otherwise `nil`.
    ///
    /// An experiment lasts until so many members were shown lists. So the shortest span counts in which as many did
    /// anything.
    static func warning(
        about definition: ExperimentDefinition, from catalog: Facts, atMilliseconds now: Int64
    ) throws(Failure) -> String? {
        guard let plan = definition.plan, let count = plan.memberCount, let effect = plan.effect else { return nil }
        let (name, measure) = (definition.name, plan.decides)
        guard measure.hasBefore, !definition.isInterleaved else {
            let subject = definition.isInterleaved ? "votes between lists" : measure.rawValue
            return "\(name): nothing before it tells whether \(count) members are enough for \(subject)"
        }
        let past = try past(of: measure, from: catalog, atMilliseconds: now)
        guard let longest = past.last, longest.sums.mean > 0 else {
            return """
                \(name): nothing tells whether \(count) members are enough: there are no \(measure.rawValue) from lists \
                in the last \(weeks.last ?? 0) weeks
                """
        }
        let span = past.first { $0.sums.mean > 0 && $0.sums.count >= count } ?? longest
        let needed = neededMembers(definition, toFind: effect, span.sums)
        guard needed > count else { return nil }
        // The number of members grows with the inverse square of the effect.
        let found = effect * (Double(needed) / Double(count)).squareRoot()
        return """
            \(name): \(count) members are too few for a difference of \(Formats.difference(effect)) in \
            \(measure.rawValue): by the last \(span.weeks) weeks, \(needed) find it in 80 of 100 experiments, and \
            \(count) find \(Formats.difference(found))
            """
    }

    /// Returns the number of members of all arms with which the smallest arm's difference from the first is found.
    private static func neededMembers(
        _ definition: ExperimentDefinition, toFind effect: Double, _ sums: SampleSums
    ) -> Int {
        let weights = definition.weights
        let (first, least) = (weights[0], weights.dropFirst().min() ?? weights[0])
        let size = SampleSize(
            toFind: effect, ofMean: sums.mean, variance: sums.variance, firstPart: first / (first + least),
            error: ExperimentReport.error / Double(max(1, weights.count - 1)))
        let all = Double(size.memberCount) * weights.reduce(0, +) / (first + least)
        return all < Double(Int.max / 2) ? Int(all.rounded(.up)) : .max
    }
}
