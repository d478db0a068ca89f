import Basics
import CatalogStore
import Changes
import CommandLine
import FoundationEssentials
import Model
import ModelStore
import Recompute
import Service

/// `coterie status`.
enum StatusCommand: Subcommand {
    static let command = Command(
        "status", summary: "Show on one screen what runs on a store, and what is wrong",
        discussion: """
            Daemons report to the store every two seconds. A daemon without a report for twenty seconds is not \
            listed. The version lag is the time for which a daemon has not served the current version. "switched in" \
            is the time that it took after the switch to serve this version. With a store in Redis, the stream lag \
            says what a daemon lacks of the changes of other daemons. It is the number of these changes, and the time \
            since the daemon had all of them. An outbox has the changes that a daemon could not send yet. Sessions \
            are those on its disk that have not ended.

            The journals of this machine are read, too. If no running daemon has a journal, the status shows what \
            waits in it. With a store in a folder, it shows what "coterie apply" has not taken to the catalog yet.
            """,
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            ParsedCommand.journals, CommonOptions.recomputeMetrics, CommonOptions.json,
        ],
        examples: ["coterie status", "coterie status --store redis://localhost --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let now = SystemClock.nowMilliseconds
        let status = try status(parsed, at: now)
        try parsed.print(status) { output in
            for line in StatusScreen(status, at: now).lines { try output.line(line) }
        }
    }

    private static func status(_ parsed: ParsedCommand, at now: Int64) throws -> StoreStatus {
        let store = try parsed.openStore()
        let (current, manifests) = (try store.current(), try store.versions())
        let since = try store.currentSince()
        let reports = try DaemonReport.all(in: store)
        let job = parsed.textIfGiven("metrics").flatMap(RegularFile.text)
            .map(RecomputeStatus.init)
        return StoreStatus(
            store: store.location, currentVersion: current?.description,
            currentVersionAtMilliseconds: manifests.first { $0.version == current }?.createdAtMilliseconds,
            currentSinceMilliseconds: since, versions: manifests.map(\.version.description),
            lastRecomputeSuccessAtSeconds: job?.lastSuccessSeconds,
            lastRecomputeFailureAtSeconds: job?.lastFailureSeconds, lastRecomputeFailure: job?.lastFailureReason,
            daemons: reports.map { report in
                .init(
                    report: report, lag: report.lag(behind: current?.description, since: since, at: now),
                    isCurrent: report.modelVersion == current?.description, now: now)
            },
            journals: try outboxes(parsed, store, reports))
    }

    private static func outboxes(_ parsed: ParsedCommand, _ store: any VersionStore, _ reports: [DaemonReport]) throws
        -> [JournalOutbox]
    {
        guard let shared = store.shared else {
            guard let path = Catalog.existingJournal(beside: parsed.text("catalog")),
                let taken = try? parsed.openCatalogIfPresent()?.appliedChanges()
            else { return [] }
            let exchange = ChangeExchange(here: [:], streams: [:], prunable: taken)
            return [JournalOutbox(path, in: exchange, daemonRuns: false, beyond: taken)]
        }
        let paths = parsed.journalFiles()
        guard !paths.isEmpty else { return [] }
        let exchange = try shared.exchange()
        let host = ProcessInfo.processInfo.hostName
        let inUse = Set(reports.filter { $0.host == host }.compactMap(\.journal))
        return paths.map { path in
            JournalOutbox(path, in: exchange, daemonRuns: inUse.contains(Catalog.resolved(path) ?? path))
        }
    }
}
