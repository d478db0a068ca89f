package import Model

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

extension VersionComparison: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupsBefore", \.groupsBefore, "Groups of the older version")
        fields.always("groupsAfter", \.groupsAfter, "Groups of the newer version")
        fields.always("groupsLost", \.groupsLost, "Groups that the newer version lacks")
        fields.always("groupsAdded", \.groupsAdded, "Groups that the older version lacks")
        fields.always("relations", \.relations, "The differences in each relation")
    }
}

extension RelationComparison: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("relation", \.relation, "The relation", column: Column("relation", \.rawValue))
        fields.always(
            "coverageBefore", \.coverageBefore, "The share of the older version's groups with a neighbour",
            column: .percent("covered before"))
        fields.always(
            "coverageAfter", \.coverageAfter, "The same of the newer version", column: .percent("covered after"))
        fields.always(
            "groupsWithNeighboursBefore", \.groupsWithNeighboursBefore,
            "Groups of both that have neighbours in the older version")
        fields.always("groupsEmptied", \.groupsEmptied, "Those without any in the newer", column: .count("emptied"))
        fields.sometimes(
            "overlapAt10", \.overlapAt10, "The share of the 10 best neighbours that are the same",
            column: .percent("same of 10"))
        fields.sometimes(
            "overlapAt100", \.overlapAt100, "The same of the 100 best", column: .percent("same of 100"))
        fields.sometimes(
            "scoreDrift", \.scoreDrift, "The relative change of the scores", column: .percent("scores moved"))
    }
}
