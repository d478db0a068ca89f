import Answers
import CatalogStore
import CommandLine
import Evaluation
import Experiments

/// The output of `coterie experiment size`.
enum ExperimentSizeOutput {
    private struct Row: Encodable {
        var weeks, activeMembers: Int
        var mean, variance: Double
        /// The members needed in both arms together, or `nil` if there was no activity.
        var neededMembers: Int?
    }

    static func write(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 1 else { throw UsageError("\"experiment size\" takes no name") }
        let effect = try effect(parsed)
        guard let measure = Measure(rawValue: parsed.text("measure")), measure.hasBefore else {
            let names = Measure.allCases.filter(\.hasBefore).map(\.rawValue).joined(separator: ", ")
            throw parsed.badValue(parsed.text("measure"), of: "measure", expected: "for size, one of \(names)")
        }
        let catalog = try parsed.openCatalog()
        let now = try parsed.planInstant()
        let rows = try PlanSize.past(of: measure, from: catalog, atMilliseconds: now).map { weeks, past in
            Row(
                weeks: weeks, activeMembers: past.count, mean: past.mean, variance: past.variance,
                neededMembers: past.mean > 0
                    ? SampleSize(toFind: effect, ofMean: past.mean, variance: past.variance).memberCount : nil)
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: rows)
        } else {
            for line in table(rows) { try output.line(line) }
            let enough = rows.first { $0.activeMembers >= $0.neededMembers ?? .max }
            try output.line(
                enough.map {
                    """
                    \($0.neededMembers ?? 0) members are needed to find \(ExperimentWords.percent(effect)) in \
                    \(measure.rawValue) in 80 of 100 experiments: \(7 * $0.weeks) days, with all members
                    """
                } ?? "\(7 * (PlanSize.weeks.last ?? 0)) days are not enough to find \(ExperimentWords.percent(effect))")
        }
        try output.flush()
    }

    private static func effect(_ parsed: ParsedCommand) throws(UsageError) -> Double {
        let text = parsed.text("effect")
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 1000 else {
            throw parsed.badValue(text, of: "effect", expected: "a percentage above 0%, such as 2%")
        }
        return percent / 100
    }

    private static func table(_ rows: [Row]) -> [String] {
        var table = TextTable([
            .init(title: "weeks", isNumber: true), .init(title: "active members", isNumber: true),
            .init(title: "mean", isNumber: true), .init(title: "variance", isNumber: true),
            .init(title: "needed", isNumber: true),
        ])
        for row in rows {
            table.add([
                String(row.weeks), String(row.activeMembers), String((row.mean * 1000).rounded() / 1000),
                String((row.variance * 1000).rounded() / 1000), row.neededMembers.map(String.init) ?? "-",
            ])
        }
        return table.lines
    }
}
