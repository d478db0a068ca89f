import Answers
import CatalogStore
import CommandLine
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
            listed. The version lag says for how long a daemon has not served the current version, "switched in" how \
            long after the switch it took it up. With a store in Redis, the stream lag says how old the latest moment \
            is of which it has all changes of other daemons, and how many it does not have; an outbox has the changes \
            that it could not yet send. Sessions are those on its disk that have not ended.

            The journals of this machine are looked at, too: of one that no running daemon has, the status says what \
            waits in it.
            """,
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            ParsedCommand.journals, CommonOptions.recomputeMetrics, CommonOptions.json,
        ],
        examples: ["coterie status", "coterie status --store redis://localhost --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let status = try status(parsed, at: now)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: status)
        } else {
            for line in StatusScreen(status, at: now).lines { try output.line(line) }
        }
        try output.flush()
    }

    private static func status(_ parsed: ParsedCommand, at now: Int64) throws -> StoreStatus {
        let store = try parsed.openStore()
        let (current, manifests) = (try store.current(), try store.versions())
        let since = try store.currentSince()
        // One of a later program may have more to say, or say it otherwise.
        let reports = try (store.board?.reports() ?? []).compactMap {
            try? JSONDecoder().decode(DaemonReport.self, from: Data($0))
        }
        let job = parsed.textIfGiven("metrics").flatMap { try? String(contentsOfFile: $0, encoding: .utf8) }
            .map(RecomputeStatus.init)
        return StoreStatus(
            store: store.location, currentVersion: current?.description,
            currentVersionAtMilliseconds: manifests.first { $0.version == current }?.createdAtMilliseconds,
            currentSinceMilliseconds: since, versions: manifests.map(\.version.description),
            lastRecomputeSuccessAtSeconds: job?.lastSuccessSeconds,
            lastRecomputeFailureAtSeconds: job?.lastFailureSeconds, lastRecomputeFailure: job?.lastFailureReason,
            daemons: reports.map { report in
                .init(report: report, lag: report.lag(behind: current?.description, since: since, at: now))
            },
            journals: try outboxes(parsed, store, reports))
    }

    private static func outboxes(_ parsed: ParsedCommand, _ store: any VersionStore, _ reports: [DaemonReport]) throws
        -> [JournalOutbox]
    {
        let paths = parsed.journalFiles()
        guard let shared = store.shared, !paths.isEmpty else { return [] }
        let exchange = try shared.exchange()
        let host = ProcessInfo.processInfo.hostName
        let inUse = Set(reports.filter { $0.host == host }.compactMap(\.journal))
        return paths.map { path in
            JournalOutbox(path, in: exchange, daemonRuns: inUse.contains(Catalog.resolved(path) ?? path))
        }
    }
}
