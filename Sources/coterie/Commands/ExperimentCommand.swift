import Basics
import CatalogStore
import CommandLine
import Experiments
import Model
import ModelStore
import Recommendation

/// `coterie experiment ACTION [NAME]`.
enum ExperimentCommand: Subcommand {
    enum Action: String, CaseIterable {
        case check, list, start, stop, assign, report, size
    }

    static let command = Command(
        "experiment", changes: true, summary: "Compare ways to make lists by what members do (A/B tests)",
        discussion: """
            "check" checks the file of experiments, and by the catalog whether the members of each plan can find its \
            effect. "start" starts one of them: the store keeps a copy of its \
            definition, and all daemons of the store follow this copy. Versions that its arms name are pinned. It needs \
            a plan: the measure that decides, and an end. A started experiment cannot be changed; "stop" stops it for \
            good. "list" lists the experiments of the store, \
            and those of the file, if there is one. "assign" shows the arms of a member. "report" compares the arms by \
            the data in the catalog. "size" estimates how many members an experiment needs, from what members did in \
            the weeks before.

            The article Experiments explains the file, and every number of a report.
            """,
        arguments: [
            Argument("ACTION", help: "What to do", allowed: Action.allCases.map(\.rawValue)),
            Argument("NAME", help: "The experiment's name; for assign, a member's id", isOptional: true),
        ],
        options: [
            Option(
                "experiments", "FILE", help: "The file that defines experiments", default: "experiments.yaml",
                environment: "COTERIE_EXPERIMENTS"),
            Option("groups", "N", help: "For assign: the number of groups of the member (default: by the catalog)"),
            Option(
                "svg", "FILE", help: "For report: write a chart of the measure's intervals over time", isOutput: true),
            Option(
                "measure", "MEASURE", help: "For report --svg and size: the measure", default: "joins",
                allowed: Measure.allCases.map(\.rawValue)),
            Option(
                "at", "TIME",
                help: "For report and size: as of this time, ISO 8601 or Unix seconds (default: now)"),
            Option(
                flag: "take-changes",
                help: "For report with a store in Redis: first take into the catalog what daemons have recorded"),
            Option(
                "gone", "DAEMON", help: "For report: do not wait for a daemon that never comes back", isRepeating: true),
            Option("effect", "PERCENT", help: "For size: the relative effect to be found, such as 2%", default: "2%"),
            Option(
                "tuning", "N",
                help: """
                    For report: the number of members at which always-valid intervals are narrowest (default: that of \
                    the plan, else \(Effect.usualTuningCount), or \(InterleavingVotes.usualTuningCount) votes)
                    """),
            CommonOptions.json,
        ] + CommonOptions.readingOptions,
        examples: [
            "coterie experiment check", "coterie experiment start longer-rotation",
            "coterie experiment assign laura-100", "coterie experiment report longer-rotation --svg joins.svg",
            "coterie experiment size --effect 5%",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        switch parsed.chosen(Action.allCases, by: \.rawValue) {
        case .check: try check(parsed)
        case .list: try list(parsed)
        case .start: try start(parsed)
        case .stop: try stop(parsed)
        case .assign: try assign(parsed)
        case .report: try ExperimentReportOutput.write(parsed, of: try parsed.experimentName())
        case .size: try ExperimentSizeOutput.write(parsed)
        }
    }

    private static func check(_ parsed: ParsedCommand) throws {
        let definitions = try parsed.experimentsFile().definitions
        var output = try Output()
        for definition in definitions {
            let hint = definition.plan == nil ? ", no plan: it cannot be started" : ""
            try output.line("\(definition.name): \(definition.arms.count) arms\(hint)")
        }
        try output.flush()
        for definition in definitions { try warn(about: definition, parsed) }
    }

    /// Warns if a past experiment had the same arms, or if a plan's members cannot find its effect, as far as is known.
    private static func warn(about definition: ExperimentDefinition, _ parsed: ParsedCommand) throws {
        let past = try? parsed.experiments().entries.first {
            !$0.runs(atMilliseconds: SystemClock.nowMilliseconds) && $0.definition.name != definition.name
                && $0.definition.seed == definition.seed
        }
        if let name = past?.definition.name {
            printToStandardError(
                """
                warning: \(definition.name): the past experiment \(name) had the same seed, so the members of an arm may \
                still act as they were treated there: give another seed, or none
                """)
        }
        guard let catalog = try parsed.openCatalogIfPresent() else { return }
        let warning = try PlanSize.warning(
            about: definition, from: catalog, atMilliseconds: SystemClock.nowMilliseconds)
        if let warning { printToStandardError("warning: \(warning)") }
    }

    private static func start(_ parsed: ParsedCommand) throws {
        let name = try parsed.experimentName()
        let file = try parsed.experimentsFile()
        guard let definition = file.definitions.first(where: { $0.name == name }) else {
            throw Failure(.badData, "\(parsed.text("experiments")) has no experiment \"\(name)\"")
        }
        let store = try parsed.openStore()
        let known = Set(try store.versionNames())
        for arm in definition.arms {
            guard let version = arm.version, !known.contains(version) else { continue }
            throw Failure(
                .badData,
                """
                arm \(arm.name) names version \(version), which \(store.location) does not have: "coterie models" \
                lists all
                """)
        }
        // Versions are pinned first: daemons look for them as soon as the experiment has started.
        let pinned = try store.pinned()
        for version in definition.versions where !pinned.contains(version) { try store.pin(version, true) }
        try parsed.changeExperiments { register, now in
            register.setHoldout(file.holdout) ?? register.start(definition, atMilliseconds: now)
        }
        parsed.note(.start, .experiment, name, after: definition.arms.map(\.name).joined(separator: ", "), in: store)
        try Output.say("experiment \(name) is started")
        try warn(about: definition, parsed)
        for version in definition.versions.sorted() {
            try Output.say(
                "version \(version) is pinned: when the experiment is over, \"coterie models unpin\" releases it")
        }
    }

    private static func stop(_ parsed: ParsedCommand) throws {
        let name = try parsed.experimentName()
        try parsed.changeExperiments { register, now in
            register.stop(name, atMilliseconds: now)
                ? nil : "no experiment \"\(name)\" runs: \"coterie experiment list\" lists all"
        }
        parsed.note(.stop, .experiment, name, in: try parsed.openStore())
        try Output.say("experiment \(name) is stopped")
    }

    private static func list(_ parsed: ParsedCommand) throws {
        let rows = ExperimentRow.all(
            try parsed.experiments(), defined: try parsed.experimentsFileIfPresent()?.definitions ?? [],
            atMilliseconds: SystemClock.nowMilliseconds)
        try parsed.print(rows) { output in
            if rows.isEmpty { try output.line("there are no experiments") } else { try output.table(rows) }
        }
    }

    private static func assign(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count == 2 else { throw UsageError("\"experiment assign\" needs the id of a member") }
        let id = parsed.arguments[1]
        let (count, now) = (try parsed.integerIfGiven("groups", in: 0...Int(Int32.max)), SystemClock.nowMilliseconds)
        let register = try parsed.experiments()
        // With --groups no version is needed, unless an experiment asks for how long members are known.
        let asksSince = register.entries.contains { $0.definition.eligibility.knownSince != nil }
        let profile =
            count == nil || asksSince ? try parsed.knownProfile(ofMember: id, atMilliseconds: now) : nil
        let arms = Assigner(register).arms(
            ofMember: id, groupCount: count ?? profile?.joined.count ?? 0,
            knownSinceMilliseconds: profile?.knownSinceMilliseconds,
            shown: try parsed.openCatalogIfPresent()?.shownArms(ofUser: id) ?? [:], atMilliseconds: now)
        try parsed.print(StoredDocument(content: arms)) { output in
            for assigned in arms { try output.line("\(assigned.experiment): \(assigned.arm)") }
            if arms.isEmpty { try output.line("\(id) is in no experiment") }
        }
    }
}

extension ParsedCommand {
    fileprivate func experimentName() throws(UsageError) -> String {
        guard arguments.count == 2 else {
            throw UsageError("\"experiment \(arguments[0])\" needs the name of an experiment")
        }
        return arguments[1]
    }

    /// Returns a member's profile as daemons make it, or `nil` if there is no catalog or no such member.
    fileprivate func knownProfile(ofMember id: String, atMilliseconds instant: Int64) throws -> MemberProfile? {
        guard let catalog = try openCatalogIfPresent() else { return nil }
        let planner = Planner(
            model: try loadVersion().model, configuration: PlanConfiguration(), key: RotationKey(0, 0))
        return try MemberProfile(ofUser: id, from: catalog, for: planner, atMilliseconds: instant)
    }
}
