/// The results of an experiment so far.
public struct ExperimentReport: Sendable {
    /// An arm compared with the first one in a measure.
    public struct Comparison: Sendable {
        /// The index of the arm, 1 or more.
        public let arm: Int
        /// The measure that is compared.
        public let measure: Measure
        /// The mean or ratio of the first arm, and of this one.
        public let control, value: Double
        /// The difference in units of the measure, or `nil` if it cannot be computed yet.
        public let absolute: Effect?
        /// The difference as a part of the first arm's value, or `nil` if it cannot be computed yet.
        public let relative: Effect?
        /// The p value of the absolute difference, corrected for the number of questions (Holm).
        ///
        /// The value is `nil` for guardrails, and where the difference cannot be computed.
        public internal(set) var adjustedPValue: Double?
    }

    /// The relative differences after a day.
    public struct Day: Sendable {
        /// The day, 0 for the first of the experiment.
        public let day: Int
        /// The differences by arm, from the second on, and by measure; one that cannot be computed yet is left out.
        public let effects: [[Measure: Effect]]
    }

    /// The members with similar numbers of groups.
    public struct Segment: Sendable {
        /// The least and the greatest number of groups, both inclusive.
        public let groupCounts: ClosedRange<Int>
        /// The number of members in each arm.
        public let memberCounts: [Int]
        /// The relative difference in joins by arm, from the second on; `nil` where it cannot be computed.
        public let joins: [Effect?]
    }

    /// The definition that was started.
    public let definition: ExperimentDefinition
    /// The number of members in each arm.
    public let memberCounts: [Int]
    /// The number of members who were shown lists of two arms, and are left out.
    public let crossedCount: Int
    /// The p value of the sample ratio.
    public let sampleRatioPValue: Double
    /// The Bayes factor of the counts, day by day: other weights against the given ones.
    public let sampleRatioEvidence: Double
    /// The comparisons of every arm but the first, in all measures, in their order.
    public let comparisons: [Comparison]
    /// All days so far, in their order.
    public let days: [Day]
    /// The segments, in the order of their numbers of groups.
    public let segments: [Segment]
    /// The number of pages shown in each arm, and of pages of lists that the client confirmed to have shown.
    public let pageCounts, confirmedPageCounts: [Int]

    /// The numbers of groups of the segments.
    public static let segmentBounds = [0...0, 1...4, 5...19, 20...Int.max]
    /// The greatest number of members in two arms, per thousand, with which a report can be trusted.
    private static let crossedPerThousand = 1

    /// The reason why the report cannot be trusted, or `nil` if there is none.
    public var distrust: String? {
        if sampleRatioPValue < SampleRatio.alarmBelow || sampleRatioEvidence >= SequentialSampleRatio.alarmFrom {
            let counts = zip(definition.arms, memberCounts).map { "\($0.name) \($1)" }.joined(separator: ", ")
            return "the arms do not have the members that their weights say (\(counts)): some are missing"
        }
        if crossedCount * 1000 > memberCounts.reduce(crossedCount, +) * Self.crossedPerThousand {
            return "\(crossedCount) members were shown lists of two arms"
        }
        return nil
    }
}

extension ExperimentReport {
    /// Creates a report.
    ///
    /// - Parameters:
    ///   - definition: the definition that was started.
    ///   - outcomes: the outcomes of all members who were shown a list of one arm.
    ///   - crossedCount: the number of members who were shown lists of two arms.
    ///   - dayCount: the number of days that have passed, 1 or more.
    /// - Complexity: O(events + days · (arms · measures + members who did something on that day)).
    public init(
        _ definition: ExperimentDefinition, _ outcomes: [MemberOutcome], crossedCount: Int = 0, dayCount: Int
    ) {
        self.definition = definition
        self.crossedCount = crossedCount
        let armCount = definition.arms.count
        var passing = PassingDays(outcomes, armCount: armCount, dayCount: dayCount)
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
        comparisons = Self.comparisons(passing.arms)
        segments = Self.segmentBounds.map { bounds in
            let members = outcomes.filter { bounds.contains($0.groupCount) }
            var passing = PassingDays(members, armCount: armCount, dayCount: dayCount)
            for day in 0..<dayCount { _ = passing.pass(day) }
            return Segment(
                groupCounts: bounds, memberCounts: passing.arms.map(\.count),
                joins: passing.arms.dropFirst().map { Effect(.joins, passing.arms[0], $0, isRelative: true) })
        }
        func pages(_ quantity: Quantity) -> [Int] {
            var counts = [Int](repeating: 0, count: armCount)
            for outcome in outcomes {
                for event in outcome.events where event.quantity == quantity {
                    counts[outcome.arm] += Int(event.amount)
                }
            }
            return counts
        }
        pageCounts = pages(.pages)
        confirmedPageCounts = pages(.confirmedPages)
    }

    private static func comparisons(_ arms: [ArmSums]) -> [Comparison] {
        var comparisons = (1..<arms.count).flatMap { arm in
            Measure.allCases.map { measure in
                Comparison(
                    arm: arm, measure: measure, control: arms[0].mean(measure).value,
                    value: arms[arm].mean(measure).value,
                    absolute: Effect(measure, arms[0], arms[arm], isRelative: false),
                    relative: Effect(measure, arms[0], arms[arm], isRelative: true))
            }
        }
        let asked = comparisons.indices.filter {
            !comparisons[$0].measure.isGuardrail && comparisons[$0].absolute != nil
        }
        let adjusted = Holm.adjusted(asked.map { comparisons[$0].absolute?.pValue ?? 1 })
        for (index, value) in zip(asked, adjusted) { comparisons[index].adjustedPValue = value }
        return comparisons
    }
}

/// The conclusion from a comparison.
public enum Conclusion: Sendable, Equatable {
    /// There is more of the measure than in the first arm, or less.
    case more, less
    /// No difference was found: there may be none, or a small one.
    case undecided
    /// There are too few members, or nobody did anything.
    case tooEarly
}

extension ExperimentReport {
    /// The probability of a wrong conclusion where there is no difference, over all measures together.
    public static let error = 0.05

    /// Returns the conclusion from a comparison.
    ///
    /// While the experiment runs, anyone may look again and again, so the anytime-valid confidence interval decides,
    /// with its error divided by the number of questions. Once the experiment has ended, Holm's p value decides. A
    /// guardrail is a question of its own, because overlooking harm is worse than suspecting it.
    ///
    /// - Parameters:
    ///   - comparison: a comparison of this report.
    ///   - isOver: whether the experiment has ended.
    ///   - tuningCount: the parameter of `Effect.alwaysValidInterval(error:tuningCount:)`.
    public func conclusion(of comparison: Comparison, isOver: Bool, tuningCount: Int) -> Conclusion {
        guard let effect = comparison.absolute else { return .tooEarly }
        let isReal: Bool
        if isOver {
            isReal = (comparison.adjustedPValue ?? effect.pValue) < Self.error
        } else {
            let questions = comparison.measure.isGuardrail ? 1 : comparisons.count { $0.adjustedPValue != nil }
            let error = Self.error / Double(max(1, questions))
            isReal = !effect.alwaysValidInterval(error: error, tuningCount: tuningCount).contains(0)
        }
        guard isReal else { return .undecided }
        return effect.difference > 0 ? .more : .less
    }
}
