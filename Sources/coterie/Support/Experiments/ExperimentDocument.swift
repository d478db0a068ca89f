import Experiments

/// The report of an experiment as JSON.
struct ExperimentDocument: Encodable {
    struct Arm: Encodable {
        var name: String
        var members, pages, confirmedPages: Int
    }

    /// A difference relative to the first arm.
    ///
    /// `lower` and `upper` are of a single look, so they are there at the planned end only.
    struct Difference: Encodable {
        var difference: Double
        var lower, upper: Double?
        var alwaysValidLower, alwaysValidUpper: Double
    }

    struct Comparison: Encodable {
        var arm, measure: String
        /// Whether the plan named the measure as the one that decides.
        var decides: Bool
        var isGuardrail: Bool
        /// The two values, with members' amounts capped; the difference may also be adjusted by the weeks before.
        var control, value: Double
        var isAdjusted: Bool
        var relative: Difference?
        /// P values of the absolute difference at the planned end; `holmPValue` is corrected for multiple comparisons.
        var pValue, holmPValue: Double?
        /// The conclusion: `more`, `less`, `undecided` or `tooEarly`.
        var conclusion: String
    }

    struct Segment: Encodable {
        var fewestGroups: Int
        var mostGroups: Int?
        var members: [Int]
        /// The difference of each arm from the second on.
        var joins: [Difference?]
    }

    struct Definition: Encodable {
        var measure, definition: String
        /// The amount at which a member's is capped, or `nil` if it is not.
        var cap: Double?
    }

    var experiment: String
    var course: CourseDocument
    var arms: [Arm]
    var crossedMembers: Int
    var sampleRatioPValue, sampleRatioEvidence: Double
    var health: [HealthDocument]
    /// The reason that the report cannot be trusted; it then has no comparisons.
    var distrust: String?
    var measures: [Definition] = []
    var comparisons: [Comparison] = []
    var segments: [Segment] = []

    private enum CodingKeys: CodingKey {
        case experiment, arms, crossedMembers, sampleRatioPValue, sampleRatioEvidence, health, distrust, measures
        case comparisons, segments
    }

    func encode(to encoder: any Encoder) throws {
        try course.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(experiment, forKey: .experiment)
        try fields.encode(arms, forKey: .arms)
        try fields.encode(crossedMembers, forKey: .crossedMembers)
        try fields.encode(sampleRatioPValue, forKey: .sampleRatioPValue)
        try fields.encode(sampleRatioEvidence, forKey: .sampleRatioEvidence)
        try fields.encode(health, forKey: .health)
        try fields.encodeIfPresent(distrust, forKey: .distrust)
        try fields.encode(measures, forKey: .measures)
        try fields.encode(comparisons, forKey: .comparisons)
        try fields.encode(segments, forKey: .segments)
    }
}

/// The plan and the time of a report as JSON; its members are those of the document.
struct CourseDocument: Encodable {
    var plan: ExperimentPlan?
    /// The stage: `running`, `stoppedEarly` or `ended`.
    var stage: ExperimentCourse.Stage
    /// Whether nobody is assigned any more.
    var isOver: Bool
    var days: Int
    var startedAtMilliseconds, endMilliseconds, knownUntilMilliseconds: Int64

    init(_ entry: ExperimentRegister.Entry, _ course: ExperimentCourse) {
        plan = entry.definition.plan
        stage = course.stage
        isOver = !entry.runs(atMilliseconds: course.now)
        days = course.dayCount
        (startedAtMilliseconds, endMilliseconds) = (course.startedAt, course.end)
        knownUntilMilliseconds = course.now
    }
}

/// A check of a report's health as JSON.
struct HealthDocument: Encodable {
    var name, seen, expected: String
    /// The state: `good`, `note` or `alarm`.
    var state: String

    init(_ check: ExperimentCheck) {
        (name, seen, expected, state) = (check.name, check.seen, check.expected, check.state.rawValue)
    }
}

extension ExperimentWords {
    var document: ExperimentDocument {
        let arms = report.definition.arms.map(\.name)
        var document = ExperimentDocument(
            experiment: report.definition.name, course: CourseDocument(entry, report.course),
            arms: arms.indices.map {
                .init(
                    name: arms[$0], members: report.memberCounts[$0], pages: report.pageCounts[$0],
                    confirmedPages: report.confirmedPageCounts[$0])
            },
            crossedMembers: report.crossedCount, sampleRatioPValue: report.sampleRatioPValue,
            // JSON cannot represent infinity.
            sampleRatioEvidence: min(report.sampleRatioEvidence, .greatestFiniteMagnitude),
            health: report.health.map(HealthDocument.init), distrust: report.distrust)
        guard report.distrust == nil else { return document }
        document.measures = Measure.allCases.map { measure in
            .init(measure: measure.rawValue, definition: measure.definition, cap: report.caps.limit(of: measure))
        }
        document.comparisons = report.comparisons.map { comparison in
            let isFinal = report.course.isFinal(comparison.measure)
            return .init(
                arm: arms[comparison.arm], measure: comparison.measure.rawValue,
                decides: comparison.measure == report.decides, isGuardrail: comparison.measure.isGuardrail,
                control: comparison.control, value: comparison.value, isAdjusted: comparison.isAdjusted,
                relative: comparison.relative.map { difference($0, isFinal: isFinal) },
                pValue: isFinal ? comparison.absolute?.pValue : nil,
                holmPValue: isFinal ? comparison.adjustedPValue : nil,
                conclusion: "\(report.conclusion(of: comparison, tuningCount: tuningCount))")
        }
        document.segments = report.segments.map { segment in
            .init(
                fewestGroups: segment.groupCounts.lowerBound,
                mostGroups: segment.groupCounts.upperBound == .max ? nil : segment.groupCounts.upperBound,
                members: segment.memberCounts,
                joins: segment.joins.map { $0.map { difference($0, isFinal: report.course.isFinal(.joins)) } })
        }
        return document
    }

    private func difference(_ effect: Effect, isFinal: Bool) -> ExperimentDocument.Difference {
        let always = effect.alwaysValidInterval(tuningCount: tuningCount)
        let interval = isFinal ? effect.interval() : nil
        return .init(
            difference: effect.difference, lower: interval?.lower, upper: interval?.upper,
            alwaysValidLower: always.lower, alwaysValidUpper: always.upper)
    }
}
