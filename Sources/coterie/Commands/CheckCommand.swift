import Checkup
import CommandLineOptions
import FoundationEssentials
import Glibc
import ModelStore

/// `coterie check`.
enum CheckCommand: Subcommand {
    static let command = Command(
        "check", summary: "Look whether all is well, and say what is wrong and what to do",
        discussion: """
            Reads all of the catalog (SQLite's integrity check, and whether every row names what exists), all versions \
            of the store with their checksums, and journals and lists of sessions on this machine. Asks Redis what it \
            does without memory and on a restart. Compares the clock with the newest records, and looks whether the \
            disks have room. It changes nothing; daemons, imports and recomputes may run meanwhile. At the size of a \
            large site it takes minutes.

            Versions in Redis are read as a daemon reads them, into a folder that is removed afterwards; --scratch says \
            on which disk.

            Each line is "good", "warning" or "bad". Exit code 65 says that something is bad.
            """,
        options: [
            CommonOptions.catalog, CommonOptions.store, ParsedCommand.journals,
            Option(
                "sessions", "FILE", help: "The lists of a daemon's sessions (default: beside the catalog and journals)",
                environment: "COTERIE_SESSIONS", isRepeating: true),
            Option(
                "scratch", "FOLDER", help: "With a store in Redis: where its versions are read to", default: "/var/tmp"),
            Option(flag: "quiet", help: "Write only what is not good"), CommonOptions.json,
        ],
        examples: ["coterie check", "coterie check --quiet", "coterie check --store redis://localhost --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let journals = parsed.journalFiles()
        let places = Checkup.Places(
            catalog: parsed.text("catalog"), store: try StoreLocation(parsed.text("store")), journals: journals,
            sessions: parsed.sessionFiles(besides: journals))
        let checkup = Checkup(
            places, relations: Coterie.relations, now: Int64(Date().timeIntervalSince1970 * 1000),
            scratchFolder: "\(parsed.text("scratch"))/coterie-check-\(getpid())")
        var findings: [Finding] = []
        var output = try Output()
        try checkup.run { finding in
            findings.append(finding)
            guard !parsed.flag("json"), finding.state != .good || !parsed.flag("quiet") else { return }
            // As soon as it is known: reading all of a large catalog takes long.
            try output.line(line(finding))
            try output.flush()
        }
        let bad = findings.count { $0.state == .bad }
        if parsed.flag("json") {
            let shown = findings.filter { $0.state != .good || !parsed.flag("quiet") }
            try output.json(document: Answer(isWell: bad == 0, findings: shown.map(Row.init)))
        }
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
