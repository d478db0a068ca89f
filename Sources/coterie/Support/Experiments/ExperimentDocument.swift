import CivilTime
import Experiments

/// The report of an experiment as JSON.
struct ExperimentDocument: Encodable {
    struct Arm: Encodable {
        var name: String
        var members, pages, confirmedPages: Int
    }

    /// A difference relative to the first arm.
    struct Difference: Encodable {
        var difference, lower, upper, alwaysValidLower, alwaysValidUpper: Double
    }

    struct Comparison: Encodable {
        var arm, measure: String
        var isGuardrail: Bool
        var control, value: Double
        var relative: Difference?
        /// P values of the absolute difference; `holmPValue` is corrected for multiple comparisons.
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

    var experiment: String
    var days: Int
    var isOver: Bool
    var arms: [Arm]
    var crossedMembers: Int
    var sampleRatioPValue, sampleRatioEvidence: Double
    /// The reason that the report cannot be trusted; it then has no comparisons.
    var distrust: String?
    var comparisons: [Comparison] = []
    var segments: [Segment] = []
}

extension ExperimentWords {
    var document: ExperimentDocument {
        let arms = report.definition.arms.map(\.name)
        var document = ExperimentDocument(
            experiment: report.definition.name, days: report.days.count, isOver: isOver,
            arms: arms.indices.map {
                .init(
                    name: arms[$0], members: report.memberCounts[$0], pages: report.pageCounts[$0],
                    confirmedPages: report.confirmedPageCounts[$0])
            },
            crossedMembers: report.crossedCount, sampleRatioPValue: report.sampleRatioPValue,
            // JSON cannot represent infinity.
            sampleRatioEvidence: min(report.sampleRatioEvidence, .greatestFiniteMagnitude),
            distrust: report.distrust)
        guard report.distrust == nil else { return document }
        document.comparisons = report.comparisons.map { comparison in
            .init(
                arm: arms[comparison.arm], measure: comparison.measure.rawValue,
                isGuardrail: comparison.measure.isGuardrail, control: comparison.control, value: comparison.value,
                relative: comparison.relative.map(difference), pValue: comparison.absolute?.pValue,
                holmPValue: comparison.adjustedPValue,
                conclusion: "\(report.conclusion(of: comparison, isOver: isOver, tuningCount: tuningCount))")
        }
        document.segments = report.segments.map { segment in
            .init(
                fewestGroups: segment.groupCounts.lowerBound,
                mostGroups: segment.groupCounts.upperBound == .max ? nil : segment.groupCounts.upperBound,
                members: segment.memberCounts, joins: segment.joins.map { $0.map(difference) })
        }
        return document
    }

    private func difference(_ effect: Effect) -> ExperimentDocument.Difference {
        let (interval, always) = (effect.interval(), effect.alwaysValidInterval(tuningCount: tuningCount))
        return .init(
            difference: effect.difference, lower: interval.lower, upper: interval.upper,
            alwaysValidLower: always.lower, alwaysValidUpper: always.upper)
    }
}

/// An experiment in the output of "experiment list".
struct ExperimentRow: Encodable {
    var name: String
    /// The state: `defined`, `waiting`, `running`, `over` or `stopped`.
    var state: String
    var layer: String
    var from, to: Double
    var arms: [ExperimentDefinition.Arm]
    var startedAtMilliseconds, stoppedAtMilliseconds: Int64?
    /// Whether the definition in the file differs from the one that was started.
    var differs: Bool

    /// Returns the started experiments in the order of their start, then the others of the file.
    static func all(
        _ register: ExperimentRegister, defined: [ExperimentDefinition], atMilliseconds now: Int64
    ) -> [ExperimentRow] {
        let started = register.entries.map { entry in
            let definition = entry.definition
            let other = defined.first { $0.name == definition.name }
            return ExperimentRow(
                definition, state(of: entry, atMilliseconds: now), startedAt: entry.startedAtMilliseconds,
                stoppedAt: entry.stoppedAtMilliseconds, differs: other.map { $0 != definition } ?? false)
        }
        return started
            + defined.filter { register[$0.name] == nil }.map {
                ExperimentRow($0, "defined", startedAt: nil, stoppedAt: nil, differs: false)
            }
    }

    private init(
        _ definition: ExperimentDefinition, _ state: String, startedAt: Int64?, stoppedAt: Int64?, differs: Bool
    ) {
        name = definition.name
        self.state = state
        layer = definition.layer
        (from, to) = (definition.from, definition.to)
        arms = definition.arms
        (startedAtMilliseconds, stoppedAtMilliseconds) = (startedAt, stoppedAt)
        self.differs = differs
    }

    private static func state(of entry: ExperimentRegister.Entry, atMilliseconds now: Int64) -> String {
        if entry.stoppedAtMilliseconds != nil { return "stopped" }
        if entry.runs(atMilliseconds: now) { return "running" }
        return now / 1000 < entry.definition.startsAt ?? .min ? "waiting" : "over"
    }

    static func table(_ rows: [ExperimentRow]) -> [String] {
        guard !rows.isEmpty else { return [] }
        var table = TextTable([
            .init(title: "experiment"), .init(title: "state"), .init(title: "started"), .init(title: "layer"),
            .init(title: "part"), .init(title: "arms"),
        ])
        for row in rows {
            let started = row.startedAtMilliseconds.flatMap { UnixTime(seconds: $0 / 1000)?.description } ?? "-"
            table.add([
                row.name, row.differs ? "\(row.state), file differs" : row.state, started, row.layer,
                "\(row.from)–\(row.to)", row.arms.map(\.name).joined(separator: ", "),
            ])
        }
        return table.lines
    }
}

/// A report in words for people, and as JSON.
struct ExperimentWords {
    let report: ExperimentReport
    let isOver: Bool
    let tuningCount: Int

    var lines: [String] {
        let arms = zip(report.definition.arms, report.memberCounts).map { "\($0.name) \($1)" }.joined(separator: ", ")
        var lines = ["\(report.definition.name), day \(report.days.count); members: \(arms)"]
        lines.append(
            "sample ratio: p \(Self.short(report.sampleRatioPValue)), evidence against it by day "
                + Self.short(report.sampleRatioEvidence))
        if let distrust = report.distrust { return lines + ["do not trust this: \(distrust)"] }
        var table = TextTable([
            .init(title: "arm"), .init(title: "measure"), .init(title: "control", isNumber: true),
            .init(title: "arm's", isNumber: true), .init(title: "difference", isNumber: true),
            .init(title: "95% interval", isNumber: true), .init(title: "always valid", isNumber: true),
            .init(title: "p (Holm)", isNumber: true),
        ])
        for comparison in report.comparisons {
            table.add([
                report.definition.arms[comparison.arm].name, comparison.measure.rawValue,
                Self.short(comparison.control), Self.short(comparison.value),
                comparison.relative.map { Self.percent($0.difference) } ?? "-",
                comparison.relative.map { Self.range($0.interval()) } ?? "-",
                comparison.relative.map { Self.range($0.alwaysValidInterval(tuningCount: tuningCount)) } ?? "-",
                (comparison.adjustedPValue ?? comparison.absolute?.pValue).map(Self.short) ?? "-",
            ])
        }
        return lines + table.lines + segmentLines + report.comparisons.map(sentence)
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
                    \(report.definition.arms[index + 1].name), members of \(groups) groups: joins \
                    \(Self.percent(effect.difference)), \(Self.range(effect.interval()))
                    """
            }
        }
    }

    /// Returns the conclusion from a comparison.
    private func sentence(_ comparison: ExperimentReport.Comparison) -> String {
        let (arm, control) = (report.definition.arms[comparison.arm].name, report.definition.arms[0].name)
        let measure = comparison.measure
        switch report.conclusion(of: comparison, isOver: isOver, tuningCount: tuningCount) {
        case .more:
            return "\(arm) has more \(measure.rawValue) than \(control)" + (measure.isGuardrail ? ": harm" : "")
        case .less: return "\(arm) has less \(measure.rawValue) than \(control)" + (measure.isGuardrail ? "" : ": harm")
        case .undecided:
            return "\(measure.rawValue): no difference was found between \(arm) and \(control)"
                + (isOver ? "" : " so far")
        case .tooEarly: return "\(measure.rawValue): too little has happened to compare \(arm) with \(control)"
        }
    }

    static func percent(_ part: Double) -> String {
        let tenths = (abs(part) * 1000).rounded() / 10
        return (part < 0 ? "−" : "+") + "\(tenths)%"
    }

    private static func range(_ interval: Interval) -> String {
        "\(percent(interval.lower)) to \(percent(interval.upper))"
    }

    /// Returns a number with about four digits.
    static func short(_ number: Double) -> String {
        guard number != 0, abs(number) < 10_000 else { return number == 0 ? "0" : "\(number.rounded())" }
        if abs(number) < 0.0001 { return "below .0001" }
        let scale = abs(number) < 1 ? 10_000.0 : 1000
        return "\((number * scale).rounded() / scale)"
    }
}
