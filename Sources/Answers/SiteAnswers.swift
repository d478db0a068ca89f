package import Model

/// The outcome of hiding or showing a group: `PUT` and `DELETE /v1/admin/groups/{id}/hidden`.
package struct Hiding: Answer, Equatable {
    package var groupId: String
    package var hidden: Bool
    package var changed: Bool

    package init(groupId: String, hidden: Bool, changed: Bool) {
        self.groupId = groupId
        self.hidden = hidden
        self.changed = changed
    }

    package static let schemaName: String? = "Hiding"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupId", \.groupId, "The group")
        fields.always("hidden", \.hidden, "Whether it is hidden now")
        fields.always("changed", \.changed, "Whether the request changed that")
    }
}

/// Hidden groups: `GET /v1/admin/hidden`, `coterie hide`.
package struct HiddenGroups: Answer, Equatable {
    package var groups: [Row]
    package var next: String?

    /// Creates a page of hidden groups.
    ///
    /// - Parameters:
    ///   - groups: the groups from the page's beginning on: `limit` and one more, or all that remain if fewer.
    ///   - limit: the most groups on the page.
    package init(_ groups: [HiddenGroup], limit: Int = .max) {
        self.groups = groups.prefix(limit).map { group in
            Row(groupId: group.id, hiddenAtMilliseconds: group.hiddenAtMilliseconds)
        }
        if groups.count > limit { next = self.groups.last?.groupId }
    }

    package static let schemaName: String? = "HiddenGroups"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groups", \.groups, "In ascending order of the bytes of their ids")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }

    /// A hidden group.
    package struct Row: Answer, Equatable {
        package var groupId: String
        package var hiddenAtMilliseconds: Int64

        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("groupId", \.groupId, "The group", column: .id("group"))
            fields.always(
                "hiddenAtMilliseconds", \.hiddenAtMilliseconds, "Since when, in Unix milliseconds",
                column: .time("hidden since"))
        }
    }
}

/// Curated groups: `GET /v1/admin/curation` and the routes that change them, `coterie curate`.
package struct CuratedGroups: Answer, Equatable {
    package var groups: [Row]

    /// Creates an answer with all curated groups.
    ///
    /// - Parameters:
    ///   - curations: the curated groups, by position.
    ///   - now: the present time in Unix seconds.
    package init(_ curations: [Curation], atSeconds now: Int64) {
        groups = curations.map { curation in
            Row(
                groupId: curation.groupID, position: curation.position,
                startsAtMilliseconds: curation.startsAt.map { $0 * 1000 },
                expiresAtMilliseconds: curation.expiresAt.map { $0 * 1000 }, isValid: curation.isValid(at: now))
        }
    }

    package static let schemaName: String? = "Curation"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groups", \.groups, "By position")
    }

    /// A curated group.
    package struct Row: Answer, Equatable {
        package var groupId: String
        package var position: Int
        /// The time from which (inclusive) and until which (exclusive) it is shown, in Unix milliseconds; nil for no
        /// bound.
        package var startsAtMilliseconds, expiresAtMilliseconds: Int64?
        package var isValid: Bool

        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("groupId", \.groupId, "The group", column: .id("group"))
            fields.always(
                "position", \.position, as: .rank, "The position among all, from 1 without gaps",
                column: .rank("position"))
            fields.sometimes(
                "startsAtMilliseconds", \.startsAtMilliseconds, "From when on, inclusive", column: .time("start"))
            fields.sometimes(
                "expiresAtMilliseconds", \.expiresAtMilliseconds, "Until when, exclusive", column: .time("expires"))
            fields.always(
                "isValid", \.isValid, "Whether it is shown right now: in time, public, not hidden",
                column: .yes("now"))
        }
    }
}

/// The version that a daemon serves, with its inputs and parameters: `GET /v1/admin/model`.
package struct ModelReport: Answer, Equatable {
    package var freshness: Freshness
    /// The record of the version's inputs and parameters.
    package var manifest: Manifest

    package init(_ freshness: Freshness, _ manifest: Manifest) {
        self.freshness = freshness
        self.manifest = manifest
    }

    package static let schemaName: String? = "ModelReport"
    package static func declare(_ fields: inout some FieldList<Self>) {
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
