import Basics
import CatalogStore
import CommandLine
import Evaluation
import Model
import Similarity

/// `coterie tune`.
enum TuneCommand: Subcommand {
    static let command = Command(
        "tune", changes: true, summary: "Choose the parameters that find most memberships",
        discussion: """
            Leaves out the group that each member joined last. If times of joining are known of fewer than half of the \
            members, it leaves out a fifth of each member's groups. Then it looks for the settings that find most of \
            them among the first 20 of the sums of scores. The settings are the formula of each relation, whose best \
            pairs are kept and how many, and what relations count in lists.

            Half of the members choose the settings, the others judge them. The mean of recall and NDCG must exceed \
            that of the defaults, and of the most popular groups, by more than twice the standard error. They are then \
            kept in the catalog, where "coterie recompute" uses them. Otherwise the defaults stay in use. Nothing \
            else in the catalog changes.

            A run that was stopped goes on where it was, if the catalog is as it was; so does a run with a greater \
            budget. Tune again when the community has changed much.
            """,
        options: [
            Option(
                "budget", "TIME", help: "How long it may take, such as 90s, 20m or 1h", default: "2m",
                type: .duration(1...86_400)),
            Option(flag: "show", help: "Show the settings that are in use, and change nothing"),
            Option(flag: "discard", help: "Remove tuned settings: the defaults are in use again"),
            CommonOptions.catalog, CommonOptions.threads, CommonOptions.json,
        ],
        examples: [
            "coterie tune", "coterie tune --budget 20m", "coterie tune --show --json", "coterie tune --discard",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        guard !(parsed.flag("show") && parsed.flag("discard")) else {
            throw UsageError("--show and --discard cannot be given together")
        }
        let budget = try parsed.duration("budget")
        if parsed.flag("show") { return try print(KeptTuning.record(in: parsed.openCatalog()), parsed) }
        let catalog = try Catalog(path: parsed.text("catalog"), mode: .recording)
        if parsed.flag("discard") {
            for note in [TuningNote.settings, .journal] { try catalog.keepTuningNote(note, nil) }
            return try print(nil, parsed)
        }
        try tune(catalog, budgetSeconds: budget.inSeconds, parsed)
    }

    private static func tune(_ catalog: Catalog, budgetSeconds: Double, _ parsed: ParsedCommand) throws {
        let began = ContinuousClock.now
        let threads = try parsed.threadCount()
        let earlier = try? KeptTuning.record(in: catalog.facts)
        let journal = (try? KeptTuning.journal(in: catalog.facts)) ?? TuningJournal()
        let changes = try catalog.facts.changeCount()
        let line = ProgressLine()
        defer { line.clear() }
        line.begin("reading")
        let community = try TuningCommunity(
            catalog.facts, Coterie.relations,
            pairLimit: Tuning.pairLimit(budgetSeconds: budgetSeconds, threads: threads),
            threads: threads)
        printToStandardError(
            "\(community.memberCounts.choosing.grouped) members"
                + (journal.trials.isEmpty ? "" : ", \(journal.trials.count) trials known"))
        line.begin("tuning")
        let tuning = Tuning(
            community, usual: usual, earlier: earlier?.settings, budgetSeconds: budgetSeconds, threads: threads)
        var last = journal
        var saved = began
        let record = try tuning.run(journal, began: began) {
            SystemClock.nowMilliseconds
        } note: { journal in
            last = journal
            let now = ContinuousClock.now
            line.show(
                done: Int(journal.seconds), total: Int(budgetSeconds), unit: nil,
                note: "; \(journal.trials.count) tried, best recall@20 \(Formats.fixed(journal.bestRecall, 4))",
                remainingSeconds: max(0, budgetSeconds - journal.seconds))
            // Saving is durable, and takes longer than a trial in a small community.
            guard saved.duration(to: now) > .seconds(1) else { return }
            saved = now
            try KeptTuning.keep(.journal, TrialJournal(changeCount: changes, journal: journal), in: catalog)
        }
        line.clear()
        try KeptTuning.keep(.journal, TrialJournal(changeCount: changes, journal: last), in: catalog)
        if record.isBetter {
            try KeptTuning.keep(.settings, record, in: catalog)
        } else {
            try catalog.keepTuningNote(.settings, nil)
        }
        let report = TuningReport(record, isBetter: record.isBetter, last)
        try parsed.print(report) { output in
            for text in report.lines { try output.line(text) }
        }
    }

    /// The settings of a recompute without a tuning.
    private static var usual: TunedSettings {
        TunedSettings(
            Dictionary(
                uniqueKeysWithValues: Coterie.relations.map { facts in
                    (facts.relation, TunedSettings.Part(formula: .standard, limit: facts.limit, weight: 1))
                }))
    }

    private static func print(_ record: TuningRecord?, _ parsed: ParsedCommand) throws {
        try parsed.print(StoredTuning(record: record)) { output in
            guard let record else { return try output.line("not tuned: the defaults are in use") }
            for text in TuningReport(record, isBetter: true, TuningJournal()).lines { try output.line(text) }
        }
    }
}
