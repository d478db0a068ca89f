/// The answer of the health check: `GET /healthz`.
package struct Health: Answer {
    package init() {}

    package static let schemaName: String? = "Health"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "alive" }, as: .string(words: ["alive"]), "Always the same")
    }
}

/// The state of a daemon, and the data it lacks: `GET /readyz`.
package struct Readiness: Answer, Equatable {
    /// The freshness of the served version.
    package var freshness: Freshness
    package var missing: [String]
    package var outbox: Outbox?

    package init(_ freshness: Freshness, missing: [String], outbox: Outbox?) {
        self.freshness = freshness
        self.missing = missing
        self.outbox = outbox
    }

    package static let schemaName: String? = "Readiness"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "ready" }, as: .string(words: ["ready"]), "Always the same")
        fields.part(\.freshness)
        fields.always(
            "missing", \.missing, as: .array(.string(words: ["memberships", "photos", "recording"])),
            "The data that the daemon lacks; recording if the catalog can only be read")
        fields.sometimes("outbox", \.outbox, "Changes that wait to be sent; of a daemon that shares a store in Redis")
    }

    /// Changes that wait to be sent to the other daemons.
    package struct Outbox: Answer, Equatable {
        package var changes: Int
        package var sinceMilliseconds: Int64?

        package init(changes: Int, sinceMilliseconds: Int64?) {
            self.changes = changes
            self.sinceMilliseconds = sinceMilliseconds
        }

        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("changes", \.changes, as: .count, "Changes that the other daemons have not been told yet")
            fields.sometimes(
                "sinceMilliseconds", \.sinceMilliseconds, "Since when the first of them waits, in Unix milliseconds")
        }
    }
}

/// The freshness of the version that a daemon serves.
package struct Freshness: Answer, Equatable {
    package var version: ServedVersion
    package var modelAgeSeconds: Int64
    package var groupCount: Int
    package var stale: Bool
    package var reason: String?
    package var store: StoreState

    package init(
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

    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("modelAgeSeconds", \.modelAgeSeconds, as: .count, "How long ago the version's recompute began")
        fields.always("groupCount", \.groupCount, as: .count, "Groups in the version")
        fields.always("stale", \.stale, "Whether the version is older than it should be")
        fields.sometimes("reason", \.reason, "Why it is degraded")
        fields.always("store", \.store, "Where versions come from")
    }
}

/// The store from which a daemon loads versions.
package struct StoreState: Answer, Equatable {
    package var location: String
    package var reachable: Bool
    package var unreachableSinceMilliseconds: Int64?

    package init(location: String, reachable: Bool, unreachableSinceMilliseconds: Int64?) {
        self.location = location
        self.reachable = reachable
        self.unreachableSinceMilliseconds = unreachableSinceMilliseconds
    }

    package static let schemaName: String? = "Store"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("location", \.location, "Where versions come from")
        fields.always("reachable", \.reachable, "Whether it answered when it was last asked")
        fields.sometimes(
            "unreachableSinceMilliseconds", \.unreachableSinceMilliseconds,
            "When it was first found unreachable, in Unix milliseconds")
    }
}

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
    package var errorsInLastHour: Int
    package var lastError: String?
    package var lastErrorAtMilliseconds: Int64?

    package init(
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
