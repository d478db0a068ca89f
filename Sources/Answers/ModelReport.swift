public import Model

/// The version that a daemon serves, what it was built from, and how: `GET /v1/admin/model`.
public struct ModelReport: Answer, Equatable {
    /// How fresh it is.
    public var freshness: Freshness
    /// What it was built from, and how.
    public var manifest: Manifest

    /// A report.
    public init(_ freshness: Freshness, _ manifest: Manifest) {
        self.freshness = freshness
        self.manifest = manifest
    }

    /// The name of the schema.
    public static let schemaName: String? = "ModelReport"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
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
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("schemaVersion", \.schemaVersion, as: .count, "The version of its schema")
        fields.always("changeCount", \.changeCount, as: .count, "A number that grows with every change")
    }
}

extension Manifest.GroupCounts: Answer {
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("included", \.included, as: .count, "Public groups")
        fields.always(
            "leftOutPrivate", \.leftOutPrivate, as: .count, "Private and hidden groups, which are in no version")
    }
}

extension Manifest.RelationReport: Answer {
    /// The name of the schema.
    public static let schemaName: String? = "RelationReport"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
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
