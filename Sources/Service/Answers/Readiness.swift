package import Answers
package import Model

/// The answer of the health check: `GET /healthz`.
struct Health: Answer {
    static let schemaName: String? = "Health"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "alive" }, as: .string(words: ["alive"]), "Always the same")
    }
}

/// The state of a daemon, and the data it lacks: `GET /readyz`.
struct Readiness: Answer, Equatable {
    /// The freshness of the served version.
    var freshness: Freshness
    var missing: [String]
    var outbox: Outbox?

    static let schemaName: String? = "Readiness"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("status", { _ in "ready" }, as: .string(words: ["ready"]), "Always the same")
        fields.part(\.freshness)
        fields.always(
            "missing", \.missing, as: .array(.string(words: ["memberships", "photos", "recording"])),
            "The data that the daemon lacks; recording if the catalog can only be read")
        fields.sometimes("outbox", \.outbox, "Changes that wait to be sent; of a daemon that shares a store in Redis")
    }

    /// Changes that wait to be sent to the other daemons.
    struct Outbox: Answer, Equatable {
        var changes: Int
        var sinceMilliseconds: Int64?

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("changes", \.changes, as: .count, "Changes that the other daemons have not been told yet")
            fields.sometimes(
                "sinceMilliseconds", \.sinceMilliseconds, "Since when the first of them waits, in Unix milliseconds")
        }
    }
}

/// The freshness of the version that a daemon serves.
struct Freshness: Answer, Equatable {
    var version: ServedVersion
    var modelAgeSeconds: Int64
    var groupCount: Int
    var stale: Bool
    var reason: String?
    var store: StoreState

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("modelAgeSeconds", \.modelAgeSeconds, as: .count, "How long ago the version's recompute began")
        fields.always("groupCount", \.groupCount, as: .count, "Groups in the version")
        fields.always("stale", \.stale, "Whether the version is older than it should be")
        fields.sometimes("reason", \.reason, "Why it is degraded")
        fields.always("store", \.store, "Where versions come from")
    }
}

/// The store from which a daemon loads versions.
struct StoreState: Answer, Equatable {
    var location: String
    var reachable: Bool
    var unreachableSinceMilliseconds: Int64?

    static let schemaName: String? = "Store"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("location", \.location, "Where versions come from")
        fields.always("reachable", \.reachable, "Whether it answered when it was last asked")
        fields.sometimes(
            "unreachableSinceMilliseconds", \.unreachableSinceMilliseconds,
            "When it was first found unreachable, in Unix milliseconds")
    }
}

/// The version that a daemon serves, with its inputs and parameters: `GET /v1/admin/model`.
struct ModelReport: Answer, Equatable {
    var freshness: Freshness
    /// The record of the version's inputs and parameters.
    var manifest: Manifest

    static let schemaName: String? = "ModelReport"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.freshness)
        fields.always(
            "createdAtMilliseconds", \.manifest.createdAtMilliseconds, "When the recompute began, in Unix milliseconds")
        fields.always("sizeBytes", \.manifest.byteCount, as: .count, "The size of the version")
        fields.always(
            "recomputeSeconds", { $0.manifest.steps.reduce(0) { $0 + $1.seconds } }, "How long the recompute took")
        fields.always("catalog", \.manifest.catalog, "The catalog it was built from")
        fields.always("groups", \.manifest.groups, "Groups in and out of the version")
        fields.always("relations", \.manifest.relations, "How each relation was computed")
    }
}

extension Manifest.CatalogState: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("schemaVersion", \.schemaVersion, as: .count, "The version of its schema")
        fields.always("changeCount", \.changeCount, as: .count, "A number that grows with every change")
    }
}

extension Manifest.GroupCounts: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("included", \.included, as: .count, "Public groups")
        fields.always(
            "leftOutPrivate", \.leftOutPrivate, as: .count, "Private and hidden groups, which are in no version")
    }
}

extension Manifest.RelationReport: Answer {
    package static let schemaName: String? = "RelationReport"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("relation", \.relation, "What groups have in common")
        fields.always("measure", \.measure, "The formula")
        fields.always("measureParameters", \.measureParameters, "The formula's parameters")
        fields.always("minimumEntries", \.minimumEntries, as: .count, "Photos or members that a group needs to count")
        fields.always("minimumCommon", \.minimumCommon, as: .count, "Photos or members that a pair needs in common")
        fields.always("limit", \.limit, as: .count, "The most neighbours a group has")
        fields.always("entries", \.entries, as: .count, "Pairs of a group and a photo or member")
        fields.always("groupsCounted", \.groupsCounted, as: .count, "Groups that counted")
        fields.always("groupsWithNeighbours", \.groupsWithNeighbours, as: .count, "Groups with a neighbour")
        fields.always("neighbours", \.neighbours, as: .count, "Neighbours of all groups")
    }
}

/// The outcome of hiding or showing a group: `PUT` and `DELETE /v1/admin/groups/{id}/hidden`.
struct Hiding: Answer, Equatable {
    var groupId: String
    var hidden: Bool
    var changed: Bool

    static let schemaName: String? = "Hiding"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupId", \.groupId, "The group")
        fields.always("hidden", \.hidden, "Whether it is hidden now")
        fields.always("changed", \.changed, "Whether the request changed that")
    }
}
