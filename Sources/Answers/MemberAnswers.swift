package import Model

/// A recorded action of a member.
package struct RecordedInteraction: Answer, Equatable {
    package var id: String
    package var kind: Interaction.Kind
    package var groupId, photoId, userId: String?
    package var atMilliseconds: Int64
    package var recommendationId: String?
    package var position: Int?
    package var variant: String?
    package var seconds, days: Int?

    package init(
        id: String, kind: Interaction.Kind, subjectId: String, atMilliseconds: Int64, recommendationId: String?,
        position: Int?, variant: String?, seconds: Int?
    ) {
        self.id = id
        self.kind = kind
        switch kind.subject {
        case .group: groupId = subjectId
        case .photo: photoId = subjectId
        case .user: userId = subjectId
        case nil: break
        }
        self.atMilliseconds = atMilliseconds
        self.recommendationId = recommendationId
        self.position = position
        self.variant = variant
        if kind == .pause { days = seconds.map { $0 / Pause.secondsOfDay } } else { self.seconds = seconds }
    }

    /// The allowed lengths of a client's ids, in Unicode scalars.
    package static let idLengths = 1...128
    /// The allowed positions of a group in a list.
    package static let positions = 1...10_000
    /// The allowed times of a view, in seconds.
    package static let viewSeconds = 0...86_400
    private static let id = Schema.string(lengths: idLengths, pattern: "^[^\\u0000]+$")

    package static let schemaName: String? = "RecordedInteraction"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("id", \.id, as: id, "What the client calls it: sending it again changes nothing")
        fields.always("kind", \.kind.rawValue, as: .words(of: Interaction.Kind.self), "What was done")
        fields.sometimes("groupId", \.groupId, "A public group; for each kind that is about one")
        fields.sometimes("photoId", \.photoId, "A photo; for favourite and unfavourite")
        fields.sometimes("userId", \.userId, "Another member; for follow and unfollow")
        fields.always("atMilliseconds", \.atMilliseconds, "When, in Unix milliseconds")
        fields.sometimes("recommendationId", \.recommendationId, as: id, "The list in which the group was shown")
        fields.sometimes("position", \.position, as: .integer(positions), "The position it had there, from 1")
        fields.sometimes("variant", \.variant, as: id, "The variant of an experiment")
        fields.sometimes("seconds", \.seconds, as: .integer(viewSeconds), "How long the member looked; for view")
        fields.sometimes("days", \.days, as: .integer(Pause.days), "How long the pause is; for one that ends by itself")
    }
}

/// A page of the member's recorded interactions: `GET /v1/users/{id}/interactions`.
package struct Interactions: Answer, Equatable {
    package var userId: String
    package var interactions: [RecordedInteraction]
    package var next: String?

    package init(userId: String, interactions: [RecordedInteraction], next: String?) {
        self.userId = userId
        self.interactions = interactions
        self.next = next
    }

    package static let schemaName: String? = "Interactions"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("interactions", \.interactions, "In the order in which they were recorded")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }
}

/// The number of interactions that were recorded: `POST /v1/users/{id}/interactions`.
package struct Recorded: Answer, Equatable {
    package var userId: String
    package var recorded, repeated: Int

    package init(userId: String, recorded: Int, repeated: Int) {
        self.userId = userId
        self.recorded = recorded
        self.repeated = repeated
    }

    package static let schemaName: String? = "Recorded"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("recorded", \.recorded, as: .count, "Interactions that were new")
        fields.always("repeated", \.repeated, as: .count, "Interactions whose id was known already")
    }
}

/// The number of erased interactions: `DELETE /v1/users/{id}/interactions`, also of a single one.
package struct Forgotten: Answer, Equatable {
    package var userId: String
    package var forgotten: Int

    package init(userId: String, forgotten: Int) {
        self.userId = userId
        self.forgotten = forgotten
    }

    package static let schemaName: String? = "Forgotten"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("forgotten", \.forgotten, as: .count, "Interactions that are gone")
    }
}

/// A member's stated interests: `GET` and `PUT /v1/users/{id}/interests`.
package struct Interests: Answer, Equatable {
    package var userId: String
    package var interests: [String]

    package init(userId: String, interests: [String]) {
        self.userId = userId
        self.interests = interests
    }

    package static let schemaName: String? = "Interests"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("interests", \.interests, "What the member cares about")
    }
}

/// The lists of several members: `POST /v1/recommendations`.
package struct MemberLists: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var lists: [Entry]

    package init(_ version: ServedVersion, _ lists: [Entry]) {
        self.version = version
        self.lists = lists
    }

    package static let schemaName: String? = "MemberLists"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("lists", \.lists, "One for each id of the request, in its order")
    }

    /// A member's list, or the problem that prevents one.
    package struct Entry: Answer, Equatable {
        package var userId: String
        package var list: Recommendations?
        package var problem: ProblemDetails?

        package init(_ list: Recommendations) {
            userId = list.userId
            self.list = list
        }

        package init(userId: String, _ problem: ProblemDetails) {
            self.userId = userId
            self.problem = problem
        }

        package static let schemaName: String? = "MemberList"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("userId", \.userId, "The member, as the request names it")
            fields.sometimes("list", \.list, "The list, of one page; unless there is a problem")
            fields.sometimes("problem", \.problem, "Why there is no list; other members have theirs all the same")
        }
    }
}

/// The outcome of a removal: `DELETE /v1/users/{id}`, and the same for a group, a photo or an entry of a group.
package struct Removal: Answer, Equatable {
    package var pending: Bool

    package init(pending: Bool) { self.pending = pending }

    package static let schemaName: String? = "Removal"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("pending", \.pending, "Whether it is recorded, and goes from the catalog when that is applied")
    }
}
