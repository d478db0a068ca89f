public import Model

/// Something a member did, as it was recorded.
public struct RecordedInteraction: Answer, Equatable {
    /// What the client calls it.
    public var id: String
    /// What was done.
    public var kind: Interaction.Kind
    /// The group's external id.
    public var groupId: String
    /// When, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// The list in which the group was shown.
    public var recommendationId: String?
    /// The position the group had there, from 1.
    public var position: Int?
    /// The variant of an experiment.
    public var variant: String?

    /// An interaction.
    public init(
        id: String, kind: Interaction.Kind, groupId: String, atMilliseconds: Int64, recommendationId: String?,
        position: Int?, variant: String?
    ) {
        self.id = id
        self.kind = kind
        self.groupId = groupId
        self.atMilliseconds = atMilliseconds
        self.recommendationId = recommendationId
        self.position = position
        self.variant = variant
    }

    /// How long the client's ids may be, in Unicode scalars.
    public static let idLengths = 1...128
    /// The positions a group may have in a list.
    public static let positions = 1...10_000
    private static let id = Schema.string(lengths: idLengths, pattern: "^[^\\u0000]+$")

    /// The name of the schema.
    public static let schemaName: String? = "RecordedInteraction"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("id", \.id, as: id, "What the client calls it: sending it again changes nothing")
        fields.always("kind", \.kind.rawValue, as: .words(of: Interaction.Kind.self), "What was done")
        fields.always("groupId", \.groupId, "A public group")
        fields.always("atMilliseconds", \.atMilliseconds, "When, in Unix milliseconds")
        fields.sometimes("recommendationId", \.recommendationId, as: id, "The list in which the group was shown")
        fields.sometimes("position", \.position, as: .integer(positions), "The position it had there, from 1")
        fields.sometimes("variant", \.variant, as: id, "The variant of an experiment")
    }
}

extension RecordedInteraction {
    /// What clients tell of an interaction, but for the time, which has bounds for them.
    public static var propertiesButTime: [Schema.Property] {
        properties(of: .standard).filter { $0.name != "atMilliseconds" }
    }
}

/// What a member did: `GET /v1/users/{id}/interactions`.
public struct Interactions: Answer, Equatable {
    /// The member.
    public var userId: String
    /// In the order in which they were recorded.
    public var interactions: [RecordedInteraction]
    /// Where the next page begins; nil if this is the last one.
    public var next: String?

    /// A page of interactions.
    public init(userId: String, interactions: [RecordedInteraction], next: String?) {
        self.userId = userId
        self.interactions = interactions
        self.next = next
    }

    /// The name of the schema.
    public static let schemaName: String? = "Interactions"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("interactions", \.interactions, "In the order in which they were recorded")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }
}

/// How many interactions were recorded: `POST /v1/users/{id}/interactions`.
public struct Recorded: Answer, Equatable {
    /// The member.
    public var userId: String
    /// Interactions that were new, and those whose id was known already.
    public var recorded, repeated: Int

    /// Counts.
    public init(userId: String, recorded: Int, repeated: Int) {
        self.userId = userId
        self.recorded = recorded
        self.repeated = repeated
    }

    /// The name of the schema.
    public static let schemaName: String? = "Recorded"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("recorded", \.recorded, as: .count, "Interactions that were new")
        fields.always("repeated", \.repeated, as: .count, "Interactions whose id was known already")
    }
}

/// How many interactions were forgotten: `DELETE /v1/users/{id}/interactions`, also of a single one.
public struct Forgotten: Answer, Equatable {
    /// The member.
    public var userId: String
    /// Interactions that are gone.
    public var forgotten: Int

    /// A count.
    public init(userId: String, forgotten: Int) {
        self.userId = userId
        self.forgotten = forgotten
    }

    /// The name of the schema.
    public static let schemaName: String? = "Forgotten"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("forgotten", \.forgotten, as: .count, "Interactions that are gone")
    }
}

/// A member's stated interests: `GET` and `PUT /v1/users/{id}/interests`.
public struct Interests: Answer, Equatable {
    /// The member.
    public var userId: String
    /// What the member says to care about.
    public var interests: [String]

    /// Interests.
    public init(userId: String, interests: [String]) {
        self.userId = userId
        self.interests = interests
    }

    /// The name of the schema.
    public static let schemaName: String? = "Interests"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("interests", \.interests, "What the member cares about")
    }
}

/// The lists of several members: `POST /v1/recommendations`.
public struct MemberLists: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// The members, in the order of the request.
    public var lists: [Entry]

    /// Lists.
    public init(_ version: ServedVersion, _ lists: [Entry]) {
        self.version = version
        self.lists = lists
    }

    /// The name of the schema.
    public static let schemaName: String? = "MemberLists"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("lists", \.lists, "One for each id of the request, in its order")
    }

    /// A member's list, or why there is none.
    public struct Entry: Answer, Equatable {
        /// The member.
        public var userId: String
        /// The list; nil if there is a problem.
        public var list: Recommendations?
        /// Why there is no list; nil if there is one.
        public var problem: ProblemDetails?

        /// A list.
        public init(_ list: Recommendations) {
            userId = list.userId
            self.list = list
        }

        /// A member without a list.
        public init(userId: String, _ problem: ProblemDetails) {
            self.userId = userId
            self.problem = problem
        }

        /// The name of the schema.
        public static let schemaName: String? = "MemberList"
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("userId", \.userId, "The member, as the request names it")
            fields.sometimes("list", \.list, "The list, of one page; unless there is a problem")
            fields.sometimes("problem", \.problem, "Why there is no list; other members have theirs all the same")
        }
    }
}

/// What became of a removal: `DELETE /v1/users/{id}`, and the same of a group, a photo or an entry of a group.
public struct Removal: Answer, Equatable {
    /// Rows that were removed from the catalog, by table.
    public var removed: [String: Int]
    /// Whether the next recompute removes it from the catalog.
    public var pending: Bool

    /// An outcome.
    public init(removed: [String: Int], pending: Bool) {
        self.removed = removed
        self.pending = pending
    }

    /// The name of the schema.
    public static let schemaName: String? = "Removal"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always(
            "removed", \.removed, as: Schema.map(.count),
            "Rows that were removed from the catalog, by table; of photos that stay, those that lost their owner")
        fields.always(
            "pending", \.pending, "Whether it is recorded, and removed from the catalog by the next recompute")
    }
}
