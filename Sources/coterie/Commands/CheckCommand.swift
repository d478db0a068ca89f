package import Answers
import Basics
import CommandLine
import FoundationEssentials
import Glibc
import ModelStore
package import Operations

/// `coterie check`.
enum CheckCommand: ConfiguredCommand {
    static let command = Command(
        "check", summary: "Check the catalog, store, journals and disks",
        discussion: """
            Checks each part of a site:

            \(HealthQuestion.all.map { "\($0.subject): \($0.looksAt)" }.joined(separator: "\n\n"))

            The command changes nothing; daemons, imports and recomputes may run meanwhile. For a large site it takes \
            minutes. With a store in Redis, versions are copied into a temporary folder, and read as a daemon reads \
            them. --scratch says on which disk.

            Each line is "good", "warning" or "bad". The exit code is 0 if all is good, 3 if there are only warnings, \
            and 65 if something is bad. The article "What check asks" lists every fault, and what to do about it.
            """,
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            ParsedCommand.journals,
            Option(
                "sessions", "FILE", help: "A daemon's session lists (default: those beside the catalog and journals)",
                environment: "COTERIE_SESSIONS", setting: Setting("serve.sessions"), isRepeating: true),
            CommonOptions.keys(help: "The key file of the daemons"),
            Option(
                "recompute-metrics", "FILE", help: "The file that tells how the weekly job last ended",
                environment: "COTERIE_RECOMPUTE_METRICS", setting: Setting("recompute.metrics")),
            Option(
                "backups", "FOLDER", help: "The folder in which there must be a new backup",
                setting: Setting("backup.folder")),
            Option(
                "ending", "FILE", help: "A certificate (PEM) or token whose end is reported in advance",
                setting: Setting("check.ending"), isRepeating: true),
            Option(
                "metrics", "FILE",
                help: "Write the outcome to this file for Prometheus; the next check counts evicted keys from there",
                setting: Setting("check.metrics"), isOutput: true),
        ] + bounds + [
            Option(
                "scratch", "FOLDER", help: "With a store in Redis: the place of the temporary folder for its versions",
                default: "/var/tmp"),
            Option(flag: "quiet", help: "Write only what is not good"), CommonOptions.json,
        ],
        examples: ["coterie check", "coterie check --quiet", "coterie check --store redis://localhost --json"])

    private static let bounds = HealthBound.allCases.map { bound in
        Option(
            bound.name, bound.placeholder, help: bound.meaning, default: String(bound.standard),
            type: .integer(0...1 << 30), setting: Setting("check.\(bound)"))
    }

    static func run(_ invocation: Invocation) throws {
        // A mistake on the command line is a usage error, not a finding.
        let words = try invocation.words.completed(environment: invocation.environment)
        var report = try CheckReport(words)
        do {
            let parsed = try invocation.parsed()
            let finding = try configurationFinding(invocation)
            var scratch: ScratchFolder?
            defer { scratch?.remove() }
            var check = try Self.check(parsed, &scratch)
            check.configuration = { finding }
            let record = try check.run { finding in try report.add(finding) }
            if let path = parsed.textIfGiven("metrics") { report.write(to: MetricsFile(path, parsed), record) }
        } catch let error as YAMLError {
            // Without the configuration, the places of everything else are unknown.
            try report.add(
                .badConfiguration("\(error)", advice: "mend it; \"coterie config check\" says whether it is good"))
        }
        try report.finish()
    }

    private static func check(_ parsed: ParsedCommand, _ scratch: inout ScratchFolder?) throws -> HealthCheck {
        let journals = parsed.journalFiles()
        var places = HealthCheck.Places(
            catalog: parsed.text("catalog"), store: try parsed.storeLocation(), cache: parsed.cacheFolder,
            journals: journals, sessions: parsed.sessionFiles(besides: journals))
        places.recomputeStatus = parsed.textIfGiven("recompute-metrics")
        places.backups = parsed.textIfGiven("backups")
        places.keys = parsed.textIfGiven("keys")
        places.ending = parsed.texts("ending")
        // Versions of a server are read into it.
        if case .redis = places.store { scratch = try? ScratchFolder(in: parsed.text("scratch")) }
        var check = HealthCheck(
            places, relations: Coterie.relations,
            scratchFolder: "\(scratch?.path ?? parsed.text("scratch"))/coterie-check-\(getpid())"
        ) { SystemClock.nowMilliseconds }
        for bound in HealthBound.allCases { check.bounds[bound] = try parsed.integer(bound.name) }
        check.evictedBefore = parsed.textIfGiven("metrics")
            .flatMap(RegularFile.text).flatMap(CheckStatus.evictedKeys)
        return check
    }

    private static func configurationFinding(_ invocation: Invocation) throws -> Finding {
        let files = try invocation.files()
        guard !files.paths.isEmpty else { return .good("there is no file") }
        let configured = try files.read(Coterie.settings)
        let names = files.paths.joined(separator: ", ")
        do {
            try ConfigCommand.checkTogether(configured, invocation)
            return .good("\(names) can be used")
        } catch {
            return .badConfiguration(Failure(error).message, advice: "mend it in \(names)")
        }
    }
}

/// The findings of a health check: for people as soon as each is known, or as JSON at the end.
private struct CheckReport: ~Copyable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private var findings: [Finding] = []
    private var output: Output

    init(_ parsed: ParsedCommand) throws(Failure) {
        isJSON = parsed.flag("json")
        isQuiet = parsed.flag("quiet")
        output = try Output()
    }

    mutating func add(_ finding: Finding) throws(Failure) {
        findings.append(finding)
        let isHidden = isQuiet && finding.state == .good
        guard !isJSON, !isHidden else { return }
        let state = finding.state.rawValue
        let spaces = String(repeating: " ", count: 9 - state.count)
        try output.line("\(state)\(spaces)\(finding.subject): \(finding.message)")
        if let advice = finding.advice { try output.line("         do: \(advice)") }
        try output.flush()
    }

    /// Writes the outcome to a file for Prometheus; a failure is a finding of its own.
    mutating func write(to file: MetricsFile, _ record: HealthRecord) {
        var status = CheckStatus(
            seconds: SystemClock.nowMilliseconds / 1000, evictedKeys: record.evictedKeys)
        for finding in findings { status.counts[finding.state, default: 0] += 1 }
        file.replace(with: status.text)
    }

    /// Writes the JSON, if it was asked for, and ends the report.
    ///
    /// - Throws: `Failure` if not everything is good; its exit code tells warnings from what is bad.
    mutating func finish() throws(Failure) {
        let bad = findings.count { $0.state == .bad }
        let isQuiet = isQuiet
        let shown = findings.filter { $0.state != .good || !isQuiet }
        if isJSON { try output.json(Health(isWell: bad == 0, findings: shown)) }
        try output.flush()
        guard bad == 0 else {
            throw Failure(.badData, bad == 1 ? "one thing is bad" : "\(bad) things are bad")
        }
        let warnings = findings.count { $0.state == .warning }
        guard warnings == 0 else {
            throw Failure(.warning, warnings == 1 ? "there is a warning" : "there are \(warnings) warnings")
        }
    }
}

/// The outcome of a check: `coterie check`.
private struct Health: Answer {
    let isWell: Bool
    let findings: [Finding]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("isWell", \.isWell, "Whether nothing is bad")
        fields.always("findings", \.findings, "What was found")
    }
}

extension Finding: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("subject", \.subject, "What was examined")
        fields.always("state", \.state.rawValue, as: .words(of: State.self), "How it is")
        fields.always("message", \.message, "The good news, or the problem")
        fields.sometimes("advice", \.advice, "What to do")
    }
}
