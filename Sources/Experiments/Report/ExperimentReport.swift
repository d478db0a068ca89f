/// The results of an experiment so far.
package struct ExperimentReport: Sendable {
    /// An arm compared with the first one in a measure.
    package struct Comparison: Sendable {
        /// The index of the arm, 1 or more.
        package let arm: Int
        package let measure: Measure
        /// The mean or ratio of the first arm, and of this one.
        package let control, value: Double
        /// The difference in units of the measure, or `nil` if it cannot be computed yet.
        package let absolute: Effect?
        /// The difference as a part of the first arm's value, or `nil` if it cannot be computed yet.
        package let relative: Effect?
        /// The p value of the absolute difference, corrected for the number of questions (Holm).
        ///
        /// The value is `nil` for guardrails, and where the difference cannot be computed.
        package internal(set) var adjustedPValue: Double?
        /// Whether the difference, but not the two values, is without what the weeks before explain.
        package let isAdjusted: Bool
    }

    /// The relative differences after a day.
    package struct Day: Sendable {
        /// The day, 0 for the first of the experiment.
        package let day: Int
        /// The differences by arm, from the second on, and by measure; one that cannot be computed yet is left out.
        package let effects: [[Measure: Effect]]
    }

    /// The members with similar numbers of groups.
    package struct Segment: Sendable {
        /// The least and the greatest number of groups, both inclusive.
        package let groupCounts: ClosedRange<Int>
        /// The number of members in each arm.
        package let memberCounts: [Int]
        /// The relative difference in joins by arm, from the second on; `nil` where it cannot be computed.
        package let joins: [Effect?]
    }

    /// The definition that was started.
    package let definition: ExperimentDefinition
    /// The time that the experiment has taken.
    package let course: ExperimentCourse
    package let caps: AmountCaps
    /// The checks of what would make the report wrong.
    package let health: [ExperimentCheck]
    /// The number of members in each arm.
    package let memberCounts: [Int]
    /// The number of members who were shown lists of two arms, and are left out.
    package let crossedCount: Int
    package let sampleRatioPValue: Double
    /// The Bayes factor of the counts, day by day: other weights against the given ones.
    package let sampleRatioEvidence: Double
    /// The comparisons of every arm but the first, in all measures, in their order.
    package let comparisons: [Comparison]
    /// All days so far, in their order.
    package let days: [Day]
    /// The segments, in the order of their numbers of groups.
    package let segments: [Segment]
    /// The number of pages shown in each arm, and of pages of lists that the client confirmed to have shown.
    package let pageCounts, confirmedPageCounts: [Int]

    /// The numbers of groups of the segments.
    package static let segmentBounds = [0...0, 1...4, 5...19, 20...Int.max]

    /// The reason why the report cannot be trusted, or `nil` if there is none.
    package var distrust: String? { health.distrust }

    /// The measure that decides, or `nil` if no plan names one.
    package var decides: Measure? { definition.plan?.decides }
}

extension ExperimentReport {
    /// Creates a report.
    ///
    /// - Parameters:
    ///   - outcomes: the outcomes of all members who were shown a list of one arm.
    ///   - course: the time that the experiment has taken.
    ///   - facts: further facts about its health.
    /// - Complexity: O(events + days · (arms · measures + members who did something on that day)).
    package init(
        _ definition: ExperimentDefinition, _ outcomes: [MemberOutcome], course: ExperimentCourse,
        facts: HealthFacts = HealthFacts()
    ) {
        self.definition = definition
        self.course = course
        crossedCount = facts.crossedCount
        let (armCount, dayCount) = (definition.arms.count, course.dayCount)
        let caps = Self.caps(definition.plan, outcomes, armCount: armCount, dayCount: dayCount)
        self.caps = caps
        var passing = PassingDays(outcomes, armCount: armCount, dayCount: dayCount, caps)
        var sequential = SequentialSampleRatio(weights: definition.weights)
        var days: [Day] = []
        for day in 0..<dayCount {
            sequential.add(passing.pass(day))
            let effects = (1..<armCount).map { arm in
                Measure.allCases.reduce(into: [Measure: Effect]()) { effects, measure in
                    effects[measure] = Effect(measure, passing.arms[0], passing.arms[arm], isRelative: true)
                }
            }
            days.append(Day(day: day, effects: effects))
        }
        self.days = days
        memberCounts = passing.arms.map(\.count)
        sampleRatioPValue = SampleRatio.pValue(counts: memberCounts, weights: definition.weights)
        sampleRatioEvidence = sequential.evidence
        comparisons = Self.comparisons(passing.arms, decides: definition.plan?.decides)
        segments = Self.segmentBounds.map { bounds in
            let members = outcomes.filter { bounds.contains($0.groupCount) }
            var passing = PassingDays(members, armCount: armCount, dayCount: dayCount, caps)
            for day in 0..<dayCount { _ = passing.pass(day) }
            return Segment(
                groupCounts: bounds, memberCounts: passing.arms.map(\.count),
                joins: passing.arms.dropFirst().map { Effect(.joins, passing.arms[0], $0, isRelative: true) })
        }
        func pages(_ quantity: Quantity) -> [Int] {
            var counts = [Int](repeating: 0, count: armCount)
            for (outcome, totals) in zip(outcomes, passing.totals) {
                counts[outcome.arm] += Int(totals[quantity.rawValue])
            }
            return counts
        }
        pageCounts = pages(.pages)
        confirmedPageCounts = pages(.confirmedPages)
        let ratio = SampleRatio.check(
            zip(definition.arms.map(\.name), memberCounts).map { ($0, $1) }, pValue: sampleRatioPValue,
            evidence: sampleRatioEvidence)
        let names = definition.arms.map(\.name)
        let members = zip(outcomes, passing.totals).map { (arm: $0.arm, totals: $1) }
        health =
            [Self.presence(outcomes.count), ratio] + Self.rare(facts, of: outcomes.count)
            + ArmCheck.all.map { $0.check(names, members, caps) }
            + [
                Dominance.check(definition.plan?.decides ?? .joins, outcomes, passing.totals, caps),
                ListSource.check(facts.sources, names),
            ]
    }

    /// Returns the health of an experiment whose lists are interleaved, so that all members are in one arm.
    package static func interleavedHealth(
        _ outcomes: [MemberOutcome], course: ExperimentCourse, facts: HealthFacts
    ) -> [ExperimentCheck] {
        var passing = PassingDays(outcomes, armCount: 1, dayCount: course.dayCount, AmountCaps())
        for day in 0..<course.dayCount { _ = passing.pass(day) }
        let members = passing.totals.map { (arm: 0, totals: $0) }
        let names = [AssignedArm.interleaved]
        return [Self.presence(outcomes.count)] + Self.rare(facts, of: outcomes.count)
            + ArmCheck.all.map { $0.check(names, members, AmountCaps()) }
            + [ListSource.check(facts.sources, names)]
    }

    /// Returns the caps of a plan, from what the members did up to now; without a plan, nothing is capped.
    private static func caps(
        _ plan: ExperimentPlan?, _ outcomes: [MemberOutcome], armCount: Int, dayCount: Int
    ) -> AmountCaps {
        guard let plan else { return AmountCaps() }
        var passing = PassingDays(outcomes, armCount: armCount, dayCount: dayCount, AmountCaps())
        for day in 0..<dayCount { _ = passing.pass(day) }
        return AmountCaps(plan.cap, totals: passing.totals, before: outcomes.map(\.before))
    }

    /// The greatest number of members without a clear arm or time, per thousand, with which a report can be trusted.
    private static let rarePerThousand = 1

    /// Returns the check that there is anything to report: records of what was shown may all be lost, or still wait.
    private static func presence(_ count: Int) -> ExperimentCheck {
        ExperimentCheck(
            "members", seen: count > 0 ? "\(count)" : "no member is known to have been shown a list",
            expected: "1 or more", count > 0 ? .good : .alarm)
    }

    /// Returns the checks of members who cannot be counted, of whom there may be a few.
    private static func rare(_ facts: HealthFacts, of others: Int) -> [ExperimentCheck] {
        let expected = "at most \(rarePerThousand) in 1,000"
        return [
            ("members in two arms", facts.crossedCount, expected + "; left out"),
            ("members shown lists before the start or in the future", facts.misplacedCount, expected + ": clocks"),
        ].map { name, count, expected in
            ExperimentCheck(
                name, seen: "\(count)", expected: expected,
                count * 1000 > (count + others) * rarePerThousand ? .alarm : .good)
        }
    }

    /// Returns the comparisons; the measure that decides is one question, all other measures are questions of their
    /// own.
    private static func comparisons(_ arms: [ArmSums], decides: Measure?) -> [Comparison] {
        var comparisons = (1..<arms.count).flatMap { arm in
            Measure.allCases.map { measure in
                Comparison(
                    arm: arm, measure: measure, control: arms[0].mean(measure).value,
                    value: arms[arm].mean(measure).value,
                    absolute: Effect(measure, arms[0], arms[arm], isRelative: false),
                    relative: Effect(measure, arms[0], arms[arm], isRelative: true),
                    isAdjusted: Effect.isAdjusted(measure, arms[0], arms[arm]))
            }
        }
        for isDecisive in [true, false] {
            let asked = comparisons.indices.filter {
                let measure = comparisons[$0].measure
                return comparisons[$0].absolute != nil && (measure == decides) == isDecisive
                    && (isDecisive || !measure.isGuardrail)
            }
            let adjusted = Holm.adjusted(asked.map { comparisons[$0].absolute?.pValue ?? 1 })
            for (index, value) in zip(asked, adjusted) { comparisons[index].adjustedPValue = value }
        }
        return comparisons
    }
}

/// The conclusion from a comparison.
package enum Conclusion: Sendable, Equatable {
    /// There is more of the measure than in the first arm, or less.
    case more, less
    /// No difference was found: there may be none, or a small one.
    case undecided
    /// There are too few members, or nobody did anything.
    case tooEarly
}

extension ExperimentReport {
    /// The probability of a wrong conclusion where there is no difference, over all measures together.
    package static let error = 0.05

    /// Returns the conclusion from a comparison.
    ///
    /// Anyone may look again and again, and stop at a good moment. So the always-valid interval decides, with its error
    /// divided by the number of questions. Only if the planned end has come, Holm's p value decides. The measure that
    /// decides is a question apart from the others. So is a guardrail, because overlooking harm is worse than
    /// suspecting it.
    ///
    /// - Parameter tuningCount: the parameter of `Effect.alwaysValidInterval(error:tuningCount:)`.
    package func conclusion(of comparison: Comparison, tuningCount: Int) -> Conclusion {
        guard let effect = comparison.absolute else { return .tooEarly }
        let isReal =
            if course.isFinal(comparison.measure) {
                (comparison.adjustedPValue ?? effect.pValue) < Self.error
            } else {
                !effect.alwaysValidInterval(error: error(of: comparison), tuningCount: tuningCount).contains(0)
            }
        guard isReal else { return .undecided }
        return effect.difference > 0 ? .more : .less
    }

    /// Returns the error of a comparison's always-valid interval: `error`, shared by all questions of its kind.
    package func error(of comparison: Comparison) -> Double {
        guard comparison.adjustedPValue != nil else { return Self.error }
        let isDecisive = comparison.measure == decides
        let questions = comparisons.count { $0.adjustedPValue != nil && ($0.measure == decides) == isDecisive }
        return Self.error / Double(max(1, questions))
    }

    /// The number of members at which always-valid intervals are narrowest, as the plan chose it.
    package var plannedTuningCount: Int { definition.plan?.memberCount ?? Effect.usualTuningCount }
}
