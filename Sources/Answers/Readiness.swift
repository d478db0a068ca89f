/// That a daemon is alive: `GET /healthz`.
public struct Health: Answer {
    /// The only value there is.
    public init() {}

    /// The name of the schema.
    public static let schemaName: String? = "Health"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "alive" }, as: .string(words: ["alive"]), "Always the same")
    }
}

/// What a daemon serves, and what it lacks: `GET /readyz`.
public struct Readiness: Answer, Equatable {
    /// How fresh the version is.
    public var freshness: Freshness
    /// What the daemon was started without.
    public var missing: [String]
    /// What waits to be sent; nil if there are no other daemons.
    public var outbox: Outbox?

    /// What a daemon says of itself.
    public init(_ freshness: Freshness, missing: [String], outbox: Outbox?) {
        self.freshness = freshness
        self.missing = missing
        self.outbox = outbox
    }

    /// The name of the schema.
    public static let schemaName: String? = "Readiness"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "ready" }, as: .string(words: ["ready"]), "Always the same")
        fields.part(\.freshness)
        fields.always(
            "missing", \.missing, as: .array(.string(words: ["memberships", "photos"])),
            "What the daemon was started without")
        fields.sometimes("outbox", \.outbox, "Changes that wait to be sent; of a daemon that shares a store in Redis")
    }

    /// Changes that wait to be sent to the other daemons.
    public struct Outbox: Answer, Equatable {
        /// How many.
        public var changes: Int
        /// Since when the first of them waits, in Unix milliseconds.
        public var sinceMilliseconds: Int64?

        /// Changes that wait.
        public init(changes: Int, sinceMilliseconds: Int64?) {
            self.changes = changes
            self.sinceMilliseconds = sinceMilliseconds
        }

        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("changes", \.changes, as: .count, "Changes that the other daemons have not been told yet")
            fields.sometimes(
                "sinceMilliseconds", \.sinceMilliseconds, "Since when the first of them waits, in Unix milliseconds")
        }
    }
}

/// How fresh the version is that a daemon serves.
public struct Freshness: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// How long ago its recompute began.
    public var modelAgeSeconds: Int64
    /// Groups in the version.
    public var groupCount: Int
    /// Whether it is older than it should be.
    public var stale: Bool
    /// Why the answers are degraded; nil if they are not.
    public var reason: String?
    /// Where versions come from.
    public var store: StoreState

    /// What tells how fresh a version is.
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

    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("modelAgeSeconds", \.modelAgeSeconds, as: .count, "How long ago the version's recompute began")
        fields.always("groupCount", \.groupCount, as: .count, "Groups in the version")
        fields.always("stale", \.stale, "Whether the version is older than it should be")
        fields.sometimes("reason", \.reason, "Why it is degraded")
        fields.always("store", \.store, "Where versions come from")
    }
}

/// The store that a daemon takes versions from.
public struct StoreState: Answer, Equatable {
    /// Where it is.
    public var location: String
    /// Whether it answered when it was last asked.
    public var reachable: Bool
    /// When it was first found unreachable, in Unix milliseconds.
    public var unreachableSinceMilliseconds: Int64?

    /// A state.
    public init(location: String, reachable: Bool, unreachableSinceMilliseconds: Int64?) {
        self.location = location
        self.reachable = reachable
        self.unreachableSinceMilliseconds = unreachableSinceMilliseconds
    }

    /// The name of the schema.
    public static let schemaName: String? = "Store"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("location", \.location, "Where versions come from")
        fields.always("reachable", \.reachable, "Whether it answered when it was last asked")
        fields.sometimes(
            "unreachableSinceMilliseconds", \.unreachableSinceMilliseconds,
            "When it was first found unreachable, in Unix milliseconds")
    }
}

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

/// How far a daemon is behind: what the store has as current, and what other daemons have recorded.
public struct DaemonLag: Sendable, Equatable, Encodable {
    /// For how long it has not served the current version, in seconds; 0 if it serves it, nil if that is not known.
    public var versionSeconds: Double?
    /// How long after the switch it took the current version up, in seconds; nil if it does not serve it, or started
    /// later.
    public var switchSeconds: Double?
    /// The age of the latest moment whose changes of other daemons it all has, in seconds; nil without a journal.
    public var streamSeconds: Double?

    /// A lag.
    public init(versionSeconds: Double? = nil, switchSeconds: Double? = nil, streamSeconds: Double? = nil) {
        self.versionSeconds = versionSeconds
        self.switchSeconds = switchSeconds
        self.streamSeconds = streamSeconds
    }
}

extension DaemonReport {
    /// How far the daemon is behind.
    ///
    /// - Parameters:
    ///   - current: the current version of the store; nil if there is none.
    ///   - since: when that became current, in Unix milliseconds; nil if it is not known.
    ///   - now: Unix milliseconds.
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
