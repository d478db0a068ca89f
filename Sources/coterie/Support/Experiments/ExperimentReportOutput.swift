import Answers
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
        let instant = try parsed.planInstant()
        let start = entry.beginsAtMilliseconds
        // A time on a command line is a whole second.
        guard instant / 1000 >= start / 1000 else {
            throw Failure(
                .badData,
                "\(name) had not begun at \(CourseWords.text(instant)): it begins at \(CourseWords.text(start))")
        }
        var arrival = try ChangeArrival(parsed, atMilliseconds: instant)
        let catalog = try parsed.openCatalog()
        let outcomes = try ExperimentOutcomes(
            of: entry, from: catalog, atMilliseconds: arrival.isRehearsal ? instant : arrival.knownUntil,
            arrival: arrival.arrival, present: arrival.madeAt)
        try arrival.countLate(entry, outcomes.course, catalog)
        let tuning = try tuningCount(parsed, entry.definition)
        guard !entry.definition.isInterleaved else {
            let report = InterleavingOutput(entry, outcomes, arrival, tuningCount: tuning)
            return try parsed.print(report) { output in
                for line in arrival.lines(around: report.lines) { try output.line(line) }
            }
        }
        let report = ExperimentReport(
            entry.definition, outcomes.members, course: outcomes.course, facts: outcomes.facts)
        let words = ExperimentWords(
            report: report, entry: entry, arrival: arrival, tuningCount: tuning ?? Effect.usualTuningCount)
        if let path = parsed.textIfGiven("svg") {
            let measure = parsed.choice("measure", of: Measure.self)
            var file = try Output(path: path)
            try file.write(IntervalChart(report, measure, tuningCount: words.tuningCount).svg)
            try file.flush()
        }
        try parsed.print(words) { output in
            for line in arrival.lines(around: words.lines) { try output.line(line) }
        }
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
struct InterleavingOutput: Answer {
    /// The members' preferences, by one kind of interaction.
    struct Votes: Answer {
        let by: Measure
        let decides: Bool
        let votes: InterleavingVotes
        let interval: Interval
        /// The p values of the sign test; nil before the planned end.
        let pValue, holmPValue: Double?
        let conclusion: String

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("by", \.by.rawValue, "The kind of interaction")
            fields.always("decides", \.decides, "Whether the plan named it as the one that decides")
            fields.always("first", \.votes.first, "Members who prefer the first arm's list")
            fields.always("second", \.votes.second, "Members who prefer the second arm's list")
            fields.always("neither", \.votes.neither, "Members who prefer neither")
            fields.always(
                "secondPart", \.votes.secondPart, "The part of those with a preference who prefer the second list")
            fields.always("alwaysValidLower", \.interval.lower, "Its lower bound at any time")
            fields.always("alwaysValidUpper", \.interval.upper, "Its upper bound at any time")
            fields.sometimes("pValue", \.pValue, "The p value of the sign test; at the planned end")
            fields.sometimes("holmPValue", \.holmPValue, "The same, without a plan corrected for both kinds")
            fields.always(
                "conclusion", \.conclusion, "What follows for the second list: more, less, undecided or tooEarly")
        }
    }

    private let entry: ExperimentRegister.Entry
    private let course: ExperimentCourse
    private let arrival: ChangeArrival
    private let members: Int
    private let health: [ExperimentCheck]
    private let votes: [Votes]

    private var definition: ExperimentDefinition { entry.definition }
    private var arms: [String] { definition.arms.map(\.name) }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part { CourseReport(entry: $0.entry, course: $0.course, arrival: $0.arrival) }
        fields.always("experiment", \.definition.name, "The experiment")
        fields.always("arms", \.arms, "The two arms")
        fields.always("members", \.members, "Members who were shown a list")
        fields.always("health", \.health, "The checks of its health")
        fields.sometimes("distrust", \.health.distrust, "Why the report cannot be trusted; it then has no votes")
        fields.always("votes", \.votes, "The members' preferences")
    }

    /// Creates a report.
    ///
    /// - Parameter tuningCount: the number of votes at which bounds are narrowest, or `nil` for the default.
    init(
        _ entry: ExperimentRegister.Entry, _ outcomes: ExperimentOutcomes, _ arrival: ChangeArrival, tuningCount: Int?
    ) {
        (self.entry, course, members, self.arrival) = (entry, outcomes.course, outcomes.members.count, arrival)
        health = ExperimentReport.interleavedHealth(
            outcomes.members, course: outcomes.course, facts: outcomes.facts)
        let all = [(Measure.clicks, outcomes.votes.clicks), (Measure.joins, outcomes.votes.joins)]
        let plan = entry.definition.plan
        // Without a plan, both kinds are asked, and share the error.
        let error = plan == nil ? ExperimentReport.error / Double(all.count) : ExperimentReport.error
        let tuning = tuningCount ?? InterleavingVotes.usualTuningCount
        let isFinal = outcomes.course.stage == .ended
        let adjusted = plan == nil ? Holm.adjusted(all.map(\.1.pValue)) : all.map(\.1.pValue)
        votes =
            health.distrust != nil
            ? []
            : zip(all, adjusted).map { kind, adjusted in
                let (measure, votes) = kind
                return Votes(
                    by: measure, decides: measure == plan?.decides, votes: votes,
                    interval: votes.alwaysValidInterval(tuningCount: tuning), pValue: isFinal ? votes.pValue : nil,
                    holmPValue: isFinal ? adjusted : nil,
                    conclusion: "\(votes.conclusion(isFinal: isFinal, tuningCount: tuning, error: error))")
            }
    }

    var lines: [String] {
        [
            """
            \(definition.name), day \(course.dayCount): lists of \(arms[0]) and \(arms[1]), \
            interleaved; members: \(members)
            """
        ] + CourseWords.lines(definition, course, arrival) + HealthWords.lines(health) + votes.map(sentence)
    }

    private func sentence(_ votes: Votes) -> String {
        let role = votes.decides ? "decides: " : definition.plan == nil ? "" : "a hint: "
        let ending = course.stage == .ended ? "" : course.stage == .stoppedEarly ? ", stopped early" : " so far"
        func part(_ value: Double) -> String { "\((value * 1000).rounded() / 10)%" }
        let counts = """
            \(role)by \(votes.by.rawValue), \(votes.votes.first) members prefer \(arms[0]), \(votes.votes.second) \
            \(arms[1]), \(votes.votes.neither) neither; \(arms[1]) has \(part(votes.votes.secondPart)) of the \
            votes, always valid \(part(votes.interval.lower)) to \(part(votes.interval.upper))
            """
        let p = votes.holmPValue.map { ", p \(ExperimentWords.short($0))" } ?? ""
        switch votes.conclusion {
        case "more": return "\(counts): \(arms[1]) is better\(ending)\(p)"
        case "less": return "\(counts): \(arms[0]) is better\(ending)\(p)"
        default: return "\(counts): no difference was found\(ending)\(p)"
        }
    }
}
