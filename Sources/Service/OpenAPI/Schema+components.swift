import Model
import Recommendation

extension Schema {
    /// The schemas that have a name, in the order of the document.
    static func components(of relations: RelationTable) -> [(name: String, schema: Schema)] {
        let relation = Schema.string(words: relations.map(\.name))
        return [("Problem", problem), ("Health", health), ("Readiness", readiness), ("Store", store)]
            + [("SimilarGroups", similarGroups(relations)), ("SimilarGroup", similarGroup(relations))]
            + [("RelationShare", relationShare(relation))]
            + [("Recommendations", recommendations), ("GroupsForPhoto", groupsForPhoto)]
            + [("Interest", interest), ("Suggestion", suggestion(relations)), ("Reason", reason(relation))]
            + [("Explanation", explanation)] + interactionComponents
            + [("Trending", trending), ("TrendingGroup", trendingGroup)]
            + [("GroupForPhoto", groupForPhoto(relations)), ("PhotoReason", photoReason(relation))]
            + administrationComponents(relation) + [("Description", .anyObject)]
    }

    private static let version = Property.always(
        "modelVersion", .string(), "The model version that everything in the answer is of")

    private static let degraded = Property.always(
        "degraded", .boolean,
        "Whether the version may not be the current one, or what other daemons were told is missing")

    private static let problem = Schema.object([
        .always("type", .string(), "What kind of problem it is: about:blank, or urn:coterie:problem:KIND"),
        .always("title", .string(), "The kind, for people"),
        .always("status", .integer(400...599), "The status of the answer"),
        .always("detail", .string(), "What is wrong here, and what to do"),
        .sometimes("instance", .string(), "The path of the request"),
        .sometimes("parameter", .string(), "The parameter that is wrong"),
        .sometimes("field", .string(), "The member of the body that is wrong, such as interactions[3].kind"),
        .sometimes("allowed", .array(.string()), "What is allowed instead"),
        .sometimes("minimum", .integer(), "The least number allowed"),
        .sometimes("maximum", .integer(), "The greatest number allowed"),
        .sometimes("near", .array(.string()), "Ids near one that does not exist"),
        .sometimes("missing", .array(.string()), "What the daemon lacks"),
        .sometimes(
            "storeUnreachableSinceMilliseconds", .integer(),
            "When the store was first found away, in Unix milliseconds"),
    ])

    private static let health = Schema.object([.always("status", .string(words: ["alive"]), "Always the same")])

    private static let store = Schema.object([
        .always("location", .string(), "Where versions come from"),
        .always("reachable", .boolean, "Whether it answered when it was last asked"),
        .sometimes("unreachableSinceMilliseconds", .integer(), "When it was first found away, in Unix milliseconds"),
    ])

    /// What tells how fresh a version is.
    static let freshness: [Property] = [
        version, degraded,
        .always("modelAgeSeconds", .count, "How long ago the version's recompute began"),
        .always("groupCount", .count, "Groups in the version"),
        .always("stale", .boolean, "Whether the version is older than it should be"),
        .sometimes("reason", .string(), "Why it is degraded"),
        .always("store", .component("Store"), "Where versions come from"),
    ]

    private static let readiness = Schema.object(
        [.always("status", .string(words: ["ready"]), "Always the same")] + freshness + [
            .always(
                "missing", .array(.string(words: ["memberships", "photos"])),
                "What the daemon was started without"),
            .sometimes(
                "outbox",
                .object([
                    .always("changes", .count, "Changes that the other daemons do not have yet"),
                    .sometimes("sinceMilliseconds", .integer(), "Since when the first of them waits"),
                ]), "What waits to be sent; of a daemon that shares a store in Redis"),
        ])

    private static func similarGroups(_ relations: RelationTable) -> Schema {
        Schema.object([
            version, degraded,
            .always("groupId", .string(), "The group that was asked about"),
            .always("by", .string(words: relations.choices), "What the groups have in common"),
            .always("neighbours", .array(.component("SimilarGroup")), "Groups that are like it, best first"),
        ])
    }

    private static func similarGroup(_ relations: RelationTable) -> Schema {
        let sizes: [Property] = relations.map {
            .sometimes($0.sizeField, .count, "Its \($0.name); with by=\($0.name) and by=both")
        }
        return Schema.object(
            [
                .always("rank", .integer(1...Int.max), "The place in the list, from 1"),
                .always("groupId", .string(), "The group"),
                .always("title", .string(), "Its title"),
                .always("score", .number, "How alike they are: a similarity, or with by=both a blend"),
                .sometimes("common", .count, "How much they have in common; not with by=both"),
            ] + sizes + [
                .sometimes("relations", .array(.component("RelationShare")), "What the score is made of; with by=both")
            ])
    }

    private static func relationShare(_ relation: Schema) -> Schema {
        Schema.object([
            .always("relation", relation, "What the groups have in common"),
            .always("share", .number, "Its share of the score, from 0 to 1"),
            .always("common", .count, "How much of it they have in common"),
        ])
    }

    private static let recommendations = Schema.object([
        version, degraded,
        .always("userId", .string(), "The member"),
        .always("recommendationId", .string(), "What interactions call the list that they come from"),
        .always("bucket", .integer(), "The number of the span of time for which the order stays as it is"),
        .always("interests", .array(.component("Interest")), "What the member cares about, the largest first"),
        .always("recommendations", .array(.component("Suggestion")), "Groups, in the order in which they are shown"),
        .sometimes("next", .string(), "The parameter after for the next page; if there is one"),
    ])

    private static let interest = Schema.object([
        .always("name", .string(), "What its groups have in common, in a few words"),
        .always("share", .number, "Its part of the member's groups, from 0 to 1"),
        .always("groupIds", .array(.string()), "The joined groups it consists of"),
    ])

    private static let explanation = Schema.object([
        version, degraded,
        .always("userId", .string(), "The member"),
        .always("groupId", .string(), "The group that was asked about"),
        .always("standing", .string(words: GroupExplanation.standings), "Whether it is in the list, or why not"),
        .always("explanation", .string(), "The same for people"),
        .sometimes("place", .integer(1...Int.max), "Its place in the list; if it is there"),
        .sometimes("interest", .string(), "The name of the interest it serves; if joined groups brought it"),
        .always("reasons", .array(.component("Reason")), "Joined groups that speak for it, the strongest first"),
    ])

    private static let trending = Schema.object([
        version, degraded,
        .always("groups", .array(.component("TrendingGroup")), "Groups, the most unusual first"),
    ])

    private static let trendingGroup = Schema.object([
        .always("rank", .integer(1...Int.max), "The place in the list, from 1"),
        .always("groupId", .string(), "The group"),
        .always("title", .string(), "Its title"),
        .always("score", .number, "How unusual its last week is, in standard deviations"),
        .always("joiners", .count, "Different people who joined in the last seven days"),
        .always("posters", .count, "Different people who posted in the last seven days"),
        .always("usualWeek", .number, "Joiners and posters of a week, as the mean of the eight before"),
    ])

    private static let groupsForPhoto = Schema.object([
        version, degraded,
        .always("photoId", .string(), "The photo"),
        .always("groups", .array(.component("GroupForPhoto")), "Groups, best first"),
    ])

    /// What every suggested group has, whatever it was suggested for.
    private static func suggestedGroup(_ relations: RelationTable) -> [Property] {
        [
            .always("rank", .integer(1...Int.max), "The place in the list, from 1"),
            .always("groupId", .string(), "The group"),
            .always("title", .string(), "Its title"),
            .always("score", .number, "How well it fits; comparable within the list"),
        ] + relations.reversed().map { .always($0.sizeField, .count, "Its \($0.name)") } + [
            .always("joinPolicy", .string(words: ["open", "approval", "invite"]), "How one joins it")
        ]
    }

    private static func suggestion(_ relations: RelationTable) -> Schema {
        Schema.object(
            suggestedGroup(relations) + [
                .always(
                    "origin", .string(words: PlanItem.Origin.allCases.map(\.rawValue)), "Why it is in the list at all"),
                .sometimes("interest", .string(), "The name of the interest it serves; if joined groups brought it"),
                .always("reasons", .array(.component("Reason")), "Joined groups that brought it, the strongest first"),
            ])
    }

    private static func groupForPhoto(_ relations: RelationTable) -> Schema {
        Schema.object(
            suggestedGroup(relations) + [
                .always("reasons", .array(.component("PhotoReason")), "What brought it here, the strongest first")
            ])
    }

    private static func photoReason(_ relation: Schema) -> Schema {
        Schema.object([
            .always(
                "kind", .string(words: ["sharedPools", "similarGroup", "tags", "place", "owner"]), "What speaks for it"),
            .always("share", .number, "Its share of the score, from 0 to 1"),
            .sometimes("photos", .count, "Photos that share pools with it, or the owner's photos there"),
            .sometimes("groupId", .string(), "A group the photo is in, which it is like"),
            .sometimes("title", .string(), "That group's title"),
            .sometimes("relation", relation, "What the two groups have in common"),
            .sometimes("common", .count, "How much they have in common"),
            .sometimes("tags", .array(.string()), "The photo's tags that the group's photos have"),
            .sometimes("latitude", .number, "The middle of the area that the group's photos are from"),
            .sometimes("longitude", .number, "The middle of the area that the group's photos are from"),
            .sometimes("isMember", .boolean, "Whether the owner is a member"),
        ])
    }

    private static func reason(_ relation: Schema) -> Schema {
        Schema.object([
            .always("groupId", .string(), "A group that it is like"),
            .always("title", .string(), "That group's title"),
            .always("relation", relation, "What the two have in common"),
            .always("share", .number, "Its share of the score, from 0 to 1"),
            .always("common", .count, "How much they have in common"),
        ])
    }
}
