public import Model
import Recommendation

extension JSONWriter {
    /// How many reasons of a suggestion are told, the strongest first.
    static let reasonLimit = 5

    /// A member that is a list of suggested groups, with what brought each.
    mutating func suggestions(_ name: String, _ suggestions: [Suggestion], in model: ModelVersion) {
        objects(name, suggestions.enumerated()) { row, element in
            let (place, suggestion) = element
            row.suggestedGroup(place, suggestion.group, score: suggestion.score, in: model)
            row.objects("reasons", suggestion.reasons.prefix(Self.reasonLimit)) { row, reason in
                row.member("groupId", model.id(of: Int(reason.seed)))
                row.member("title", model.title(of: Int(reason.seed)))
                row.member("relation", reason.relation.rawValue)
                row.member("share", reason.contribution / suggestion.score)
                row.member("common", reason.common)
            }
        }
    }

    /// The members that every suggestion has, whatever it was suggested for.
    mutating func suggestedGroup(_ place: Int, _ group: UInt32, score: Double, in model: ModelVersion) {
        let facts = model.facts(of: Int(group))
        member("rank", place + 1)
        member("groupId", facts.id)
        member("title", facts.title)
        member("score", score)
        member("memberCount", facts.memberCount)
        member("photoCount", facts.photoCount)
        member("joinPolicy", facts.joinPolicy.name)
    }
}

extension JoinPolicy {
    /// The policy as answers write it.
    public var name: String {
        switch self {
        case .open: "open"
        case .approval: "approval"
        case .invite: "invite"
        }
    }
}
