import CommandLine
import FoundationEssentials
import Glibc
import Operations

/// `coterie check`.
enum CheckCommand: ConfiguredCommand {
    static let command = Command(
        "check", summary: "Look whether all is well, and say what is wrong and what to do",
        discussion: """
            Checks the whole catalog: SQLite's integrity check, and whether every row refers to rows that exist. \
            Checks all versions of the store against their checksums, and the journals and session lists on this \
            machine. Asks Redis what it does when memory runs out, and on a restart. Compares the clock with the \
            newest records, and checks free disk space and the configuration files. The command changes nothing; \
            daemons, imports and recomputes may run meanwhile. For a large site it takes minutes.

            With a store in Redis, versions are copied into a temporary folder, and read as a daemon reads them. \
            --scratch says on which disk.

            Each line is "good", "warning" or "bad". Exit code 65 says that something is bad.
            """,
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            ParsedCommand.journals,
            Option(
                "sessions", "FILE", help: "A daemon's session lists (default: those beside the catalog and journals)",
                environment: "COTERIE_SESSIONS", setting: Setting("serve.sessions"), isRepeating: true),
            Option(
                "scratch", "FOLDER", help: "With a store in Redis: the place of the temporary folder for its versions",
                default: "/var/tmp"),
            Option(flag: "quiet", help: "Write only what is not good"), CommonOptions.json,
        ],
        examples: ["coterie check", "coterie check --quiet", "coterie check --store redis://localhost --json"])

    static func run(_ invocation: Invocation) throws {
        // A mistake on the command line is a usage error, not a finding.
        var report = try CheckReport(invocation.words.completed(environment: invocation.environment))
        do {
            let check = try Self.check(invocation.parsed())
            try report.add(configurationFinding(invocation))
            try check.run { finding in try report.add(finding) }
        } catch let error as ConfigurationError {
            // Without the configuration, the places of everything else are unknown.
            try report.add(
                .bad("configuration", "\(error)", advice: "mend it; \"coterie config check\" says whether it is good"))
        }
        try report.finish()
    }

    private static func check(_ parsed: ParsedCommand) throws -> HealthCheck {
        let journals = parsed.journalFiles()
        let places = HealthCheck.Places(
            catalog: parsed.text("catalog"), store: try parsed.storeLocation(), journals: journals,
            sessions: parsed.sessionFiles(besides: journals))
        return HealthCheck(
            places, relations: Coterie.relations, now: Int64(Date().timeIntervalSince1970 * 1000),
            scratchFolder: "\(parsed.text("scratch"))/coterie-check-\(getpid())")
    }

    private static func configurationFinding(_ invocation: Invocation) throws -> Finding {
        let files = try invocation.files()
        guard !files.paths.isEmpty else { return .good("configuration", "there is no file") }
        let configured = try files.read(Coterie.settings)
        let names = files.paths.joined(separator: ", ")
        do {
            try ConfigCommand.checkTogether(configured, invocation)
            return .good("configuration", "\(names) can be used")
        } catch {
            return .bad("configuration", Failure(error).message, advice: "mend it in \(names)")
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
        try output.line(Self.line(finding))
        try output.flush()
    }

    /// Writes the JSON, if it was asked for, and ends the report.
    ///
    /// - Throws: `Failure` if something is bad.
    mutating func finish() throws(Failure) {
        let bad = findings.count { $0.state == .bad }
        let isQuiet = isQuiet
        let shown = findings.filter { $0.state != .good || !isQuiet }.map(Row.init)
        if isJSON { try output.json(document: Answer(isWell: bad == 0, findings: shown)) }
        try output.flush()
        guard bad == 0 else {
            throw Failure(Failure.badData, bad == 1 ? "one thing is bad" : "\(bad) things are bad")
        }
    }

    private static func line(_ finding: Finding) -> String {
        let state = finding.state.rawValue
        let text = "\(state)\(String(repeating: " ", count: 9 - state.count))\(finding.subject): \(finding.message)"
        return printable(text) + (finding.advice.map { "\n         " + printable("do: \($0)") } ?? "")
    }

    private struct Answer: Encodable {
        var isWell: Bool
        var findings: [Row]
    }

    private struct Row: Encodable {
        var subject, state, message: String
        var advice: String?

        init(_ finding: Finding) {
            (subject, state) = (finding.subject, finding.state.rawValue)
            (message, advice) = (finding.message, finding.advice)
        }
    }
}
