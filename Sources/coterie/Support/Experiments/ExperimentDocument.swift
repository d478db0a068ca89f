import Answers
import Experiments
import Model

/// The report of an experiment as JSON.
extension ExperimentWords: Answer {
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.course)
        fields.always("experiment", \.report.definition.name, "The experiment")
        fields.always("arms", \.arms, "The arms")
        fields.always("crossedMembers", \.report.crossedCount, "Members who were shown several arms")
        fields.always("sampleRatioPValue", \.report.sampleRatioPValue, "The p value of the arms' sizes")
        // JSON cannot represent infinity.
        fields.always(
            "sampleRatioEvidence", { min($0.report.sampleRatioEvidence, .greatestFiniteMagnitude) },
            "The evidence that the arms' sizes are wrong")
        fields.always("health", \.report.health, "The checks of its health")
        fields.sometimes(
            "distrust", \.report.distrust, "Why the report cannot be trusted; it then has no comparisons")
        fields.always("measures", \.measures, "What is measured")
        fields.always("comparisons", \.comparisons, "The arms from the second on, compared with the first")
        fields.always("segments", \.segments, "The same for members of similar numbers of groups")
    }

    private var course: CourseReport { CourseReport(entry: entry, course: report.course, arrival: arrival) }

    private var arms: [ArmReport] {
        report.definition.arms.indices.map { ArmReport(report: report, index: $0) }
    }

    private var measures: [MeasureReport] {
        report.distrust != nil
            ? [] : Measure.allCases.map { MeasureReport(measure: $0, cap: report.caps.limit(of: $0)) }
    }

    private var comparisons: [ComparedArm] {
        report.distrust != nil
            ? [] : report.comparisons.map { ComparedArm(comparison: $0, report: report, tuningCount: tuningCount) }
    }

    private var segments: [SegmentReport] {
        report.distrust != nil
            ? []
            : report.segments.map { segment in
                SegmentReport(
                    segment: segment,
                    joins: segment.joins.map { effect in
                        .init(
                            difference: effect.map {
                                RelativeDifference($0, isFinal: report.course.isFinal(.joins), tuningCount)
                            })
                    })
            }
    }
}

/// The members and pages of an arm.
private struct ArmReport: Answer {
    let report: ExperimentReport
    let index: Int

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", { $0.report.definition.arms[$0.index].name }, "Its name")
        fields.always("members", { $0.report.memberCounts[$0.index] }, "Members who were shown a list")
        fields.always("pages", { $0.report.pageCounts[$0.index] }, "Pages that they were shown")
        fields.always("confirmedPages", { $0.report.confirmedPageCounts[$0.index] }, "Pages that they saw")
    }
}

/// A measure and its definition.
private struct MeasureReport: Answer {
    let measure: Measure
    let cap: Double?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("measure", \.measure.rawValue, "The measure")
        fields.always("definition", \.measure.definition, "What it is")
        fields.sometimes("cap", \.cap, "The amount at which a member's is capped; if it is")
    }
}

/// An arm compared with the first one in a measure.
private struct ComparedArm: Answer {
    let comparison: ExperimentReport.Comparison
    let report: ExperimentReport
    let tuningCount: Int

    private var isFinal: Bool { report.course.isFinal(comparison.measure) }

    private var relative: RelativeDifference? {
        comparison.relative.map { RelativeDifference($0, isFinal: isFinal, tuningCount) }
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("arm", { $0.report.definition.arms[$0.comparison.arm].name }, "The arm")
        fields.always("measure", \.comparison.measure.rawValue, "The measure")
        fields.always(
            "decides", { $0.comparison.measure == $0.report.decides },
            "Whether the plan named it as the one that decides")
        fields.always("isGuardrail", \.comparison.measure.isGuardrail, "Whether it must not get worse")
        fields.always("control", \.comparison.control, "The value of the first arm, with members' amounts capped")
        fields.always("value", \.comparison.value, "The value of this arm, with members' amounts capped")
        fields.always(
            "isAdjusted", \.comparison.isAdjusted, "Whether the difference is adjusted by the weeks before")
        fields.sometimes("relative", \.relative, "The difference relative to the first arm; if it can be computed")
        fields.sometimes(
            "pValue", { $0.isFinal ? $0.comparison.absolute?.pValue : nil },
            "The p value of the absolute difference; at the planned end")
        fields.sometimes(
            "holmPValue", { $0.isFinal ? $0.comparison.adjustedPValue : nil },
            "The same, corrected for multiple comparisons")
        fields.always(
            "conclusion", { "\($0.report.conclusion(of: $0.comparison, tuningCount: $0.tuningCount))" },
            "What follows: more, less, undecided or tooEarly")
    }
}

/// A difference relative to the first arm.
private struct RelativeDifference: Answer {
    let difference: Double
    let single: Interval?
    let alwaysValid: Interval

    init(_ effect: Effect, isFinal: Bool, _ tuningCount: Int) {
        difference = effect.difference
        single = isFinal ? effect.interval() : nil
        alwaysValid = effect.alwaysValidInterval(tuningCount: tuningCount)
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("difference", \.difference, "The difference")
        fields.sometimes("lower", \.single?.lower, "Its lower bound of a single look; at the planned end")
        fields.sometimes("upper", \.single?.upper, "Its upper bound of a single look; at the planned end")
        fields.always("alwaysValidLower", \.alwaysValid.lower, "Its lower bound at any time")
        fields.always("alwaysValidUpper", \.alwaysValid.upper, "Its upper bound at any time")
    }
}

/// The members with similar numbers of groups.
private struct SegmentReport: Answer {
    /// A difference, or null where it cannot be computed.
    struct Joins: JSONValue {
        let difference: RelativeDifference?

        static func schema(of relations: RelationTable) -> Schema { RelativeDifference.schema(of: relations) }

        func write(to json: inout JSONWriter) {
            if let difference { difference.write(to: &json) } else { json.literal("null") }
        }
    }

    let segment: ExperimentReport.Segment
    let joins: [Joins]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("fewestGroups", \.segment.groupCounts.lowerBound, "The least number of groups")
        fields.sometimes(
            "mostGroups", { $0.segment.groupCounts.upperBound == .max ? nil : $0.segment.groupCounts.upperBound },
            "The greatest number; if there is one")
        fields.always("members", \.segment.memberCounts, "The members of each arm")
        fields.always("joins", \.joins, "The difference in joins, for each arm from the second on; null if unknown")
    }
}

/// The plan and the time of a report: a part of every report of an experiment.
struct CourseReport: Answer {
    let entry: ExperimentRegister.Entry
    let course: ExperimentCourse
    let arrival: ChangeArrival

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.sometimes("plan", { $0.entry.definition.plan.map(StoredDocument.init) }, "The plan; if there is one")
        fields.always("stage", \.course.stage.rawValue, "How far it is: running, stoppedEarly or ended")
        fields.always(
            "isOver", { !$0.entry.runs(atMilliseconds: max($0.course.startedAt, $0.course.now)) },
            "Whether nobody is assigned any more")
        fields.always("days", \.course.dayCount, "The days that it has taken")
        fields.always("startedAtMilliseconds", \.course.startedAt, "When it began")
        fields.always("endMilliseconds", \.course.end, "Until when it is reported")
        fields.always("knownUntilMilliseconds", \.arrival.knownUntil, "Until when all is known")
        fields.always("isRehearsal", \.arrival.isRehearsal, "Whether it is of a time to come, and no result")
        fields.always("daemons", \.arrival.senders, "Daemons with journals of their own, up to when each has sent all")
        fields.sometimes("late", \.arrival.late, "What arrived since an earlier report; if anything did")
    }
}

extension ExperimentCheck: Answer {
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", \.name, "What is checked", column: .text("check"))
        fields.always(
            "state", \.state.rawValue, "What was found: good, note or alarm",
            column: Column("") { $0 == ExperimentCheck.State.good.rawValue ? "ok" : $0 })
        fields.always("expected", \.expected, "What should be seen", column: .text("expected", upTo: 60))
        fields.always("seen", \.seen, "What is seen", column: .text("seen", upTo: 300))
    }
}
