public import Model

extension JSONWriter {
    /// The members that tell which version an answer is of, and whether all was well.
    mutating func version(of snapshot: ModelSnapshot, _ call: Call) {
        member("modelVersion", snapshot.version.description)
        member("degraded", call.problem != nil)
    }

    /// How many reasons of a suggestion are told, the strongest first.
    static let reasonLimit = 5

    /// The members that tell which group a row is about; `place` counts from 0.
    mutating func namedGroup(_ place: Int, _ group: UInt32, in model: ModelVersion) {
        member("rank", place + 1)
        member("groupId", model.id(of: Int(group)))
        member("title", model.title(of: Int(group)))
    }

    /// How many entries a group has in each of some relations.
    mutating func sizes(of group: UInt32, _ relations: some Sequence<RelationFacts>, in model: ModelVersion) {
        for facts in relations { member(facts.sizeField, model.size(of: Int(group), in: facts.relation)) }
    }

    /// The members that every suggestion has, whatever it was suggested for.
    mutating func suggestedGroup(
        _ place: Int, _ group: UInt32, score: Double, _ relations: RelationTable, in model: ModelVersion
    ) {
        namedGroup(place, group, in: model)
        member("score", score)
        // In the order that these answers always had.
        sizes(of: group, relations.reversed(), in: model)
        member("joinPolicy", model.joinPolicy(of: Int(group)).name)
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
