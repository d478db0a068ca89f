/// What a daemon says of itself to those who look after the store.
public struct DaemonReport: Sendable, Equatable, Codable {
    /// The name of its machine.
    public var host: String
    /// The number of its process.
    public var processId: Int
    /// Where it listens.
    public var address: String
    /// The port it listens at.
    public var port: Int
    /// When it started, in Unix milliseconds.
    public var startedAtMilliseconds: Int64
    /// When it said this, in Unix milliseconds.
    public var reportedAtMilliseconds: Int64
    /// The version that it serves; nil for none.
    public var modelVersion: String?
    /// When it took that version up, in Unix milliseconds.
    public var versionTakenAtMilliseconds: Int64?
    /// What is wrong with it, a sentence each; empty if all is well.
    public var problems: [String]
    /// The path of its journal on its machine, without links; nil for a daemon without a journal.
    public var journal: String?
    /// Changes in its journal that other daemons do not have yet; nil for a daemon without a journal.
    public var outboxChanges: Int?
    /// Since when the first of them waits, in Unix milliseconds.
    public var outboxSinceMilliseconds: Int64?
    /// Changes of other daemons that were in Redis and not in its journal; nil for a daemon without a journal.
    public var streamMissing: Int64?
    /// The latest moment whose changes of other daemons it all has, in Unix milliseconds.
    public var streamCompleteAtMilliseconds: Int64?
    /// Sessions on its disk that have not ended; nil for a daemon without sessions, or that is still counting.
    public var sessions: Int?
    /// Errors and warnings in its log in the last hour; refused requests are not among them.
    public var errorsInLastHour: Int
    /// The last of them.
    public var lastError: String?
    /// When that was, in Unix milliseconds.
    public var lastErrorAtMilliseconds: Int64?

    /// A report.
    public init(
        host: String, processId: Int, address: String, port: Int, startedAtMilliseconds: Int64,
        reportedAtMilliseconds: Int64, modelVersion: String?, versionTakenAtMilliseconds: Int64? = nil,
        problems: [String], journal: String? = nil, outboxChanges: Int? = nil, outboxSinceMilliseconds: Int64? = nil,
        streamMissing: Int64? = nil, streamCompleteAtMilliseconds: Int64? = nil, sessions: Int? = nil,
        errorsInLastHour: Int = 0, lastError: String? = nil, lastErrorAtMilliseconds: Int64? = nil
    ) {
        self.host = host
        self.processId = processId
        self.address = address
        self.port = port
        self.startedAtMilliseconds = startedAtMilliseconds
        self.reportedAtMilliseconds = reportedAtMilliseconds
        self.modelVersion = modelVersion
        self.versionTakenAtMilliseconds = versionTakenAtMilliseconds
        self.problems = problems
        self.journal = journal
        self.outboxChanges = outboxChanges
        self.outboxSinceMilliseconds = outboxSinceMilliseconds
        self.streamMissing = streamMissing
        self.streamCompleteAtMilliseconds = streamCompleteAtMilliseconds
        self.sessions = sessions
        self.errorsInLastHour = errorsInLastHour
        self.lastError = lastError
        self.lastErrorAtMilliseconds = lastErrorAtMilliseconds
    }
}
