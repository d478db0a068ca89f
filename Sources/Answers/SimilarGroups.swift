public import Model
public import Recommendation

/// Groups that are like a group: `GET /v1/groups/{id}/similar`, `coterie similar`.
public struct SimilarGroups: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// The group that was asked about.
    public var groupId: String
    /// What the groups have in common: a relation, or all of them blended.
    public var by: Choice
    /// The groups, best first.
    public var neighbours: [Neighbour]

    /// The groups that are most like a group.
    ///
    /// - Parameters:
    ///   - by: the name of a relation, or `RelationTable.blendName`.
    ///   - limit: how many at most.
    ///   - filter: what is asked of the groups.
    public init(
        _ version: ServedVersion, to group: UInt32, by: String, limit: Int, filter: GroupFilter = .none,
        _ recommender: Recommender
    ) {
        self.version = version
        groupId = recommender.model.id(of: Int(group))
        self.by = Choice(name: by)
        if let facts = recommender.relations[Relation(rawValue: by)] {
            let similar = recommender.neighbours(of: group, by: facts.relation, limit: limit, filter: filter)
            neighbours = Self.neighbours(similar, facts, in: recommender.model)
        } else {
            let similar = recommender.similar(to: group, limit: limit, filter: filter)
            neighbours = Self.neighbours(similar, recommender.relations, in: recommender.model)
        }
    }

    // Functions of the model, not closures that capture it, which would copy it for every row.

    private static func neighbours(
        _ neighbours: [Model.Neighbour], _ facts: RelationFacts, in model: VisibleModel
    ) -> [Neighbour] {
        let columns = SizeColumns([facts])
        return neighbours.enumerated().map { Neighbour(at: $0, $1, columns, in: model) }
    }

    private static func neighbours(
        _ suggestions: [Suggestion], _ relations: RelationTable, in model: VisibleModel
    ) -> [Neighbour] {
        let columns = SizeColumns(Array(relations))
        return suggestions.enumerated().map { Neighbour(at: $0, $1, columns, in: model) }
    }

    /// The name of the schema.
    public static let schemaName: String? = "SimilarGroups"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groupId", \.groupId, "The group that was asked about")
        fields.always("by", \.by, "What the groups have in common")
        fields.always("neighbours", \.neighbours, "Similar groups, best first")
    }
}

extension SimilarGroups {
    /// A group that is like the one that was asked about.
    public struct Neighbour: Answer, Equatable {
        /// Its rank and names.
        public var group: RankedGroup
        /// How alike they are: a similarity, or a sum of what the relations contribute.
        public var score: Score
        /// Entries that the two have in common; nil in a blend.
        public var common: UInt32?
        /// How many entries it has in each relation that was asked for.
        public var sizes: GroupSizes
        /// What each relation contributes; nil outside a blend.
        public var relations: [RelationShare]?

        /// A neighbour in one relation.
        fileprivate init(at index: Int, _ neighbour: Model.Neighbour, _ columns: SizeColumns, in model: VisibleModel) {
            group = RankedGroup(at: index, neighbour.index, in: model)
            score = .single(neighbour.score)
            common = neighbour.common
            sizes = columns.sizes(of: neighbour.index, in: model)
        }

        /// A neighbour in a blend.
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
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always("score", \.score, "How alike they are: a similarity, or with by=both a blend")
            fields.sometimes("common", \.common, as: .count, "How much they have in common; not with by=both")
            fields.sizes(\.sizes) { relations in
                relations.map { .sometimes($0.sizeField, .count, "Its \($0.name); with by=\($0.name) and by=both") }
            }
            fields.sometimes("relations", \.relations, "What each relation contributes; with by=both")
        }
    }
    /// What a relation contributes to a blend.
    public struct RelationShare: Answer, Equatable {
        /// What the groups have in common.
        public var relation: Relation
        /// Its share of the score, from 0 to 1.
        public var share: Double
        /// How much they have in common.
        public var common: UInt32

        /// The name of the schema.
        public static let schemaName: String? = "RelationShare"
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("relation", \.relation, "What the groups have in common")
            fields.always("share", \.share, "Its share of the score, from 0 to 1")
            fields.always("common", \.common, as: .count, "How much they have in common")
        }
    }

    /// A score in the precision that it has.
    public enum Score: JSONValue, Equatable {
        /// A similarity, as a version stores it.
        case single(Float)
        /// A sum of what relations contribute.
        case double(Double)

        /// The number.
        public var value: Double {
            switch self {
            case .single(let score): Double(score)
            case .double(let score): score
            }
        }

        /// Any number.
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
        /// Its name.
        public var name: String

        /// One of the relations, or `both`.
        public static func schema(of relations: RelationTable) -> Schema { .string(words: relations.choices) }
        /// Writes the name.
        public func write(to json: inout JSONWriter) { json.write(name) }
    }
}
