import CommandLineOptions
import Evaluation
import Experiments

/// `coterie experiment report NAME`.
enum ExperimentReportOutput {
    static func write(_ parsed: ParsedCommand, of name: String) throws {
        guard let entry = try parsed.experiments()[name] else {
            throw Failure(
                Failure.badData, "no experiment \"\(name)\" was started: \"coterie experiment list\" lists all")
        }
        let now = ParsedCommand.nowMilliseconds
        let outcomes = try ExperimentOutcomes(of: entry, from: try parsed.openCatalog(), atMilliseconds: now)
        guard !entry.definition.isInterleaved else {
            return try InterleavingOutput(entry.definition, outcomes).write(asJSON: parsed.flag("json"))
        }
        let report = ExperimentReport(
            entry.definition, outcomes.members, crossedCount: outcomes.crossedCount, dayCount: outcomes.dayCount)
        let words = ExperimentWords(
            report: report, isOver: !entry.runs(atMilliseconds: now),
            tuningCount: try parsed.integer("tuning", in: 1...1_000_000_000))
        if let path = parsed.textIfGiven("svg"), let measure = Measure(rawValue: parsed.text("measure")) {
            var file = try Output(path: path)
            try file.write(IntervalChart(report, measure, tuningCount: words.tuningCount).svg)
            try file.flush()
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: words.document)
        } else {
            for line in words.lines { try output.line(line) }
        }
        try output.flush()
    }
}
