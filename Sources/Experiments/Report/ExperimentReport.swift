/// What an experiment has shown so far.
public struct ExperimentReport: Sendable {
    /// An arm compared with the first one in a measure.
    public struct Comparison: Sendable {
        /// The index of the arm, 1 or more.
        public let arm: Int
        /// What is compared.
        public let measure: Measure
        /// The mean or ratio of the first arm, and of this one.
        public let control, value: Double
        /// The difference, in units of the measure; nil if it cannot be told yet.
        public let absolute: Effect?
        /// The difference as a part of the first arm's; nil if it cannot be told yet.
        public let relative: Effect?
        /// The p value of the absolute difference as if this were the only question (Holm); nil for guardrails and for
        /// what cannot be told.
        public internal(set) var adjustedPValue: Double?
    }

    /// The relative difference after each day.
    public struct Day: Sendable {
        /// From the first of the experiment on.
        public let day: Int
        /// By arm from the second on, then by measure; what cannot be told yet is left out.
        public let effects: [[Measure: Effect]]
    }

    /// Members alike in the number of their groups.
    public struct Segment: Sendable {
        /// Their numbers of groups, both inclusive.
        public let groupCounts: ClosedRange<Int>
        /// Members by arm.
        public let memberCounts: [Int]
        /// By arm from the second on: the relative difference in joins; nil where it cannot be told.
        public let joins: [Effect?]
    }

    /// The definition that was started.
    public let definition: ExperimentDefinition
    /// Members by arm.
    public let memberCounts: [Int]
    /// Members who were shown lists of two arms, and are left out.
    public let crossedCount: Int
    /// The p value of the sample ratio.
    public let sampleRatioPValue: Double
    /// How many times more likely the counts, day by day, are with other weights.
    public let sampleRatioEvidence: Double
    /// Of every arm but the first: all measures, in their order.
    public let comparisons: [Comparison]
    /// All days so far, in their order.
    public let days: [Day]
    /// In the order of their numbers of groups.
    public let segments: [Segment]
    /// Pages shown, and those whose list the client confirmed to have shown, by arm.
    public let pageCounts, confirmedPageCounts: [Int]

    /// The numbers of groups of the segments.
    public static let segmentBounds = [0...0, 1...4, 5...19, 20...Int.max]
    /// Of a thousand members, so many may be in two arms before a report says that it cannot be trusted.
    private static let crossedPerThousand = 1

    /// Why nothing of it can be trusted; nil if nothing speaks against it.
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
    /// A report.
    ///
    /// - Parameters:
    ///   - definition: as it was started.
    ///   - outcomes: of all members who were shown a list of one arm.
    ///   - crossedCount: how many were shown lists of two.
    ///   - dayCount: how many days have passed, 1 or more.
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

/// What may be concluded of a comparison.
public enum Conclusion: Sendable, Equatable {
    /// There is more of it than in the first arm, or less.
    case more, less
    /// A difference was not found: there may be none, or a small one.
    case undecided
    /// Too few members, or nobody did anything.
    case tooEarly
}

extension ExperimentReport {
    /// How often a conclusion is wrong where there is no difference, over all measures together.
    public static let error = 0.05

    /// What may be concluded of a comparison.
    ///
    /// While the experiment runs, whoever looks may look again: then the always-valid interval decides, with the error
    /// divided by the number of questions. Once it has ended, Holm's p value does. A guardrail is a question of its
    /// own, because to overlook harm is worse than to suspect it.
    ///
    /// - Parameters:
    ///   - isOver: whether the experiment has ended.
    ///   - tuningCount: of always-valid intervals, as of `Effect.alwaysValidInterval`.
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
