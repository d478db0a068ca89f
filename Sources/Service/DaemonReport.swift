package import Answers
package import Basics
package import ModelStore

/// A daemon's report about itself to the operators of the store.
package struct DaemonReport: Answer, Equatable, Codable {
    package var host: String
    package var processId: Int
    package var program: String?
    package var address: String
    package var port: Int
    package var startedAtMilliseconds: Int64
    package var reportedAtMilliseconds: Int64
    package var modelVersion: String?
    package var versionTakenAtMilliseconds: Int64?
    package var problems: [String]
    package var journal: String?
    package var outboxChanges: Int?
    package var outboxSinceMilliseconds: Int64?
    package var streamMissing: Int64?
    package var streamCompleteAtMilliseconds: Int64?
    package var sessions: Int?
    package var errorsInLastHour = 0
    package var lastError: String?
    package var lastErrorAtMilliseconds: Int64?

    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("host", \.host, "The host name of its machine")
        fields.always("processId", \.processId, "Its process")
        fields.sometimes("program", \.program, "The version of its program; if it tells it")
        fields.always("address", \.address, "The address at which it listens")
        fields.always("port", \.port, "The port at which it listens")
        fields.always("startedAtMilliseconds", \.startedAtMilliseconds, "When it started")
        fields.always("reportedAtMilliseconds", \.reportedAtMilliseconds, "When it reported this")
        fields.sometimes("modelVersion", \.modelVersion, "The version that it serves; if it does")
        fields.sometimes("versionTakenAtMilliseconds", \.versionTakenAtMilliseconds, "Since when it serves it")
        fields.always("problems", \.problems, "Its problems, a sentence each")
        fields.sometimes("journal", \.journal, "The path of its journal, without links; if it has one")
        fields.sometimes("outboxChanges", \.outboxChanges, "Changes in its journal that other daemons lack")
        fields.sometimes("outboxSinceMilliseconds", \.outboxSinceMilliseconds, "Since when the oldest of them waits")
        fields.sometimes("streamMissing", \.streamMissing, "Other daemons' changes that its journal lacks")
        fields.sometimes(
            "streamCompleteAtMilliseconds", \.streamCompleteAtMilliseconds, "Up to when it has all changes of others")
        fields.sometimes("sessions", \.sessions, "Stored sessions that have not ended; if they are counted")
        fields.always(
            "errorsInLastHour", \.errorsInLastHour, "Errors and warnings of the last hour, without refused requests")
        fields.sometimes("lastError", \.lastError, "The latest error or warning")
        fields.sometimes("lastErrorAtMilliseconds", \.lastErrorAtMilliseconds, "When that was")
    }
}

/// A daemon's lag behind the store's current version and behind the changes of other daemons.
package struct DaemonLag: Answer, Equatable {
    package var versionSeconds: Double?
    package var switchSeconds: Double?
    package var streamSeconds: Double?

    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.sometimes(
            "versionSeconds", \.versionSeconds, "For how long it has not served the current version; 0 if it does")
        fields.sometimes(
            "switchSeconds", \.switchSeconds, "How long after the switch it served it; if it does, and ran before")
        fields.sometimes(
            "streamSeconds", \.streamSeconds,
            "How old the latest moment is up to which it has all changes of others; with a journal")
    }
}

extension DaemonReport {
    /// Returns the daemon's lag.
    ///
    /// - Parameters:
    ///   - current: the current version of the store, or nil if there is none.
    ///   - since: the time at which that version became current, in Unix milliseconds, or nil if unknown.
    ///   - now: the present time in Unix milliseconds.
    package func lag(behind current: String?, since: Int64?, at now: Int64) -> DaemonLag {
        func seconds(from start: Int64, to end: Int64) -> Double { Double(max(0, end - start)) / 1000 }
        var lag = DaemonLag()
        lag.streamSeconds = streamCompleteAtMilliseconds.map { seconds(from: $0, to: reportedAtMilliseconds) }
        guard let current else { return lag }
        guard modelVersion == current else {
            lag.versionSeconds = since.map { seconds(from: max($0, startedAtMilliseconds), to: now) }
            return lag
        }
        lag.versionSeconds = 0
        if let since, let taken = versionTakenAtMilliseconds, startedAtMilliseconds < since {
            lag.switchSeconds = seconds(from: since, to: taken)
        }
        return lag
    }
}

extension DaemonReport {
    /// Returns the reports on a board of a store; one of a later program that cannot be decoded is left out.
    package static func all(in store: any VersionStore, _ kind: BoardKind = .daemons) throws(Failure) -> [DaemonReport]
    {
        (try store.board(of: kind)?.reports() ?? []).compactMap { try? JSON.decoded(DaemonReport.self, from: $0) }
    }

    /// The machine and port of the daemon, which `coterie experiment report --gone` takes.
    package var name: String { "\(host):\(port)" }

    /// The time up to which the daemon has sent everything, in Unix milliseconds; it writes exposures within a second.
    package var sentUntilMilliseconds: Int64 { (outboxSinceMilliseconds ?? reportedAtMilliseconds) - 1000 }
}
