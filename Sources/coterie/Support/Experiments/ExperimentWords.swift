import Answers
import Basics
import Experiments

/// A report in words for people.
struct ExperimentWords: Sendable {
    let report: ExperimentReport
    let entry: ExperimentRegister.Entry
    let arrival: ChangeArrival
    let tuningCount: Int

    var lines: [String] {
        let arms = zip(report.definition.arms, report.memberCounts).map { "\($0.name) \($1)" }.joined(separator: ", ")
        let lines =
            ["\(report.definition.name), day \(report.days.count); members: \(arms)"]
            + CourseWords.lines(report.definition, report.course, arrival) + HealthWords.lines(report.health)
        guard report.distrust == nil else { return lines }
        return lines + table + report.comparisons.map(sentence) + segmentLines + definitionLines
    }

    private var table: [String] {
        var table = TextTable([
            .init(title: "arm"), .init(title: "measure"), .init(title: "control", isNumber: true),
            .init(title: "arm's", isNumber: true), .init(title: "difference", isNumber: true),
            .init(title: "adjusted"), .init(title: "always valid", isNumber: true),
            .init(title: "95%, at the end", isNumber: true), .init(title: "p (Holm)", isNumber: true),
        ])
        for comparison in report.comparisons {
            let isFinal = report.course.isFinal(comparison.measure)
            table.add([
                report.definition.arms[comparison.arm].name,
                comparison.measure.rawValue + (comparison.measure == report.decides ? " (decides)" : ""),
                Self.short(comparison.control), Self.short(comparison.value),
                comparison.relative.map { Formats.difference($0.difference) } ?? "-",
                comparison.isAdjusted ? "by 28 days before" : "no",
                comparison.relative.map { Self.range($0.alwaysValidInterval(tuningCount: tuningCount)) } ?? "-",
                isFinal ? comparison.relative.map { Self.range($0.interval()) } ?? "-" : "-",
                isFinal ? (comparison.adjustedPValue ?? comparison.absolute?.pValue).map(Self.short) ?? "-" : "-",
            ])
        }
        return table.lines
    }

    private var segmentLines: [String] {
        report.segments.flatMap { segment in
            segment.joins.enumerated().compactMap { index, effect in
                guard let effect else { return nil }
                let bounds = segment.groupCounts
                let groups =
                    bounds.upperBound == .max
                    ? "\(bounds.lowerBound) or more" : "\(bounds.lowerBound) to \(bounds.upperBound)"
                return """
                    a hint: \(report.definition.arms[index + 1].name), members of \(groups) groups: joins \
                    \(Formats.difference(effect.difference)), \
                    \(Self.range(effect.alwaysValidInterval(tuningCount: tuningCount)))
                    """
            }
        }
    }

    private var definitionLines: [String] {
        let cap =
            report.caps.quantile < 1
            ? """
            control and arm's are means with each member's amount capped at the quantile \(report.caps.quantile) of \
            those with any; the difference is of the same, adjusted where the table says so
            """ : "control and arm's are means as they are; the difference is adjusted where the table says so"
        return [cap]
            + Measure.allCases.map { measure in
                "\(measure.rawValue): \(measure.definition)"
                    + (report.caps.limit(of: measure).map { "; capped at \(Self.short($0))" } ?? "")
            }
    }

    private func sentence(_ comparison: ExperimentReport.Comparison) -> String {
        let (arm, control) = (report.definition.arms[comparison.arm].name, report.definition.arms[0].name)
        let measure = comparison.measure
        let isFinal = report.course.isFinal(measure)
        let role = measure == report.decides ? "decides: " : measure.isGuardrail ? "guardrail: " : "a hint: "
        let ending = isFinal ? "" : report.course.stage == .stoppedEarly ? ", stopped early" : " so far"
        switch report.conclusion(of: comparison, tuningCount: tuningCount) {
        case .more:
            return role + "\(arm) has more \(measure.rawValue) than \(control)\(ending)"
                + (measure.isGuardrail ? ": harm" : "")
        case .less:
            return role + "\(arm) has less \(measure.rawValue) than \(control)\(ending)"
                + (measure.isGuardrail ? "" : ": harm")
        case .undecided:
            return role + "\(measure.rawValue): no difference was found between \(arm) and \(control)\(ending)"
                + excluded(comparison, isFinal: isFinal)
        case .tooEarly: return role + "\(measure.rawValue): too little has happened to compare \(arm) with \(control)"
        }
    }

    /// Returns whether the smallest difference of interest can be excluded, in words.
    private func excluded(_ comparison: ExperimentReport.Comparison, isFinal: Bool) -> String {
        guard comparison.measure == report.decides, let wanted = report.definition.plan?.effect,
            let effect = comparison.relative
        else { return "" }
        let interval = isFinal ? effect.interval() : effect.alwaysValidInterval(tuningCount: tuningCount)
        let isExcluded = interval.lower > -wanted && interval.upper < wanted
        return isExcluded
            ? ", and there is none of \(Formats.difference(wanted)) or \(Formats.difference(-wanted))"
            : "; one of \(Formats.difference(wanted)) or \(Formats.difference(-wanted)) is still possible"
    }

    static func range(_ interval: Interval) -> String {
        "\(Formats.difference(interval.lower)) to \(Formats.difference(interval.upper))"
    }

    /// Returns a number with about four digits.
    static func short(_ number: Double) -> String {
        guard number != 0, abs(number) < 10_000 else { return number == 0 ? "0" : "\(number.rounded())" }
        if abs(number) < 0.0001 { return "below .0001" }
        let scale = abs(number) < 1 ? 10_000.0 : 1000
        return "\((number * scale).rounded() / scale)"
    }
}

/// The plan and the time of a report, in words.
enum CourseWords {
    static func lines(_ definition: ExperimentDefinition, _ course: ExperimentCourse, _ arrival: ChangeArrival)
        -> [String]
    {
        var lines: [String] = []
        if let plan = definition.plan {
            var ends = plan.memberCount.map { ["with \($0) members"] } ?? []
            if let end = definition.endsAt { ends.append("on \(text(end * 1000))") }
            let effect = plan.effect.map { ", smallest difference of interest \(Formats.difference($0))" } ?? ""
            lines.append("plan: \(plan.decides.rawValue) decides, ends \(ends.joined(separator: " or "))\(effect)")
        }
        let end = min(course.end, max(course.startedAt, arrival.knownUntil))
        lines.append(
            "seen: from \(text(course.startedAt)) to \(text(end)), known until \(text(arrival.knownUntil))")
        lines.append(course.stage.words)
        if course.stage == .ended, !course.isFinal(.keptJoins) {
            lines.append("kept-joins is known 7 days after the end; until then, its always-valid bounds count")
        }
        return lines
    }

    static func text(_ milliseconds: Int64) -> String { UnixTime(seconds: milliseconds / 1000)?.description ?? "?" }
}

/// The health of a report in words: a line for each check, and one verdict.
enum HealthWords {
    static func lines(_ health: [ExperimentCheck]) -> [String] {
        TextTable(AnswerTable(health)).lines + [health.distrust.map { "do not trust this, because \($0)" } ?? "trust"]
    }
}
