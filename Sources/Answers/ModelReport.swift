public import Model

/// What a model version was built from, and how: a part of `GET /v1/admin/model` and of `coterie models`.
public struct VersionFacts: Answer, Equatable {
    /// When the recompute began, in Unix milliseconds.
    public var createdAtMilliseconds: Int64
    /// The size of the version.
    public var sizeBytes: Int
    /// How long the recompute took.
    public var recomputeSeconds: Double
    /// The catalog it was built from.
    public var catalog: Manifest.CatalogState
    /// Groups in and out of the version.
    public var groups: Manifest.GroupCounts
    /// How each relation was computed.
    public var relations: [Manifest.RelationReport]

    /// What a manifest says.
    public init(_ manifest: Manifest) {
        createdAtMilliseconds = manifest.createdAtMilliseconds
        sizeBytes = manifest.byteCount
        recomputeSeconds = manifest.steps.reduce(0) { $0 + $1.seconds }
        catalog = manifest.catalog
        groups = manifest.groups
        relations = manifest.relations
    }

    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always(
            "createdAtMilliseconds", \.createdAtMilliseconds, "When the recompute began, in Unix milliseconds")
        fields.always("sizeBytes", \.sizeBytes, as: .count, "The size of the version")
        fields.always("recomputeSeconds", \.recomputeSeconds, "How long the recompute took")
        fields.always("catalog", \.catalog, "The catalog it was built from")
        fields.always("groups", \.groups, "Groups in and out of the version")
        fields.always("relations", \.relations, "How each relation was computed")
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

/// The model versions of a store: `coterie models`.
public struct StoredVersions: Answer, Equatable {
    /// Where the store is.
    public var store: String
    /// The version that is current; nil if none is.
    public var current: String?
    /// The versions, the oldest first.
    public var versions: [Row]

    /// The versions of some manifests.
    public init(store: String, current: VersionName?, _ manifests: [Manifest]) {
        self.store = store
        self.current = current?.description
        versions = manifests.map { manifest in
            Row(
                modelVersion: manifest.version.description, isCurrent: manifest.version == current,
                facts: VersionFacts(manifest))
        }
    }

    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("store", \.store, "Where the store is")
        fields.sometimes("current", \.current, "The version that is current; if there is one")
        fields.always("versions", \.versions, "The versions, the oldest first")
    }

    /// A version.
    public struct Row: Answer, Equatable {
        /// Its name.
        public var modelVersion: String
        /// Whether it is the current one.
        public var isCurrent: Bool
        /// What it was built from, and how.
        public var facts: VersionFacts

        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("modelVersion", \.modelVersion, "The name of the version")
            fields.always("isCurrent", \.isCurrent, "Whether it is the current one")
            fields.part(\.facts)
        }
    }
}

/// The version that a daemon serves: `GET /v1/admin/model`.
public struct ModelReport: Answer, Equatable {
    /// How fresh it is.
    public var freshness: Freshness
    /// What it was built from, and how.
    public var facts: VersionFacts

    /// A report.
    public init(_ freshness: Freshness, _ manifest: Manifest) {
        self.freshness = freshness
        facts = VersionFacts(manifest)
    }

    /// The name of the schema.
    public static let schemaName: String? = "ModelReport"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.freshness)
        fields.part(\.facts)
    }
}
