import CatalogStore
import CommandLine
import Evaluation
import Experiments

/// The output of `coterie experiment report NAME`.
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

/// The output of `coterie experiment size`.
enum ExperimentSizeOutput {
    /// The possible durations of an experiment, in weeks.
    private static let weeks = [1, 2, 4, 8, 12]

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
        let now = ParsedCommand.nowMilliseconds
        let rows = try weeks.map { weeks in
            let past = try catalog.pastAmounts(
                of: measure, since: now - Int64(weeks) * 7 * 86_400_000, before: now)
            return Row(
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
                } ?? "\(7 * (weeks.last ?? 0)) days are not enough to find \(ExperimentWords.percent(effect))")
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

/// The report of an experiment whose lists are interleaved.
struct InterleavingOutput {
    /// The members' preferences, by one kind of interaction.
    struct Votes: Encodable {
        var by: String
        /// The number of members who prefer the first arm's list, the second's, and neither.
        var first, second, neither: Int
        /// The p values of the sign test.
        var pValue, holmPValue: Double
    }

    struct Document: Encodable {
        var experiment: String
        var arms: [String]
        var votes: [Votes]
    }

    private let document: Document

    init(_ definition: ExperimentDefinition, _ outcomes: ExperimentOutcomes) {
        let all = [("clicks", outcomes.votes.clicks), ("joins", outcomes.votes.joins)]
        let adjusted = Holm.adjusted(all.map(\.1.pValue))
        document = Document(
            experiment: definition.name, arms: definition.arms.map(\.name),
            votes: zip(all, adjusted).map { named, adjusted in
                Votes(
                    by: named.0, first: named.1.first, second: named.1.second, neither: named.1.neither,
                    pValue: named.1.pValue, holmPValue: adjusted)
            })
    }

    func write(asJSON: Bool) throws {
        var output = try Output()
        if asJSON {
            try output.json(document: document)
        } else {
            try output.line("\(document.experiment): lists of \(document.arms[0]) and \(document.arms[1]), interleaved")
            for votes in document.votes { try output.line(sentence(votes)) }
        }
        try output.flush()
    }

    private func sentence(_ votes: Votes) -> String {
        let counts = """
            by \(votes.by), \(votes.first) members prefer \(document.arms[0]), \(votes.second) \
            \(document.arms[1]), \(votes.neither) neither
            """
        guard votes.holmPValue < ExperimentReport.error else { return "\(counts): no difference was found" }
        let winner = document.arms[votes.first > votes.second ? 0 : 1]
        return "\(counts): \(winner) is better, p (Holm) \(ExperimentWords.short(votes.holmPValue))"
    }
}
