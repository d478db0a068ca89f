import Answers
import CatalogStore
import Changes
import Model

/// Interactions as a client sends them.
struct InteractionBatch: RequestBody {
    struct Row: Decodable {
        var id, kind, groupId: String
        var atMilliseconds: Int64?
        var recommendationId, variant, origin: String?
        var position: Int?
    }

    /// The number of interactions in a batch.
    static let sizes = 1...500

    static let schema = Schema.component(
        "InteractionBatch",
        .object([.always("interactions", .array(Row.schema, sizes), "What the member did, in any order")]))

    static let example = """
        {"interactions":[{"id":"3f0c-1","kind":"join","groupId":"macro-mondays","position":3}]}
        """

    var interactions: [Row]

    /// The origins of the shown groups, as far as the client gave them; one for each interaction.
    var origins: [ShownOrigin?] { interactions.map { $0.origin.flatMap(ShownOrigin.init) } }

    /// Checks the interactions and returns them.
    ///
    /// - Parameter now: the time for interactions without a time or with a later one, in Unix milliseconds.
    /// - Throws: a `Problem` that names the first field that is out of bounds.
    func records(at now: Int64) throws(Problem) -> [InteractionRecord] {
        guard Self.sizes.contains(interactions.count) else {
            throw .badField(
                "interactions",
                "has \(interactions.count) entries: send \(Self.sizes.lowerBound) to \(Self.sizes.upperBound)")
        }
        var records: [InteractionRecord] = []
        for (index, row) in interactions.enumerated() { records.append(try row.record("interactions[\(index)]", now)) }
        return records
    }
}

extension InteractionBatch.Row {
    /// The schema of a recorded interaction, but with an optional time and an origin.
    fileprivate static let schema = Schema.component(
        "NewInteraction",
        .object(
            RecordedInteraction.propertiesButTime + [
                .sometimes(
                    "atMilliseconds", .integer(RequestTime.eventBounds),
                    "When, in Unix milliseconds; now if not given, or later"),
                .sometimes(
                    "origin", .words(of: ShownOrigin.self),
                    "What made the group stand where it was shown: the origin of its row, else similar or photo; it is "
                        + "counted in metrics, and not recorded"),
            ]))

    fileprivate func record(_ field: String, _ now: Int64) throws(Problem) -> InteractionRecord {
        guard let kind = Interaction.Kind(rawValue: kind) else {
            let words = Interaction.Kind.allCases.map(\.rawValue)
            throw .badField(
                field + ".kind", "is \"\(kind)\": it must be one of \(words.joined(separator: ", "))",
                allowed: words)
        }
        try Self.check(id, field + ".id")
        for (name, text) in [("recommendationId", recommendationId), ("variant", variant)] {
            if let text { try Self.check(text, "\(field).\(name)") }
        }
        if let origin, ShownOrigin(rawValue: origin) == nil {
            let words = ShownOrigin.allCases.map(\.rawValue)
            throw .badField(
                field + ".origin", "is \"\(origin)\": it must be one of \(words.joined(separator: ", "))",
                allowed: words)
        }
        if let position, !RecordedInteraction.positions.contains(position) {
            throw .badField(field + ".position", "is \(position): positions count from 1 to 10000")
        }
        if let atMilliseconds {
            try RequestTime.check(atMilliseconds, field + ".atMilliseconds", in: RequestTime.eventBounds)
        }
        return InteractionRecord(
            id: id, kind, groupID: groupId, atMilliseconds: min(atMilliseconds ?? now, now),
            recommendationID: recommendationId, position: position, variant: variant)
    }

    private static func check(_ text: String, _ field: String) throws(Problem) {
        let lengths = RecordedInteraction.idLengths
        guard lengths.contains(text.unicodeScalars.count), !text.utf8.contains(0) else {
            throw .badField(
                field, "must be \(lengths.lowerBound) to \(lengths.upperBound) characters long, without NUL")
        }
    }
}

/// Stated interests as a client sends them.
struct InterestsBody: RequestBody {
    /// The largest number of interests of a member, inclusive.
    static let limit = 50
    /// The length of an interest, in Unicode scalars.
    static let lengths = 1...100

    static let schema = Schema.component(
        "StatedInterests",
        .object([
            .always(
                "interests", .array(.string(lengths: lengths, pattern: "^[^;\\u0000]+$"), 0...limit),
                "What the member cares about")
        ]))

    static let example = #"{"interests":["owls","snow"]}"#

    var interests: [String]

    /// Checks the interests and returns them.
    func texts() throws(Problem) -> [String] {
        guard interests.count <= Self.limit else {
            throw .badField("interests", "has \(interests.count) entries: at most \(Self.limit) are possible")
        }
        for (index, text) in interests.enumerated() {
            guard Self.lengths.contains(text.unicodeScalars.count),
                !text.utf8.contains(where: { $0 == 0 || $0 == 0x3B })
            else {
                throw .badField(
                    "interests[\(index)]", "must be 1 to \(Self.lengths.upperBound) characters long, without semicolons"
                )
            }
        }
        return interests
    }
}
