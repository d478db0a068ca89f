public import Model
import Recommendation

/// Which model version an answer is made of.
public struct ServedVersion: Answer, Equatable {
    /// The name of the version.
    public var modelVersion: String
    /// Whether something newer may be missing.
    public var degraded: Bool

    /// A version.
    public init(_ version: VersionName, degraded: Bool) {
        modelVersion = version.description
        self.degraded = degraded
    }

    /// What every answer from a model version begins with.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("modelVersion", \.modelVersion, "The model version that the whole answer is made of")
        fields.always(
            "degraded", \.degraded,
            "Whether the version may not be the current one, or changes that other daemons were told are missing")
    }
}

/// A group in a list.
public struct RankedGroup: Answer, Equatable {
    /// The position in the list, from 1.
    public var rank: Int
    /// The group's external id.
    public var groupId: String
    /// What people call it; may be empty.
    public var title: String

    /// The group at a position of a list, counted from 0.
    init(at index: Int, _ group: UInt32, in model: VisibleModel) {
        rank = index + 1
        groupId = model.id(of: Int(group))
        title = model.title(of: Int(group))
    }

    /// What every row begins with.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("rank", \.rank, as: .rank, "The position in the list, from 1")
        fields.always("groupId", \.groupId, "The group")
        fields.always("title", \.title, "Its title")
    }
}

/// A group in a list of suggestions, whatever it is suggested for.
public struct SuggestedGroup: Answer, Equatable {
    /// Its rank and names.
    public var group: RankedGroup
    /// How well it fits; comparable within the list.
    public var score: Double
    /// How many entries it has in each relation.
    public var sizes: GroupSizes
    /// How one joins it.
    public var joinPolicy: String

    init(at index: Int, _ group: UInt32, score: Double, _ columns: SizeColumns, in model: VisibleModel) {
        self.group = RankedGroup(at: index, group, in: model)
        self.score = score
        sizes = columns.sizes(of: group, in: model)
        joinPolicy = model.joinPolicy(of: Int(group)).name
    }

    /// What every suggestion begins with.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.group)
        fields.always("score", \.score, "How well it fits; comparable within the list")
        fields.sizes(\.sizes) { relations in
            Self.order(relations).map { .always($0.sizeField, .count, "Its \($0.name)") }
        }
        fields.always(
            "joinPolicy", \.joinPolicy, as: .string(words: JoinPolicy.allCases.map(\.name)), "How one joins it")
    }

    /// The relations in the order in which suggestions have always had their sizes.
    private static func order(_ relations: RelationTable) -> [RelationFacts] { relations.reversed() }

    /// The sizes that suggestions have.
    static func columns(of relations: RelationTable) -> SizeColumns { SizeColumns(order(relations)) }

    /// How many reasons a row of a list gives, the strongest first.
    static let reasonLimit = 5
}

extension JoinPolicy {
    /// The policy as requests and answers write it.
    public var name: String {
        switch self {
        case .open: "open"
        case .approval: "approval"
        case .invite: "invite"
        }
    }
}

/// How many entries a group has in each of some relations.
public struct GroupSizes: Sendable, Equatable {
    /// What the counts are called: `photoCount`, `memberCount`.
    public let fields: [String]
    /// The counts, in the order of `fields`.
    public let counts: [UInt32]
}

/// The relations whose sizes the rows of an answer have: named once, looked up for every row.
struct SizeColumns {
    private let fields: [String]
    private let relations: [Relation]

    init(_ relations: [RelationFacts]) {
        fields = relations.map(\.sizeField)
        self.relations = relations.map(\.relation)
    }

    func sizes(of group: UInt32, in model: VisibleModel) -> GroupSizes {
        GroupSizes(fields: fields, counts: relations.map { model.size(of: Int(group), in: $0) })
    }
}

extension Relation: JSONValue {
    /// One of the relations.
    public static func schema(of relations: RelationTable) -> Schema { .string(words: relations.map(\.name)) }
    /// Writes the name.
    public func write(to json: inout JSONWriter) { json.write(rawValue) }
}

/// Groups that grow faster than usual: `GET /v1/trending`, `coterie trending`.
public struct TrendingGroups: Answer, Equatable {
    /// The version.
    public var version: ServedVersion
    /// The groups, the most unusual first.
    public var groups: [Row]

    /// The groups of a model that trend.
    ///
    /// - Parameter limit: how many at most.
    public init(_ version: ServedVersion, in model: VisibleModel, limit: Int) {
        self.version = version
        groups = model.trending.prefix(limit).enumerated().map { Row(at: $0, $1, in: model) }
    }

    /// The name of the schema.
    public static let schemaName: String? = "Trending"
    /// The fields.
    public static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groups", \.groups, "Groups, the most unusual first")
    }

    /// A group that trends.
    public struct Row: Answer, Equatable {
        /// Its rank and names.
        public var group: RankedGroup
        /// What makes it trend.
        public var trend: TrendingGroup

        fileprivate init(at index: Int, _ trend: TrendingGroup, in model: VisibleModel) {
            group = RankedGroup(at: index, trend.group, in: model)
            self.trend = trend
        }

        /// The name of the schema.
        public static let schemaName: String? = "TrendingGroup"
        /// The fields.
        public static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always("score", \.trend.score, "How unusual its last week is, in standard deviations")
            fields.always("joiners", \.trend.joiners, as: .count, "Different people who joined in the last seven days")
            fields.always("posters", \.trend.posters, as: .count, "Different people who posted in the last seven days")
            fields.always(
                "usualWeek", \.trend.usualWeek,
                "Joiners and posters of a usual week: the mean of the eight weeks before")
        }
    }
}
