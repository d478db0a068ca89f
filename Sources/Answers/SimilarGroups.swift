import Basics
package import Model
package import Recommendation

/// Groups that are similar to a group: `GET /v1/groups/{id}/similar`, `coterie similar`.
package struct SimilarGroups: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var groupId: String
    /// The relation of the similarity, or the blend of all relations.
    package var by: Choice
    package var neighbours: [Neighbour]

    /// Finds the groups that are most similar to a group.
    ///
    /// - Parameters:
    ///   - group: the group's index in the model.
    ///   - by: the name of a relation, or `RelationTable.blendName`.
    ///   - limit: the most groups to list.
    ///   - boosts: the factors for the order of the groups.
    package init(
        _ version: ServedVersion, to group: UInt32, by: String, limit: Int, filter: GroupFilter = .none,
        boosts: [Boost] = [], _ recommender: Recommender
    ) {
        self.version = version
        groupId = recommender.model.id(of: Int(group))
        self.by = Choice(name: by)
        if let facts = recommender.relations[Relation(rawValue: by)] {
            let similar = recommender.neighbours(
                of: group, by: facts.relation, limit: limit, filter: filter, boosts: boosts)
            neighbours = Self.neighbours(similar, facts, recommender.relations, in: recommender.model)
        } else {
            let similar = recommender.similar(to: group, limit: limit, filter: filter, boosts: boosts)
            neighbours = Self.neighbours(similar, recommender.relations, in: recommender.model)
        }
    }

    // The following functions take the model as a parameter. Closures that capture the model would copy it for every
    // row.

    private static func neighbours(
        _ neighbours: [Model.Neighbour], _ facts: RelationDescription, _ relations: RelationTable,
        in model: VisibleModel
    ) -> [Neighbour] {
        let columns = SizeColumns([facts])
        let conversations = GroupConversation.Columns(relations, in: model)
        return neighbours.enumerated().map { Neighbour(at: $0, $1, columns, conversations, in: model) }
    }

    private static func neighbours(
        _ suggestions: [Suggestion], _ relations: RelationTable, in model: VisibleModel
    ) -> [Neighbour] {
        let columns = SizeColumns(relations.tabled(in: model))
        let conversations = GroupConversation.Columns(relations, in: model)
        return suggestions.enumerated().map { Neighbour(at: $0, $1, columns, conversations, in: model) }
    }

    package static let schemaName: String? = "SimilarGroups"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groupId", \.groupId, "The group that was asked about")
        fields.always("by", \.by, "What the groups have in common")
        fields.always("neighbours", \.neighbours, "Similar groups, best first")
    }
}

extension SimilarGroups {
    /// A group that is similar to the group in question.
    package struct Neighbour: Answer, Equatable {
        /// The rank, id and title.
        package var group: RankedGroup
        package var score: Score
        package var common: UInt32?
        /// The number of entries in each relation that was requested.
        package var sizes: RelationCounts
        package var relations: [RelationShare]?
        package var conversation: GroupConversation?

        fileprivate init(
            at index: Int, _ neighbour: Model.Neighbour, _ columns: SizeColumns,
            _ conversations: GroupConversation.Columns?, in model: VisibleModel
        ) {
            group = RankedGroup(at: index, neighbour.index, in: model)
            score = .single(neighbour.score)
            common = neighbour.common
            sizes = columns.sizes(of: neighbour.index, in: model)
            conversation = conversations?.conversation(of: neighbour.index, in: model)
        }

        fileprivate init(
            at index: Int, _ suggestion: Suggestion, _ columns: SizeColumns,
            _ conversations: GroupConversation.Columns?, in model: VisibleModel
        ) {
            group = RankedGroup(at: index, suggestion.group, in: model)
            score = .double(suggestion.score)
            sizes = columns.sizes(of: suggestion.group, in: model)
            conversation = conversations?.conversation(of: suggestion.group, in: model)
            relations = suggestion.reasons.map { reason in
                RelationShare(
                    relation: reason.relation, share: reason.contribution / suggestion.score, common: reason.common)
            }
        }

        package static let schemaName: String? = "SimilarGroup"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always(
                "score", \.score, "How alike they are: a similarity, or with by=both a blend",
                column: Column("score", isNumber: true) { Formats.score($0.value) })
            fields.sometimes("common", \.common, as: .count, "How much they have in common; not with by=both")
            fields.sizes(\.sizes) { relations in
                relations.map { facts in
                    let blend = facts.source == nil ? "" : " and by=both"
                    return .sometimes(facts.sizeField, .count, "Its \(facts.plural); with by=\(facts.name)\(blend)")
                }
            }
            fields.sometimes("relations", \.relations, "What each relation contributes; with by=both")
            fields.sometimes("conversation", \.conversation, "How much is said in it; only if there are posts")
            fields.columns { relations in
                guard !relations.isEmpty else {
                    return [.amount("common", \.common), .amount("size", \.sizes.counts.first)]
                }
                return relations.map { facts in
                    .amount("common \(facts.name)") { row in
                        row.relations?.first { $0.relation == facts.relation }?.common
                    }
                }
            }
        }
    }

    /// The contribution of one relation to a blend.
    package struct RelationShare: Answer, Equatable {
        package var relation: Relation
        package var share: Double
        package var common: UInt32

        package static let schemaName: String? = "RelationShare"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("relation", \.relation, "What the groups have in common")
            fields.always("share", \.share, "Its share of the score, from 0 to 1")
            fields.always("common", \.common, as: .count, "How much they have in common")
        }
    }

    /// A score in its own precision.
    package enum Score: JSONValue, Equatable {
        /// A similarity, as a version stores it.
        case single(Float)
        /// A sum of the contributions of relations.
        case double(Double)

        package var value: Double {
            switch self {
            case .single(let score): Double(score)
            case .double(let score): score
            }
        }

        /// Returns the schema of any number.
        package static func schema(of relations: RelationTable) -> Schema { .number }

        /// Writes the fewest digits that read back as the same number.
        package func write(to json: inout JSONWriter) {
            switch self {
            case .single(let score): json.write(score)
            case .double(let score): json.write(score)
            }
        }
    }

    /// A relation, or all of them blended.
    package struct Choice: JSONValue, Equatable {
        /// The name of a relation, or `both`.
        package var name: String

        /// Returns the schema of the name of a relation or `both`.
        package static func schema(of relations: RelationTable) -> Schema { .string(words: relations.choices) }
        package func write(to json: inout JSONWriter) { json.write(name) }
    }
}

/// The conversation in a group: how much is said, how often it is answered, and by how many members.
package struct GroupConversation: Answer, Equatable {
    package var talk: GroupTalk
    package var speakingShare: Double

    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("postsPerWeek", \.talk.postsPerWeek, "Posts a week, the mean of the last eight weeks")
        fields.always("answersPerPost", \.talk.answersPerPost, "Answers for each post that is none itself")
        fields.always("speakingShare", \.speakingShare, "The share of its members who ever posted, from 0 to 1")
    }

    /// The relations from which the conversation in a group is known.
    struct Columns {
        private let speakers: Relation
        private let members: Relation?

        /// Creates the columns of a version, or returns nil if it has no posts.
        init?(_ relations: RelationTable, in model: VisibleModel) {
            guard let speakers = relations[.conversation]?.relation, model.relations.contains(speakers) else {
                return nil
            }
            (self.speakers, members) = (speakers, relations[.membership]?.relation)
        }

        /// Returns the conversation in a group.
        ///
        /// People who left may have posted, so there can be more speakers than members.
        func conversation(of group: UInt32, in model: VisibleModel) -> GroupConversation {
            let speaking = Double(model.size(of: Int(group), in: speakers))
            let joined = members.map { Double(model.size(of: Int(group), in: $0)) } ?? 0
            return GroupConversation(
                talk: model.talk(of: Int(group)), speakingShare: joined > 0 ? min(1, speaking / joined) : 0)
        }
    }
}
