import Answers
import CommandLineOptions
import FoundationEssentials
import Model
import ModelStore
import Recompute

/// `coterie status`.
enum StatusCommand: Subcommand {
    static let command = Command(
        "status", summary: "Show on one screen what runs on a store, and what is wrong",
        discussion: """
            Daemons say every two seconds on the store how they are; one that says nothing for twenty seconds is not \
            listed. "another" means that a daemon does not serve the current version; after a switch, that lasts a \
            second or two. An outbox has the changes that a daemon could not yet send to the others.
            """,
        options: CommonOptions.storeOptions + [CommonOptions.recomputeMetrics, CommonOptions.json],
        examples: ["coterie status", "coterie status --store redis://localhost --json"])

    /// What is shown.
    private struct Status: Encodable {
        var store: String
        var currentVersion: String?
        var currentVersionAtMilliseconds: Int64?
        var versions: [String]
        var lastRecomputeSuccessAtSeconds: Int64?
        var lastRecomputeFailureAtSeconds: Int64?
        var daemons: [DaemonReport]
    }

    static func run(_ parsed: ParsedCommand) throws {
        let status = try status(parsed)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: status)
        } else {
            for line in lines(status) { try output.line(line) }
        }
        try output.flush()
    }

    private static func status(_ parsed: ParsedCommand) throws -> Status {
        let store = try parsed.openStore()
        let (current, manifests) = (try store.current(), try store.versions())
        let reports = try store.board?.reports() ?? []
        let job = parsed.textIfGiven("metrics").flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
            .map(RecomputeStatus.init)
        return Status(
            store: store.location, currentVersion: current?.description,
            currentVersionAtMilliseconds: manifests.first { $0.version == current }?.createdAtMilliseconds,
            versions: manifests.map(\.version.description), lastRecomputeSuccessAtSeconds: job?.lastSuccessSeconds,
            lastRecomputeFailureAtSeconds: job?.lastFailureSeconds,
            // One of a later program may have more to say, or say it otherwise.
            daemons: reports.compactMap { try? JSONDecoder().decode(DaemonReport.self, from: Data($0)) })
    }

    private static func lines(_ status: Status) -> [String] {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        func age(_ milliseconds: Int64?) -> String {
            milliseconds.map { Formats.seconds(Double(max(0, now - $0)) / 1000) } ?? "-"
        }
        var lines = ["store: \(status.store)"]
        lines += [
            status.currentVersion.map { current in
                "current version: \(current), made \(age(status.currentVersionAtMilliseconds)) ago; "
                    + "\(status.versions.count) in the store"
            } ?? "no version is current: run \"coterie recompute\""
        ]
        for (end, seconds) in [
            ("succeeded", status.lastRecomputeSuccessAtSeconds), ("failed", status.lastRecomputeFailureAtSeconds),
        ] where seconds != nil {
            lines.append("a recompute last \(end) \(age(seconds.map { $0 * 1000 })) ago")
        }
        guard !status.daemons.isEmpty else { return lines + ["no daemon runs on this store"] }
        var table = TextTable([
            .init(title: "daemon"), .init(title: "up"), .init(title: "serves"),
            .init(title: "outbox", isNumber: true), .init(title: "waiting"), .init(title: "sessions", isNumber: true),
            .init(title: "errors, 1 h", isNumber: true),
        ])
        for daemon in status.daemons {
            let version = daemon.modelVersion.map { version in
                version == status.currentVersion ? "the current one" : "another: \(version)"
            }
            table.add([
                "\(daemon.host) \(daemon.address):\(daemon.port)", age(daemon.startedAtMilliseconds),
                version ?? "nothing",
                daemon.outboxChanges.map(Formats.grouped) ?? "-", age(daemon.outboxSinceMilliseconds),
                daemon.sessions.map(Formats.grouped) ?? "-", Formats.grouped(daemon.errorsInLastHour),
            ])
        }
        lines += table.lines
        for daemon in status.daemons {
            lines += daemon.problems.map { "\(daemon.host) port \(daemon.port): \($0)" }
            guard daemon.errorsInLastHour > 0, let last = daemon.lastError else { continue }
            lines.append("\(daemon.host) port \(daemon.port), \(age(daemon.lastErrorAtMilliseconds)) ago: \(last)")
        }
        return lines
    }
}
