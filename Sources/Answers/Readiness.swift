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
