import Basics
import Answers
import CommandLine
import FoundationEssentials

/// The state of a store and its daemons, as `coterie status --json` writes it.
struct StoreStatus: Encodable {
    /// A daemon's report, and its lag.
    struct Daemon: Encodable {
        var report: DaemonReport
        var lag: DaemonLag

        func encode(to encoder: any Encoder) throws {
            try report.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(lag, forKey: .lag)
        }

        private enum CodingKeys: CodingKey {
            case lag
        }
    }

    var store: String
    var currentVersion: String?
    /// The time at which the recompute of the current version began.
    var currentVersionAtMilliseconds: Int64?
    /// The time at which the version became current, or `nil` if it is not known.
    var currentSinceMilliseconds: Int64?
    var versions: [String]
    var lastRecomputeSuccessAtSeconds: Int64?
    var lastRecomputeFailureAtSeconds: Int64?
    var lastRecomputeFailure: String?
    var daemons: [Daemon]
    /// The journals on this machine; if the store is a folder, the one beside the catalog.
    var journals: [JournalOutbox]
}

/// The screen of `coterie status`.
struct StatusScreen {
    private let status: StoreStatus
    private let now: Int64

    /// Creates the screen.
    ///
    /// - Parameter now: the current time, in Unix milliseconds.
    init(_ status: StoreStatus, at now: Int64) {
        self.status = status
        self.now = now
    }

    var lines: [String] {
        let daemons = status.daemons.isEmpty ? ["no daemon runs on this store"] : table + status.daemons.flatMap(notes)
        let since = status.currentSinceMilliseconds.map { ", current for \(age($0))" } ?? ""
        return [
            "store: \(status.store)",
            status.currentVersion.map { current in
                "current version: \(current), made \(age(status.currentVersionAtMilliseconds)) ago\(since); "
                    + "\(status.versions.count) in the store"
            } ?? "no version is current: run \"coterie recompute\"",
        ] + recomputes + daemons + status.journals.filter { !$0.daemonRuns }.compactMap(outbox)
    }

    private var recomputes: [String] {
        var lines: [String] = []
        if let time = status.lastRecomputeSuccessAtSeconds {
            lines.append("a recompute last succeeded \(age(time * 1000)) ago")
        }
        if let time = status.lastRecomputeFailureAtSeconds {
            let reason = status.lastRecomputeFailure.map { ": \($0)" } ?? ""
            lines.append("a recompute last failed \(age(time * 1000)) ago\(reason)")
        }
        return lines
    }

    private var table: [String] {
        var table = TextTable([
            .init(title: "daemon"), .init(title: "program"), .init(title: "up"), .init(title: "serves"),
            .init(title: "version lag"),
            .init(title: "switched in"), .init(title: "stream lag"), .init(title: "outbox", isNumber: true),
            .init(title: "waiting"), .init(title: "sessions", isNumber: true),
            .init(title: "errors, 1 h", isNumber: true),
        ])
        for daemon in status.daemons {
            let (report, lag) = (daemon.report, daemon.lag)
            let version = report.modelVersion.map { version in
                version == status.currentVersion ? "the current one" : "another: \(version)"
            }
            table.add([
                "\(report.host) \(report.address):\(report.port)", report.program ?? "-",
                age(report.startedAtMilliseconds),
                version ?? "nothing", span(lag.versionSeconds), span(lag.switchSeconds), streamLag(daemon),
                report.outboxChanges.map(\.grouped) ?? "-", age(report.outboxSinceMilliseconds),
                report.sessions.map(\.grouped) ?? "-", report.errorsInLastHour.grouped,
            ])
        }
        return table.lines
    }

    private func streamLag(_ daemon: StoreStatus.Daemon) -> String {
        guard let missing = daemon.report.streamMissing, missing > 0 else { return span(daemon.lag.streamSeconds) }
        return "\(Int(missing).grouped) changes, \(span(daemon.lag.streamSeconds))"
    }

    private func notes(_ daemon: StoreStatus.Daemon) -> [String] {
        let (report, name) = (daemon.report, "\(daemon.report.host) port \(daemon.report.port)")
        var lines = report.problems.map { "\(name): \($0)" }
        if report.errorsInLastHour > 0, let last = report.lastError {
            lines.append("\(name), \(age(report.lastErrorAtMilliseconds)) ago: \(last)")
        }
        return lines
    }

    /// Returns the line about a journal, or nil if all its changes are in the catalog beside it.
    private func outbox(_ journal: JournalOutbox) -> String? {
        let count = journal.changes ?? 0
        let since = "\(count.grouped) changes wait, the first for \(age(journal.sinceMilliseconds))"
        let end = journal.isOfCatalog ? "\"coterie apply\" takes them to the catalog" : "no daemon has it"
        if journal.isOfCatalog, count == 0, journal.problem == nil { return nil }
        return "journal \(journal.file): " + (journal.problem ?? "\(count == 0 ? "nothing waits" : since); \(end)")
    }

    private func age(_ milliseconds: Int64?) -> String { span(milliseconds.map { Double(max(0, now - $0)) / 1000 }) }

    private func span(_ seconds: Double?) -> String { seconds.map(Formats.seconds) ?? "-" }
}
