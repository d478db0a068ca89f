import Experiments

/// A report in words, for people and as JSON.
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

    /// What may be concluded.
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

    /// A number with about four digits.
    static func short(_ number: Double) -> String {
        guard number != 0, abs(number) < 10_000 else { return number == 0 ? "0" : "\(number.rounded())" }
        if abs(number) < 0.0001 { return "below .0001" }
        let scale = abs(number) < 1 ? 10_000.0 : 1000
        return "\((number * scale).rounded() / scale)"
    }
}
