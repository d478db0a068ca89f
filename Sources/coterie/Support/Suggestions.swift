import Model
import Recommendation

/// Suggested groups as JSON: the same names as over HTTP.
struct SuggestionsJSON: Encodable {
    var modelVersion: String
    var userId: String
    var recommendations: [Row]

    struct Row: Encodable {
        var rank: Int
        var groupId, title: String
        var score: Double
        var reasons: [Reason]
    }

    struct Reason: Encodable {
        var groupId, title, relation: String
        /// Part of the score that it brings, 0 to 1.
        var share: Double
        var common: UInt32
    }

    static func rows(_ suggestions: [Suggestion], _ model: ModelVersion) -> [Row] {
        suggestions.enumerated().map { place, suggestion in
            Row(
                rank: place + 1, groupId: model.id(of: Int(suggestion.group)),
                title: model.title(of: Int(suggestion.group)), score: suggestion.score,
                reasons: suggestion.reasons.map { reason in
                    Reason(
                        groupId: model.id(of: Int(reason.seed)), title: model.title(of: Int(reason.seed)),
                        relation: reason.relation.rawValue, share: reason.contribution / suggestion.score,
                        common: reason.common)
                })
        }
    }
}

/// Suggested groups as a table.
enum SuggestionsTable {
    static func lines(_ suggestions: [Suggestion], _ model: ModelVersion) -> [String] {
        var table = TextTable([
            .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
            .init(title: "score", isNumber: true), .init(title: "because of", maximumWidth: 80),
        ])
        for (place, suggestion) in suggestions.enumerated() {
            table.add([
                String(place + 1), model.id(of: Int(suggestion.group)), model.title(of: Int(suggestion.group)),
                Formats.fixed(suggestion.score, 4), reasons(suggestion, model),
            ])
        }
        return table.lines
    }

    /// The three groups that bring most, each once.
    private static func reasons(_ suggestion: Suggestion, _ model: ModelVersion) -> String {
        var names: [String] = []
        for reason in suggestion.reasons {
            let name = named(Int(reason.seed), in: model)
            if !names.contains(name) { names.append(name) }
        }
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        return names.prefix(3).joined(separator: ", ") + more
    }
}
