import Model
import Recommendation

extension JSONWriter {
    /// How many reasons of a suggestion are told, the strongest first.
    static let reasonLimit = 5

    /// A member that is a list of suggested groups, with what brought each.
    mutating func suggestions(_ name: String, _ suggestions: [Suggestion], in model: ModelVersion) {
        objects(name, suggestions.enumerated()) { row, element in
            let (place, suggestion) = element
            let facts = model.facts(of: Int(suggestion.group))
            row.member("rank", place + 1)
            row.member("groupId", facts.id)
            row.member("title", facts.title)
            row.member("score", suggestion.score)
            row.member("memberCount", facts.memberCount)
            row.member("photoCount", facts.photoCount)
            row.member("joinPolicy", facts.joinPolicy.name)
            row.objects("reasons", suggestion.reasons.prefix(Self.reasonLimit)) { row, reason in
                row.member("groupId", model.id(of: Int(reason.seed)))
                row.member("title", model.title(of: Int(reason.seed)))
                row.member("relation", reason.relation.rawValue)
                row.member("share", reason.contribution / suggestion.score)
                row.member("common", reason.common)
            }
        }
    }
}

extension JoinPolicy {
    /// The policy as answers write it.
    var name: String {
        switch self {
        case .open: "open"
        case .approval: "approval"
        case .invite: "invite"
        }
    }
}
