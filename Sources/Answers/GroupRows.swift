package import Model

/// The model version from which an answer is made.
package struct ServedVersion: Answer, Equatable {
    package var modelVersion: String
    package var degraded: Bool

    package init(_ version: VersionName, degraded: Bool) {
        modelVersion = version.description
        self.degraded = degraded
    }

    /// Declares the first fields of every answer from a model version.
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("modelVersion", \.modelVersion, "The model version that the whole answer is made of")
        fields.always(
            "degraded", \.degraded,
            "Whether the version may not be the current one, or changes that other daemons were told are missing")
    }
}

/// A group in a list.
package struct RankedGroup: Answer, Equatable {
    package var rank: Int
    package var groupId: String
    /// The group's title, which may be empty.
    package var title: String

    /// Creates the group at a position of a list, counted from 0.
    init(at index: Int, _ group: UInt32, in model: VisibleModel) {
        rank = index + 1
        groupId = model.id(of: Int(group))
        title = model.title(of: Int(group))
    }

    /// Declares the first fields of every row.
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("rank", \.rank, as: .rank, "The position in the list, from 1", column: .rank("rank"))
        fields.always("groupId", \.groupId, "The group", column: .id("group"))
        fields.always("title", \.title, "Its title", column: .text("title"))
    }
}

/// A group in a list of suggestions, for a member or a photo.
package struct SuggestedGroup: Answer, Equatable {
    /// The rank, id and title.
    package var group: RankedGroup
    package var score: Double
    /// The number of entries in each relation.
    package var sizes: RelationCounts
    package var joinPolicy: String

    init(at index: Int, _ group: UInt32, score: Double, _ columns: SizeColumns, in model: VisibleModel) {
        self.group = RankedGroup(at: index, group, in: model)
        self.score = score
        sizes = columns.sizes(of: group, in: model)
        joinPolicy = model.joinPolicy(of: Int(group)).rawValue
    }

    /// Declares the first fields of every suggestion.
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.group)
        fields.always("score", \.score, "How well it fits; comparable within the list")
        fields.sizes(\.sizes) { relations in
            relations.tabled.reversed().map { facts in
                facts.isRequired
                    ? .always(facts.sizeField, .count, "Its \(facts.plural)")
                    : .sometimes(facts.sizeField, .count, "Its \(facts.plural), if there are any data of them")
            }
        }
        fields.always(
            "joinPolicy", \.joinPolicy, as: .words(of: JoinPolicy.self), "How one joins it")
    }

    /// Returns the sizes that suggestions have, in an order that must not change.
    static func columns(of relations: RelationTable, in model: VisibleModel) -> SizeColumns {
        SizeColumns(relations.tabled(in: model).reversed())
    }

    /// The most reasons that a row of a list gives, the strongest first.
    package static let reasonLimit = 5
}

/// The number of entries that a group has in each relation.
package struct RelationCounts: Sendable, Equatable {
    /// The names of the counts: `photoCount`, `memberCount`.
    package let fields: [String]
    /// The counts, in the order of `fields`.
    package let counts: [UInt32]
}

/// The relations whose sizes the rows of an answer have: named once, and looked up for every row.
struct SizeColumns {
    private let fields: [String]
    private let relations: [Relation]

    init(_ relations: [RelationDescription]) {
        fields = relations.map(\.sizeField)
        self.relations = relations.map(\.relation)
    }

    func sizes(of group: UInt32, in model: VisibleModel) -> RelationCounts {
        RelationCounts(fields: fields, counts: relations.map { model.size(of: Int(group), in: $0) })
    }
}

extension Relation: JSONValue {
    package static func schema(of relations: RelationTable) -> Schema { .string(words: relations.map(\.name)) }
    package func write(to json: inout JSONWriter) { json.write(rawValue) }
}

/// Groups that grow faster than usual: `GET /v1/trending`, `coterie trending`.
package struct TrendingGroups: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var groups: [Row]

    /// Creates an answer with the trending groups of a model.
    ///
    /// - Parameter limit: the most groups to list.
    package init(_ version: ServedVersion, in model: VisibleModel, limit: Int) {
        self.version = version
        groups = model.trending.prefix(limit).enumerated().map { Row(at: $0, $1, in: model) }
    }

    package static let schemaName: String? = "Trending"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("groups", \.groups, "Groups, the most unusual first")
    }

    /// A trending group.
    package struct Row: Answer, Equatable {
        /// The rank, id and title.
        package var group: RankedGroup
        package var trend: TrendingGroup

        fileprivate init(at index: Int, _ trend: TrendingGroup, in model: VisibleModel) {
            group = RankedGroup(at: index, trend.group, in: model)
            self.trend = trend
        }

        package static let schemaName: String? = "TrendingGroup"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.part(\.group)
            fields.always(
                "score", \.trend.score, "How unusual its last week is, in standard deviations",
                column: .fixed("score", 2))
            fields.always(
                "joiners", \.trend.joiners, as: .count, "Different people who joined in the last seven days",
                column: .count("joined"))
            fields.always(
                "posters", \.trend.posters, as: .count, "Different people who posted in the last seven days",
                column: .count("posted"))
            fields.always(
                "usualWeek", \.trend.usualWeek,
                "Joiners and posters of a usual week: the mean of the eight weeks before",
                column: .fixed("usual week", 1))
        }
    }
}
