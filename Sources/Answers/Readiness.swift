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
package struct DaemonReport: Sendable, Equatable, Codable {
    /// The host name of its machine.
    package var host: String
    package var processId: Int
    /// The version of its program, or nil for an earlier program, which does not tell it.
    package var program: String?
    /// The address at which it listens.
    package var address: String
    /// The port at which it listens.
    package var port: Int
    /// The time at which it started, in Unix milliseconds.
    package var startedAtMilliseconds: Int64
    /// The time of this report, in Unix milliseconds.
    package var reportedAtMilliseconds: Int64
    /// The model version that it serves, or nil for none.
    package var modelVersion: String?
    /// The time at which it began to serve that version, in Unix milliseconds.
    package var versionTakenAtMilliseconds: Int64?
    /// The problems it has, one sentence each; empty if all is well.
    package var problems: [String]
    /// The path of its journal on its machine, with symbolic links resolved; nil for a daemon without a journal.
    package var journal: String?
    /// The number of changes in its journal that other daemons lack; nil for a daemon without a journal.
    package var outboxChanges: Int?
    /// The time since which the oldest of them has waited, in Unix milliseconds.
    package var outboxSinceMilliseconds: Int64?
    /// The number of other daemons' changes in Redis that its journal lacks; nil for a daemon without a journal.
    package var streamMissing: Int64?
    /// The latest moment up to which it has all changes of other daemons, in Unix milliseconds.
    package var streamCompleteAtMilliseconds: Int64?
    /// The number of stored sessions that have not ended; nil without sessions, or while it is still counting.
    package var sessions: Int?
    /// The number of errors and warnings in its log in the last hour, not counting refused requests.
    package var errorsInLastHour: Int
    /// The latest error or warning.
    package var lastError: String?
    /// The time of that error or warning, in Unix milliseconds.
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
}

/// A daemon's lag behind the store's current version and behind the changes of other daemons.
package struct DaemonLag: Sendable, Equatable, Encodable {
    /// The time for which the daemon has not served the current version; 0 if it does, nil if unknown.
    package var versionSeconds: Double?
    /// The delay between the switch and its start of serving the current version.
    ///
    /// The delay is nil if the daemon does not serve that version, or started after the switch.
    package var switchSeconds: Double?
    /// The age of the latest moment up to which it has all changes of other daemons; nil without a journal.
    package var streamSeconds: Double?
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
