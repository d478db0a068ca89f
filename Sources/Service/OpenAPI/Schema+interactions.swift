import Model

extension Schema {
    /// The schemas of what members do and say, in the order of the document.
    static let interactionComponents: [(name: String, schema: Schema)] =
        [("InteractionBatch", interactionBatch), ("NewInteraction", .object(newInteraction)), ("Recorded", recorded)]
        + [("Interactions", interactions), ("RecordedInteraction", .object(recordedInteraction))]
        + [("Forgotten", forgotten), ("StatedInterests", statedInterests), ("Interests", interests)]

    private static let identifier = Schema.string(lengths: InteractionBatch.idLengths, pattern: "^[^\\u0000]+$")
    private static let member = Property.always("userId", .string(), "The member")

    private static let described: [Property] = [
        .always("id", identifier, "What the client calls it: sending it again changes nothing"),
        .always("kind", .string(words: Interaction.Kind.allCases.map(\.rawValue)), "What was done"),
        .always("groupId", .string(), "A public group"),
        .sometimes("recommendationId", identifier, "The list in which the group was shown"),
        .sometimes("position", .integer(InteractionBatch.positions), "The place it had there, from 1"),
        .sometimes("variant", identifier, "The variant of an experiment"),
    ]
    private static let newInteraction =
        described + [
            .sometimes(
                "atMilliseconds", .integer(RequestTime.bounds), "When, in Unix milliseconds; now if not given, or later"
            )
        ]
    private static let recordedInteraction = described + [.always("atMilliseconds", .integer(), "When")]

    private static let interactionBatch = Schema.object([
        .always(
            "interactions", .array(.component("NewInteraction"), InteractionBatch.sizes),
            "What the member did, in any order")
    ])
    private static let recorded = Schema.object([
        member, .always("recorded", .count, "Interactions that were new"),
        .always("repeated", .count, "Interactions whose id was known already"),
    ])
    private static let interactions = Schema.object([
        member, .always("interactions", .array(.component("RecordedInteraction")), "In the order they were recorded"),
        .sometimes("next", .string(), "The parameter after for those that follow; if there are any"),
    ])
    private static let forgotten = Schema.object([member, .always("forgotten", .count, "Interactions that are gone")])
    private static let stated = Schema.array(
        .string(lengths: StatedInterests.lengths, pattern: "^[^;\\u0000]+$"), 0...StatedInterests.limit)
    private static let statedInterests = Schema.object([.always("interests", stated, "What the member cares about")])
    private static let interests = Schema.object([
        member, .always("interests", .array(.string()), "What the member cares about"),
    ])
}
