import Basics
import Answers
import Service

/// The state of a store and its daemons: `coterie status`.
struct StoreStatus: Answer {
    var store: String
    var currentVersion: String?
    var currentVersionAtMilliseconds: Int64?
    var currentSinceMilliseconds: Int64?
    var versions: [String]
    var lastRecomputeSuccessAtSeconds: Int64?
    var lastRecomputeFailureAtSeconds: Int64?
    var lastRecomputeFailure: String?
    var daemons: [DaemonStatus]
    var journals: [JournalOutbox]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("store", \.store, "Where versions come from")
        fields.sometimes("currentVersion", \.currentVersion, "The current version; if there is one")
        fields.sometimes("currentVersionAtMilliseconds", \.currentVersionAtMilliseconds, "When its recompute began")
        fields.sometimes("currentSinceMilliseconds", \.currentSinceMilliseconds, "When it became current; if known")
        fields.always("versions", \.versions, "All versions")
        fields.sometimes(
            "lastRecomputeSuccessAtSeconds", \.lastRecomputeSuccessAtSeconds, "When a recompute last succeeded")
        fields.sometimes(
            "lastRecomputeFailureAtSeconds", \.lastRecomputeFailureAtSeconds, "When a recompute last failed")
        fields.sometimes("lastRecomputeFailure", \.lastRecomputeFailure, "Why it failed")
        fields.always("daemons", \.daemons, "The daemons on the store")
        fields.always("journals", \.journals, "The journals on this machine")
    }
}

/// A daemon's report, and its lag.
struct DaemonStatus: Answer {
    let report: DaemonReport
    let lag: DaemonLag
    /// Whether it serves the current version of the store.
    let isCurrent: Bool
    /// The present time, in Unix milliseconds.
    let now: Int64

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.report)
        fields.always("lag", \.lag, "How far it is behind, in seconds")
        fields.column(Column("daemon") { "\($0.report.host) \($0.report.address):\($0.report.port)" })
        fields.column(Column("program") { $0.report.program ?? "-" })
        fields.column(Column("up") { $0.age($0.report.startedAtMilliseconds) })
        fields.column(Column("serves", \.served))
        fields.column(Column("version lag") { span($0.lag.versionSeconds) })
        fields.column(Column("switched in") { span($0.lag.switchSeconds) })
        fields.column(Column("stream lag", \.streamLag))
        fields.column(Column("outbox", isNumber: true) { $0.report.outboxChanges?.grouped ?? "-" })
        fields.column(Column("waiting") { $0.age($0.report.outboxSinceMilliseconds) })
        fields.column(Column("sessions", isNumber: true) { $0.report.sessions?.grouped ?? "-" })
        fields.column(Column("errors, 1 h", isNumber: true, \.report.errorsInLastHour.grouped))
    }

    private var served: String {
        report.modelVersion.map { isCurrent ? "the current one" : "another: \($0)" } ?? "nothing"
    }

    private var streamLag: String {
        guard let missing = report.streamMissing, missing > 0 else { return Self.span(lag.streamSeconds) }
        return "\(missing.grouped) changes, \(Self.span(lag.streamSeconds))"
    }

    private func age(_ milliseconds: Int64?) -> String { Self.age(milliseconds, at: now) }

    /// Returns the time since a moment, or `-` for nil.
    fileprivate static func age(_ milliseconds: Int64?, at now: Int64) -> String {
        span(milliseconds.map { Double(max(0, now - $0)) / 1000 })
    }

    private static func span(_ seconds: Double?) -> String { seconds.map(Formats.seconds) ?? "-" }
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
        let daemons =
            status.daemons.isEmpty
            ? ["no daemon runs on this store"]
            : TextTable(AnswerTable(status.daemons)).lines + status.daemons.flatMap(notes)
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

    private func notes(_ daemon: DaemonStatus) -> [String] {
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

    private func age(_ milliseconds: Int64?) -> String { DaemonStatus.age(milliseconds, at: now) }
}
