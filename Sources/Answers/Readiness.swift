/// The answer of the health check: `GET /healthz`.
public struct Health: Answer {
    /// Creates the only possible value.
    public init() {}

    /// The name of the schema.
    public static let schemaName: String? = "Health"
    /// Declares the fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "alive" }, as: .string(words: ["alive"]), "Always the same")
    }
}

/// The state of a daemon, and the data it lacks: `GET /readyz`.
public struct Readiness: Answer, Equatable {
    /// The freshness of the served version.
    public var freshness: Freshness
    /// The data that the daemon was started without: `memberships`, `photos`; and `recording`.
    public var missing: [String]
    /// The changes that wait to be sent, or nil if the daemon shares no store with others.
    public var outbox: Outbox?

    /// Creates an answer.
    public init(_ freshness: Freshness, missing: [String], outbox: Outbox?) {
        self.freshness = freshness
        self.missing = missing
        self.outbox = outbox
    }

    /// The name of the schema.
    public static let schemaName: String? = "Readiness"
    /// Declares the fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "ready" }, as: .string(words: ["ready"]), "Always the same")
        fields.part(\.freshness)
        fields.always(
            "missing", \.missing, as: .array(.string(words: ["memberships", "photos", "recording"])),
            "The data that the daemon lacks; recording if the catalog can only be read")
        fields.sometimes("outbox", \.outbox, "Changes that wait to be sent; of a daemon that shares a store in Redis")
    }

    /// Changes that wait to be sent to the other daemons.
    public struct Outbox: Answer, Equatable {
        /// The number of changes.
        public var changes: Int
        /// The time since which the oldest change has waited, in Unix milliseconds; nil if none waits.
        public var sinceMilliseconds: Int64?

        /// Creates a description of waiting changes.
        public init(changes: Int, sinceMilliseconds: Int64?) {
            self.changes = changes
            self.sinceMilliseconds = sinceMilliseconds
        }

        /// Declares the fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("changes", \.changes, as: .count, "Changes that the other daemons have not been told yet")
            fields.sometimes(
                "sinceMilliseconds", \.sinceMilliseconds, "Since when the first of them waits, in Unix milliseconds")
        }
    }
}

/// The freshness of the version that a daemon serves.
public struct Freshness: Answer, Equatable {
    /// The served version.
    public var version: ServedVersion
    /// The time since the version's recompute began.
    public var modelAgeSeconds: Int64
    /// The number of groups in the version.
    public var groupCount: Int
    /// Whether the version is older than it should be.
    public var stale: Bool
    /// The reason why answers are degraded, or nil if they are not.
    public var reason: String?
    /// The store from which versions come.
    public var store: StoreState

    /// Creates a description of a version's freshness.
    public init(
        _ version: ServedVersion, modelAgeSeconds: Int64, groupCount: Int, stale: Bool, reason: String?,
        store: StoreState
    ) {
        self.version = version
        self.modelAgeSeconds = modelAgeSeconds
        self.groupCount = groupCount
        self.stale = stale
        self.reason = reason
        self.store = store
    }

    /// Declares the fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("modelAgeSeconds", \.modelAgeSeconds, as: .count, "How long ago the version's recompute began")
        fields.always("groupCount", \.groupCount, as: .count, "Groups in the version")
        fields.always("stale", \.stale, "Whether the version is older than it should be")
        fields.sometimes("reason", \.reason, "Why it is degraded")
        fields.always("store", \.store, "Where versions come from")
    }
}

/// The store from which a daemon loads versions.
public struct StoreState: Answer, Equatable {
    /// The location of the store.
    public var location: String
    /// Whether the store answered the last request.
    public var reachable: Bool
    /// The time at which the store was first found unreachable, in Unix milliseconds; nil if it is reachable.
    public var unreachableSinceMilliseconds: Int64?

    /// Creates a state.
    public init(location: String, reachable: Bool, unreachableSinceMilliseconds: Int64?) {
        self.location = location
        self.reachable = reachable
        self.unreachableSinceMilliseconds = unreachableSinceMilliseconds
    }

    /// The name of the schema.
    public static let schemaName: String? = "Store"
    /// Declares the fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("location", \.location, "Where versions come from")
        fields.always("reachable", \.reachable, "Whether it answered when it was last asked")
        fields.sometimes(
            "unreachableSinceMilliseconds", \.unreachableSinceMilliseconds,
            "When it was first found unreachable, in Unix milliseconds")
    }
}

/// A daemon's report about itself to the operators of the store.
public struct DaemonReport: Sendable, Equatable, Codable {
    /// The host name of its machine.
    public var host: String
    /// The id of its process.
    public var processId: Int
    /// The version of its program, or nil for an earlier program, which does not tell it.
    public var program: String?
    /// The address at which it listens.
    public var address: String
    /// The port at which it listens.
    public var port: Int
    /// The time at which it started, in Unix milliseconds.
    public var startedAtMilliseconds: Int64
    /// The time of this report, in Unix milliseconds.
    public var reportedAtMilliseconds: Int64
    /// The model version that it serves, or nil for none.
    public var modelVersion: String?
    /// The time at which it began to serve that version, in Unix milliseconds.
    public var versionTakenAtMilliseconds: Int64?
    /// The problems it has, one sentence each; empty if all is well.
    public var problems: [String]
    /// The path of its journal on its machine, with symbolic links resolved; nil for a daemon without a journal.
    public var journal: String?
    /// The number of changes in its journal that other daemons lack; nil for a daemon without a journal.
    public var outboxChanges: Int?
    /// The time since which the oldest of them has waited, in Unix milliseconds.
    public var outboxSinceMilliseconds: Int64?
    /// The number of other daemons' changes in Redis that its journal lacks; nil for a daemon without a journal.
    public var streamMissing: Int64?
    /// The latest moment up to which it has all changes of other daemons, in Unix milliseconds.
    public var streamCompleteAtMilliseconds: Int64?
    /// The number of stored sessions that have not ended; nil without sessions, or while it is still counting.
    public var sessions: Int?
    /// The number of errors and warnings in its log in the last hour, not counting refused requests.
    public var errorsInLastHour: Int
    /// The latest error or warning.
    public var lastError: String?
    /// The time of that error or warning, in Unix milliseconds.
    public var lastErrorAtMilliseconds: Int64?

    /// Creates a report.
    public init(
        host: String, processId: Int, program: String? = nil, address: String, port: Int, startedAtMilliseconds: Int64,
        reportedAtMilliseconds: Int64, modelVersion: String?, versionTakenAtMilliseconds: Int64? = nil,
        problems: [String], journal: String? = nil, outboxChanges: Int? = nil, outboxSinceMilliseconds: Int64? = nil,
        streamMissing: Int64? = nil, streamCompleteAtMilliseconds: Int64? = nil, sessions: Int? = nil,
        errorsInLastHour: Int = 0, lastError: String? = nil, lastErrorAtMilliseconds: Int64? = nil
    ) {
        self.host = host
        self.processId = processId
        self.program = program
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

/// A daemon's lag behind the store's current version and behind the changes of other daemons.
public struct DaemonLag: Sendable, Equatable, Encodable {
    /// The time for which the daemon has not served the current version; 0 if it does, nil if unknown.
    public var versionSeconds: Double?
    /// The delay between the switch and its start of serving the current version.
    ///
    /// The delay is nil if the daemon does not serve that version, or started after the switch.
    public var switchSeconds: Double?
    /// The age of the latest moment up to which it has all changes of other daemons; nil without a journal.
    public var streamSeconds: Double?
}

extension DaemonReport {
    /// Returns the daemon's lag.
    ///
    /// - Parameters:
    ///   - current: the current version of the store, or nil if there is none.
    ///   - since: the time at which that version became current, in Unix milliseconds, or nil if unknown.
    ///   - now: the present time in Unix milliseconds.
    public func lag(behind current: String?, since: Int64?, at now: Int64) -> DaemonLag {
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
