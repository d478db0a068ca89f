import CatalogStore
import Model

extension Schema {
    /// The schemas of what administrators ask and decide, in the order of the document.
    ///
    /// - Parameter relation: the schema of a relation's name.
    static func administrationComponents(_ relation: Schema) -> [(name: String, schema: Schema)] {
        [("Hiding", hiding), ("HiddenGroups", hiddenGroups), ("Placement", placement), ("Curation", curation)]
            + [("ModelReport", modelReport), ("RelationReport", relationReport(relation))]
    }

    private static let group = Property.always("groupId", .string(), "The group")

    private static let hiding = Schema.object([
        group, .always("hidden", .boolean, "Whether it is hidden now"),
        .always("changed", .boolean, "Whether it was otherwise before"),
    ])
    private static let hiddenGroups = Schema.object([
        .always(
            "groups",
            .array(
                .object([group, .always("hiddenAtMilliseconds", .integer(), "Since when, in Unix milliseconds")])),
            "In ascending order of the bytes of their ids"),
        .sometimes("next", .string(), "The parameter after for those that follow; if there are any"),
    ])
    private static let placement = Schema.object([
        .sometimes(
            "position", .integer(Placement.positions), "The place among all that are put forward; the last if not given"
        ),
        .sometimes(
            "startsAtMilliseconds", .integer(RequestTime.bounds), "From when on, to the second; at once if not given"),
        .sometimes(
            "expiresAtMilliseconds", .integer(RequestTime.bounds), "Until when, to the second; for ever if not given"),
    ])
    private static let curation = Schema.object([
        .always(
            "groups",
            .array(
                .object([
                    group, .always("position", .integer(1...Int.max), "The place among all, from 1 without gaps"),
                    .sometimes("startsAtMilliseconds", .integer(), "From when on, inclusive"),
                    .sometimes("expiresAtMilliseconds", .integer(), "Until when, exclusive"),
                    .always("isValid", .boolean, "Whether it is put forward right now: in time, public, not hidden"),
                ])), "By position")
    ])

    private static let modelReport = Schema.object(
        freshness + [
            .always("createdAtMilliseconds", .integer(), "When the recompute began, in Unix milliseconds"),
            .always("sizeBytes", .count, "The size of the version"),
            .always("recomputeSeconds", .number, "How long the recompute took"),
            .always(
                "catalog",
                .object([
                    .always("schemaVersion", .count, "The version of its schema"),
                    .always("changeCount", .count, "A number that grows with every change"),
                ]), "The catalog it was built from"),
            .always(
                "groups",
                .object([
                    .always("included", .count, "Public groups"),
                    .always("leftOutPrivate", .count, "Private and hidden groups, which are in no version"),
                ]), "Groups in and out of the version"),
            .always("relations", .array(.component("RelationReport")), "How each relation was computed"),
        ])

    private static func relationReport(_ relation: Schema) -> Schema {
        Schema.object([
            .always("relation", relation, "What groups have in common"),
            .always("measure", .string(), "The formula"),
            .always("measureParameters", .map(.number), "The formula's parameters"),
            .always("minimumEntries", .count, "Photos or members that a group needs to count"),
            .always("minimumCommon", .count, "Photos or members that a pair needs in common"),
            .always("limit", .count, "Neighbours of a group, at most"),
            .always("entries", .count, "Pairs of a group and a photo or member"),
            .always("groupsCounted", .count, "Groups that counted"),
            .always("groupsWithNeighbours", .count, "Groups with a neighbour"),
            .always("neighbours", .count, "Neighbours of all groups"),
        ])
    }
}
