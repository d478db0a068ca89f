public import Model
public import Recommendation

/// Groups that are similar to a group: `GET /v1/groups/{id}/similar`, `coterie similar`.
public struct SimilarGroups: Answer, Equatable {
    /// The model version from which the answer is made.
    public var version: ServedVersion
    /// The external id of the group in question.
    public var groupId: String
    /// The relation of the similarity, or the blend of all relations.
    public var by: Choice
    /// The groups, best first.
    public var neighbours: [Neighbour]

    /// Finds the groups that are most similar to a group.
    ///
    /// - Parameters:
    ///   - version: the model version of the answer.
    ///   - group: the group's index in the model.
    ///   - by: the name of a relation, or `RelationTable.blendName`.
    ///   - limit: the most groups to list.
    ///   - filter: the conditions on the groups.
    ///   - boosts: the factors for the order of the groups.
    ///   - recommender: the source of similar groups.
    public init(
        _ version: ServedVersion, to group: UInt32, by: String, limit: Int, filter: GroupFilter = .none,
        boosts: [Boost] = [], _ recommender: Recommender
    ) {
        self.version = version
        groupId = recommender.model.id(of: Int(group))
        self.by = Choice(name: by)
        if let facts = recommender.relations[Relation(rawValue: by)] {
            let similar = recommender.neighbours(
                of: group, by: facts.relation, limit: limit, filter: filter, boosts: boosts)
            neighbours = Self.neighbours(similar, facts, in: recommender.model)
        } else {
            let similar = recommender.similar(to: group, limit: limit, filter: filter, boosts: boosts)
            neighbours = Self.neighbours(similar, recommender.relations, in: recommender.model)
        }
    }

    // The following functions take the model as a parameter. Closures that capture the model would copy it for every
    // row.

    private static func neighbours(
        _ neighbours: [Model.Neighbour], _ facts: RelationDescription, in model: VisibleModel
    ) -> [Neighbour] {
        let columns = SizeColumns([facts])
        return neighbours.enumerated().map { Neighbour(at: $0, $1, columns, in: model) }
    }

    private static func neighbours(
        _ suggestions: [Suggestion], _ relations: RelationTable, in model: VisibleModel
    ) -> [Neighbour] {
        let columns = SizeColumns(relations.tabled)
        return suggestions.enumerated().map { Neighbour(at: $0, $1, columns, in: model) }
    }

    /// The name of the schema.
    public static let schemaName: String? = "SimilarGroups"
    /// Declares the fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groupId", \.groupId, "The group that was asked about")
        fields.always("by", \.by, "What the groups have in common")
        fields.always("neighbours", \.neighbours, "Similar groups, best first")
    }
}

extension SimilarGroups {
    /// A group that is similar to the group in question.
    public struct Neighbour: Answer, Equatable {
        /// The rank, id and title.
        public var group: RankedGroup
        /// The similarity, or in a blend the sum of the relations' contributions.
        public var score: Score
        /// The number of entries that the two groups have in common; nil in a blend.
        public var common: UInt32?
        /// The number of entries in each relation that was requested.
        public var sizes: RelationCounts
        /// The contribution of each relation; nil outside a blend.
        public var relations: [RelationShare]?

        /// Creates a neighbour in one relation.
        fileprivate init(at index: Int, _ neighbour: Model.Neighbour, _ columns: SizeColumns, in model: VisibleModel) {
            group = RankedGroup(at: index, neighbour.index, in: model)
            score = .single(neighbour.score)
            common = neighbour.common
            sizes = columns.sizes(of: neighbour.index, in: model)
        }

        /// Creates a neighbour in a blend.
        fileprivate init(at index: Int, _ suggestion: Suggestion, _ columns: SizeColumns, in model: VisibleModel) {
            group = RankedGroup(at: index, suggestion.group, in: model)
            score = .double(suggestion.score)
            sizes = columns.sizes(of: suggestion.group, in: model)
            relations = suggestion.reasons.map { reason in
                RelationShare(
                    relation: reason.relation, share: reason.contribution / suggestion.score, common: reason.common)
            }
        }

        /// The name of the schema.
        public static let schemaName: String? = "SimilarGroup"
        /// Declares the fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always("score", \.score, "How alike they are: a similarity, or with by=both a blend")
            fields.sometimes("common", \.common, as: .count, "How much they have in common; not with by=both")
            fields.sizes(\.sizes) { relations in
                relations.map { facts in
                    let blend = facts.source == nil ? "" : " and by=both"
                    return .sometimes(facts.sizeField, .count, "Its \(facts.name); with by=\(facts.name)\(blend)")
                }
            }
            fields.sometimes("relations", \.relations, "What each relation contributes; with by=both")
        }
    }
    /// The contribution of one relation to a blend.
    public struct RelationShare: Answer, Equatable {
        /// The relation.
        public var relation: Relation
        /// The relation's share of the score, from 0 to 1.
        public var share: Double
        /// The number of entries that the two groups have in common.
        public var common: UInt32

        /// The name of the schema.
        public static let schemaName: String? = "RelationShare"
        /// Declares the fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("relation", \.relation, "What the groups have in common")
            fields.always("share", \.share, "Its share of the score, from 0 to 1")
            fields.always("common", \.common, as: .count, "How much they have in common")
        }
    }

    /// A score in its own precision.
    public enum Score: JSONValue, Equatable {
        /// A similarity, as a version stores it.
        case single(Float)
        /// A sum of the contributions of relations.
        case double(Double)

        /// The score as a number.
        public var value: Double {
            switch self {
            case .single(let score): Double(score)
            case .double(let score): score
            }
        }

        /// Returns the schema of any number.
        public static func schema(of relations: RelationTable) -> Schema { .number }

        /// Writes the fewest digits that read back as the same number.
        public func write(to json: inout JSONWriter) {
            switch self {
            case .single(let score): json.write(score)
            case .double(let score): json.write(score)
            }
        }
    }

    /// A relation, or all of them blended.
    public struct Choice: JSONValue, Equatable {
        /// The name of a relation, or `both`.
        public var name: String

        /// Returns the schema of the name of a relation or `both`.
        public static func schema(of relations: RelationTable) -> Schema { .string(words: relations.choices) }
        /// Writes the name.
        public func write(to json: inout JSONWriter) { json.write(name) }
    }
}
