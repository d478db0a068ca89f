import Answers
import Changes
import Model

/// A recorded action of a member.
struct RecordedInteraction: Answer, Equatable {
    var id: String
    var kind: Interaction.Kind
    var groupId, photoId, userId: String?
    var atMilliseconds: Int64
    var recommendationId: String?
    var position: Int?
    var variant: String?
    var seconds, days: Int?

    /// The allowed lengths of a client's ids, in Unicode scalars.
    static let idLengths = 1...128
    /// The allowed positions of a group in a list.
    static let positions = 1...10_000
    /// The allowed times of a view, in seconds.
    static let viewSeconds = 0...86_400
    private static let id = Schema.string(lengths: idLengths, pattern: "^[^\\u0000]+$")

    static let schemaName: String? = "RecordedInteraction"
    static func declare(_ fields: inout some FieldList<Self>) {
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
struct Interactions: Answer, Equatable {
    var userId: String
    var interactions: [RecordedInteraction]
    var next: String?

    static let schemaName: String? = "Interactions"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("interactions", \.interactions, "In the order in which they were recorded")
        fields.sometimes("next", \.next, "The parameter after for the next page; if there is one")
    }
}

/// The number of interactions that were recorded: `POST /v1/users/{id}/interactions`.
struct Recorded: Answer, Equatable {
    var userId: String
    var recorded, repeated: Int

    static let schemaName: String? = "Recorded"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("recorded", \.recorded, as: .count, "Interactions that were new")
        fields.always("repeated", \.repeated, as: .count, "Interactions whose id was known already")
    }
}

/// The number of erased interactions: `DELETE /v1/users/{id}/interactions`, also of a single one.
struct Forgotten: Answer, Equatable {
    var userId: String
    var forgotten: Int

    static let schemaName: String? = "Forgotten"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("forgotten", \.forgotten, as: .count, "Interactions that are gone")
    }
}

/// A member's stated interests: `GET` and `PUT /v1/users/{id}/interests`.
struct Interests: Answer, Equatable {
    var userId: String
    var interests: [String]

    static let schemaName: String? = "Interests"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("userId", \.userId, "The member")
        fields.always("interests", \.interests, "What the member cares about")
    }
}

/// The lists of several members: `POST /v1/recommendations`.
struct MemberLists: Answer, Equatable {
    /// The model version from which the answer is made.
    var version: ServedVersion
    var lists: [Entry]

    static let schemaName: String? = "MemberLists"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("lists", \.lists, "One for each id of the request, in its order")
    }

    /// A member's list, or the problem that prevents one.
    struct Entry: Answer, Equatable {
        var userId: String
        var list: Recommendations?
        var problem: ProblemDetails?

        static let schemaName: String? = "MemberList"
        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("userId", \.userId, "The member, as the request names it")
            fields.sometimes("list", \.list, "The list, of one page; unless there is a problem")
            fields.sometimes("problem", \.problem, "Why there is no list; other members have theirs all the same")
        }
    }
}

/// The outcome of a removal: `DELETE /v1/users/{id}`, and the same for a group, a photo or an entry of a group.
struct PendingRemoval: Answer, Equatable {
    var pending: Bool

    static let schemaName: String? = "Removal"
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("pending", \.pending, "Whether it is recorded, and goes from the catalog when that is applied")
    }
}

extension RecordedInteraction {
    init(_ record: InteractionRecord) {
        (id, kind, atMilliseconds) = (record.id, record.kind, record.atMilliseconds)
        switch kind.subject {
        case .group: groupId = record.subjectID
        case .photo: photoId = record.subjectID
        case .user: userId = record.subjectID
        case nil: break
        }
        (recommendationId, position, variant) = (record.recommendationID, record.position, record.variant)
        if kind == .pause { days = record.seconds.map { $0 / Pause.secondsOfDay } } else { seconds = record.seconds }
    }
}
