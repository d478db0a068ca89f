import Answers
import Changes
import Model

/// Interactions as a client sends them.
struct InteractionBatch: RequestBody {
    struct Row: BoundedObject {
        static let schemaName = "NewInteraction"
        static let fields: [BodyField<Row>] = [
            .text("id", \.id, ids, isRequired: true, "What the client calls it: sending it again changes nothing"),
            .text(
                "kind", \.kind, .words(Interaction.Kind.allCases.map(\.rawValue)), isRequired: true, "What was done"),
            .text("groupId", \.groupId, .any, "A public group; for each kind that is about one"),
            .text("photoId", \.photoId, .identifier, "A public photo; for favourite and unfavourite"),
            .text("userId", \.userId, .identifier, "Another member; for follow and unfollow"),
            .text("recommendationId", \.recommendationId, ids, "The list in which the group was shown"),
            .integer("position", \.position, RecordedInteraction.positions, "The position it had there, from 1"),
            .text("variant", \.variant, ids, "The variant of an experiment"),
            .integer("seconds", \.seconds, RecordedInteraction.viewSeconds, "How long the member looked; for view"),
            .integer(
                "days", \.days, Pause.days, "How long no groups are shown; for pause. For good if not given"),
            .texts(
                "reasons", \.reasons, 0...5, of: InterestsBody.interest,
                "Why the member joined, as topics, such as owls, feedback or games; for join. They become stated "
                    + "interests"),
            .time(
                "atMilliseconds", \.atMilliseconds, RequestTime.eventBounds,
                "When, in Unix milliseconds; now if not given, or later"),
            .text(
                "origin", \.origin, .words(ShownOrigin.allCases.map(\.rawValue)),
                "What made the group stand where it was shown: the origin of its row, else similar or photo; it is "
                    + "counted in metrics, and not recorded"),
        ]
        private static let ids = TextBounds.lengths(RecordedInteraction.idLengths)

        var id, kind: String
        var groupId, photoId, userId: String?
        var atMilliseconds: Int64?
        var recommendationId, variant, origin: String?
        var position, seconds, days: Int?
        var reasons: [String]?
    }

    static let sizes = 1...500

    static let schemaName = "InteractionBatch"
    static let fields: [BodyField<InteractionBatch>] = [
        .objects("interactions", \.interactions, sizes, "What the member did, in any order")
    ]

    static let example = """
        {"interactions":[{"id":"3f0c-1","kind":"join","groupId":"macro-mondays","position":3}]}
        """

    var interactions: [Row]

    /// The origins of the shown groups, as far as the client gave them; one for each interaction.
    var origins: [ShownOrigin?] { interactions.map { $0.origin.flatMap(ShownOrigin.init) } }

    /// Returns some interests, and behind them the reasons for joining that they lack, up to the limit of interests.
    func interests(after known: [String]) -> [String] {
        var (interests, terms) = (known, Set(known.map(Term.normalized)))
        for reason in interactions.flatMap({ $0.reasons ?? [] }) where terms.insert(Term.normalized(reason)).inserted {
            interests.append(reason)
        }
        return Array(interests.prefix(max(known.count, InterestsBody.limit)))
    }

    /// Returns the interactions.
    ///
    /// - Parameter now: the time for interactions without a time or with a later one, in Unix milliseconds.
    /// - Throws: a `Problem` of status 400 if an interaction does not name what its kind is about, and nothing else.
    func records(at now: Int64) throws(Problem) -> [InteractionRecord] {
        var records: [InteractionRecord] = []
        for (index, row) in interactions.enumerated() {
            guard let kind = Interaction.Kind(rawValue: row.kind) else { preconditionFailure("a body is checked") }
            let given: [Interaction.Kind.Subject: String?] = [
                .group: row.groupId, .photo: row.photoId, .user: row.userId,
            ]
            for subject in Interaction.Kind.Subject.allCases
            where (given[subject] ?? nil != nil) != (subject == kind.subject) {
                let about = kind.subject.map { "a \($0.noun)" } ?? "the member's own list"
                let complaint = subject == kind.subject ? "is missing" : "has no meaning"
                throw .badField(
                    "interactions[\(index)].\(subject.field)", "\(complaint): \"\(kind.rawValue)\" is about \(about)")
            }
            guard (row.seconds != nil) == (kind == .view) else {
                throw .badField(
                    "interactions[\(index)].seconds",
                    kind == .view
                        ? "is missing: it says how long the member looked" : "has no meaning: only \"view\" has it")
            }
            guard row.reasons == nil || kind == .join else {
                throw .badField("interactions[\(index)].reasons", "has no meaning: only \"join\" has reasons")
            }
            guard row.days == nil || kind == .pause else {
                throw .badField("interactions[\(index)].days", "has no meaning: only \"pause\" has days")
            }
            records.append(
                InteractionRecord(
                    id: row.id, kind, subjectID: kind.subject.flatMap { given[$0] ?? nil } ?? "",
                    atMilliseconds: min(row.atMilliseconds ?? now, now), recommendationID: row.recommendationId,
                    position: row.position, variant: row.variant,
                    seconds: row.seconds ?? row.days.map { $0 * Pause.secondsOfDay }))
        }
        return records
    }
}

extension Interaction.Kind.Subject {
    /// The field of a body with the external id.
    var field: String { rawValue + "Id" }

    var noun: String {
        switch self {
        case .group: "group"
        case .photo: "photo"
        case .user: "member"
        }
    }
}

/// Stated interests as a client sends them.
struct InterestsBody: RequestBody {
    static let schemaName = "StatedInterests"
    static let fields: [BodyField<InterestsBody>] = [
        .texts(
            "interests", \.interests, 0...limit, of: interest, isRequired: true, "What the member cares about")
    ]
    static let interest = TextBounds.lengths(1...100, mayHaveSemicolons: false)
    /// The most interests of a member.
    static let limit = 50

    static let example = #"{"interests":["owls","snow"]}"#

    var interests: [String]
}
