public import Model

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
