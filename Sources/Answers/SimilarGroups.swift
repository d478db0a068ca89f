public import Model
public import Recommendation

/// Groups that are like a group: `GET /v1/groups/{id}/similar`, `coterie similar`.
public struct SimilarGroups: Answer, Equatable {
    /// What similar groups have in common: a relation, or both blended.
    public enum Likeness: String, CaseIterable, Sendable {
        /// Photos.
        case photos
        /// Members.
        case members
        /// A blend of the two.
        case both

        /// The relation; nil for both.
        public var relation: Relation? { Relation(rawValue: rawValue) }
    }

    /// The version.
    public var version: ServedVersion
    /// The group that was asked about.
    public var groupId: String
    /// What the groups have in common.
    public var by: Likeness
    /// The groups, best first.
    public var neighbours: [Neighbour]

    /// The groups that are most like a group.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - hidden: groups that are left out.
    public init(
        _ version: ServedVersion, to group: UInt32, by likeness: Likeness, limit: Int, hidden: Set<UInt32>,
        _ recommender: Recommender
    ) {
        self.version = version
        groupId = recommender.model.id(of: Int(group))
        by = likeness
        if let relation = likeness.relation {
            neighbours = Self.neighbours(of: group, by: relation, limit: limit, hidden, in: recommender.model)
        } else {
            let similar = recommender.similar(to: group, limit: limit, hidden: hidden)
            neighbours = Self.neighbours(similar, in: recommender.model)
        }
    }

    // Functions of the model, not closures that capture it, which would copy it for every row.

    private static func neighbours(
        of group: UInt32, by relation: Relation, limit: Int, _ hidden: Set<UInt32>, in model: ModelVersion
    ) -> [Neighbour] {
        let shown = model.neighbours(of: Int(group), by: relation).filter { !hidden.contains($0.index) }
        return shown.prefix(limit).enumerated().map { Neighbour(at: $0, $1, by: relation, in: model) }
    }

    private static func neighbours(_ suggestions: [Suggestion], in model: ModelVersion) -> [Neighbour] {
        suggestions.enumerated().map { Neighbour(at: $0, $1, in: model) }
    }

    /// The name of the schema.
    public static let schemaName: String? = "SimilarGroups"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groupId", \.groupId, "The group that was asked about")
        fields.always("by", \.by.rawValue, as: .words(of: Likeness.self), "What the groups have in common")
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
        /// Its photos and its members; nil for a relation that was not asked for.
        public var photoCount, memberCount: UInt32?
        /// What each relation contributes; nil outside a blend.
        public var relations: [RelationShare]?

        /// A neighbour in one relation.
        init(at index: Int, _ neighbour: Model.Neighbour, by relation: Relation, in model: ModelVersion) {
            group = RankedGroup(at: index, neighbour.index, in: model)
            score = .single(neighbour.score)
            common = neighbour.common
            setSize(in: relation, of: neighbour.index, model)
        }

        /// A neighbour in a blend.
        init(at index: Int, _ suggestion: Suggestion, in model: ModelVersion) {
            group = RankedGroup(at: index, suggestion.group, in: model)
            score = .double(suggestion.score)
            relations = suggestion.reasons.map { reason in
                RelationShare(
                    relation: reason.relation, share: reason.contribution / suggestion.score, common: reason.common)
            }
            for relation in Relation.allCases { setSize(in: relation, of: suggestion.group, model) }
        }

        /// Its entries in a relation; nil if that relation was not asked for.
        public func size(in relation: Relation) -> UInt32? {
            switch relation {
            case .photos: photoCount
            case .members: memberCount
            }
        }

        private mutating func setSize(in relation: Relation, of group: UInt32, _ model: ModelVersion) {
            let size = model.size(of: Int(group), in: relation)
            switch relation {
            case .photos: photoCount = size
            case .members: memberCount = size
            }
        }

        /// The name of the schema.
        public static let schemaName: String? = "SimilarGroup"
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always("score", \.score, "How alike they are: a similarity, or with by=both a blend")
            fields.sometimes("common", \.common, as: .count, "Photos or members in common; not with by=both")
            fields.sometimes("photoCount", \.photoCount, as: .count, "Its photos; not with by=members")
            fields.sometimes("memberCount", \.memberCount, as: .count, "Its members; not with by=photos")
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
            fields.always("common", \.common, as: .count, "How many photos or members they have in common")
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
        public static var schema: Schema { .number }

        /// Writes the fewest digits that read back as the same number.
        public func write(to json: inout JSONWriter) {
            switch self {
            case .single(let score): json.write(score)
            case .double(let score): json.write(score)
            }
        }
    }
}
