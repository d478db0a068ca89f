import Basics
import CatalogStore
import CommandLine
import Evaluation
import Experiments

/// The output of `coterie experiment report NAME`.
enum ExperimentReportOutput {
    static func write(_ parsed: ParsedCommand, of name: String) throws {
        guard let entry = try parsed.experiments()[name] else {
            throw Failure(
                .badData, "no experiment \"\(name)\" was started: \"coterie experiment list\" lists all")
        }
        let arrival = try ChangeArrival(parsed, atMilliseconds: try parsed.planInstant())
        let outcomes = try ExperimentOutcomes(
            of: entry, from: try parsed.openCatalog(), atMilliseconds: arrival.knownUntil,
            present: ParsedCommand.nowMilliseconds)
        let tuning = try tuningCount(parsed, entry.definition)
        guard !entry.definition.isInterleaved else {
            return try InterleavingOutput(entry, outcomes, tuningCount: tuning)
                .write(asJSON: parsed.flag("json"), arrival.lines)
        }
        let report = ExperimentReport(
            entry.definition, outcomes.members, course: outcomes.course, facts: outcomes.facts)
        let words = ExperimentWords(
            report: report, entry: entry, tuningCount: tuning ?? Effect.usualTuningCount)
        if let path = parsed.textIfGiven("svg"), let measure = Measure(rawValue: parsed.text("measure")) {
            var file = try Output(path: path)
            try file.write(IntervalChart(report, measure, tuningCount: words.tuningCount).svg)
            try file.flush()
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: words.document)
        } else {
            for line in arrival.lines + words.lines { try output.line(line) }
        }
        try output.flush()
    }

    /// Returns the number of members at which always-valid bounds are narrowest: of the plan, or of the option.
    private static func tuningCount(_ parsed: ParsedCommand, _ definition: ExperimentDefinition) throws -> Int? {
        guard let text = parsed.textIfGiven("tuning") else { return definition.plan?.memberCount }
        guard definition.plan?.memberCount == nil else {
            throw UsageError(
                "--tuning \(text) would choose the bounds after the fact: the plan of \(definition.name) has them")
        }
        return try parsed.integer("tuning", in: 1...1_000_000_000)
    }
}

/// The report of an experiment whose lists are interleaved.
struct InterleavingOutput {
    /// The members' preferences, by one kind of interaction.
    struct Votes: Encodable {
        var by: String
        /// Whether the plan named the kind as the one that decides.
        var decides: Bool
        /// The number of members who prefer the first arm's list, the second's, and neither.
        var first, second, neither: Int
        /// The part of the members with a preference who prefer the second list, with its always-valid bounds.
        var secondPart, alwaysValidLower, alwaysValidUpper: Double
        /// The p values of the sign test, at the planned end; without a plan, `holmPValue` is corrected for both kinds.
        var pValue, holmPValue: Double?
        /// The conclusion about the second list: `more`, `less`, `undecided` or `tooEarly`.
        var conclusion: String
    }

    private struct Document: Encodable {
        var experiment: String
        var course: CourseDocument
        var arms: [String]
        var members: Int
        var health: [HealthDocument]
        /// The reason that the report cannot be trusted; it then has no votes.
        var distrust: String?
        var votes: [Votes]

        private enum CodingKeys: CodingKey { case experiment, arms, members, health, distrust, votes }

        func encode(to encoder: any Encoder) throws {
            try course.encode(to: encoder)
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(experiment, forKey: .experiment)
            try fields.encode(arms, forKey: .arms)
            try fields.encode(members, forKey: .members)
            try fields.encode(health, forKey: .health)
            try fields.encodeIfPresent(distrust, forKey: .distrust)
            try fields.encode(votes, forKey: .votes)
        }
    }

    private let document: Document
    private let definition: ExperimentDefinition
    private let course: ExperimentCourse
    private let health: [ExperimentCheck]

    /// Creates a report.
    ///
    /// - Parameter tuningCount: the number of votes at which bounds are narrowest, or `nil` for the default.
    init(_ entry: ExperimentRegister.Entry, _ outcomes: ExperimentOutcomes, tuningCount: Int?) {
        (definition, course) = (entry.definition, outcomes.course)
        health = ExperimentReport.interleavedHealth(
            outcomes.members, course: outcomes.course, facts: outcomes.facts)
        let all = [(Measure.clicks, outcomes.votes.clicks), (Measure.joins, outcomes.votes.joins)]
        let plan = entry.definition.plan
        // Without a plan, both kinds are asked, and share the error.
        let error = plan == nil ? ExperimentReport.error / Double(all.count) : ExperimentReport.error
        let tuning = tuningCount ?? InterleavingVotes.usualTuningCount
        let isFinal = outcomes.course.stage == .ended
        let adjusted = plan == nil ? Holm.adjusted(all.map(\.1.pValue)) : all.map(\.1.pValue)
        document = Document(
            experiment: entry.definition.name, course: CourseDocument(entry, outcomes.course),
            arms: entry.definition.arms.map(\.name), members: outcomes.members.count,
            health: health.map(HealthDocument.init), distrust: health.distrust,
            votes: health.distrust != nil
                ? []
                : zip(all, adjusted).map { kind, adjusted in
                    let (measure, votes) = kind
                    let interval = votes.alwaysValidInterval(tuningCount: tuning)
                    return Votes(
                        by: measure.rawValue, decides: measure == plan?.decides, first: votes.first,
                        second: votes.second, neither: votes.neither, secondPart: votes.secondPart,
                        alwaysValidLower: interval.lower, alwaysValidUpper: interval.upper,
                        pValue: isFinal ? votes.pValue : nil, holmPValue: isFinal ? adjusted : nil,
                        conclusion: "\(votes.conclusion(isFinal: isFinal, tuningCount: tuning, error: error))")
                })
    }

    func write(asJSON: Bool, _ heading: [String]) throws {
        var output = try Output()
        if asJSON {
            try output.json(document: document)
        } else {
            for line in heading + lines { try output.line(line) }
        }
        try output.flush()
    }

    private var lines: [String] {
        [
            """
            \(document.experiment), day \(course.dayCount): lists of \(document.arms[0]) and \(document.arms[1]), \
            interleaved; members: \(document.members)
            """
        ] + CourseWords.lines(definition, course) + HealthWords.lines(health) + document.votes.map(sentence)
    }

    private func sentence(_ votes: Votes) -> String {
        let role = votes.decides ? "decides: " : definition.plan == nil ? "" : "a hint: "
        let ending = course.stage == .ended ? "" : course.stage == .stoppedEarly ? ", stopped early" : " so far"
        func part(_ value: Double) -> String { "\((value * 1000).rounded() / 10)%" }
        let counts = """
            \(role)by \(votes.by), \(votes.first) members prefer \(document.arms[0]), \(votes.second) \
            \(document.arms[1]), \(votes.neither) neither; \(document.arms[1]) has \(part(votes.secondPart)) of the \
            votes, always valid \(part(votes.alwaysValidLower)) to \(part(votes.alwaysValidUpper))
            """
        let p = votes.holmPValue.map { ", p \(ExperimentWords.short($0))" } ?? ""
        switch votes.conclusion {
        case "more": return "\(counts): \(document.arms[1]) is better\(ending)\(p)"
        case "less": return "\(counts): \(document.arms[0]) is better\(ending)\(p)"
        default: return "\(counts): no difference was found\(ending)\(p)"
        }
    }
}
