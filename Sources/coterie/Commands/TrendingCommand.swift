import CommandLineOptions
import Model
import ModelStore
import MemberData

/// `coterie trending`.
enum TrendingCommand: Subcommand {
    static let command = Command(
        "trending", summary: "List the groups that more people turn to than usual",
        discussion: """
            Every group is measured against itself: the different people who joined or posted in the last seven days against \
            the mean of the eight weeks before. The score is a number of standard deviations; a new group can trend with a \
            few people, a huge one must grow by half.

            The seven days end when the version was built, or at the last date in the catalog if that was earlier.
            """,
        options: [
            CommonOptions.limit, CommonOptions.version, CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            CommonOptions.json,
        ],
        examples: ["coterie trending", "coterie trending --limit 5 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...10_000)
        let version = try parsed.loadVersion()
        let model = version.model
        let hidden = try SiteDecisions(of: try parsed.openCatalogIfPresent(), in: model).hidden
        let groups = model.trending.filter { !hidden.contains($0.group) }.prefix(limit)
        var output = try Output()
        if parsed.flag("json") {
            let rows = groups.enumerated().map { Row(rank: $0.offset + 1, $0.element, model) }
            try output.json(Answer(modelVersion: version.manifest.version.description, groups: rows))
        } else {
            var table = TextTable([
                .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
                .init(title: "score", isNumber: true), .init(title: "joined", isNumber: true),
                .init(title: "posted", isNumber: true), .init(title: "usual week", isNumber: true),
            ])
            for (place, group) in groups.enumerated() {
                table.add([
                    String(place + 1), model.id(of: Int(group.group)), model.title(of: Int(group.group)),
                    Formats.fixed(Double(group.score), 2), Formats.grouped(Int(group.joiners)),
                    Formats.grouped(Int(group.posters)), Formats.fixed(Double(group.usualWeek), 1),
                ])
            }
            for line in table.lines { try output.line(line) }
            if groups.isEmpty { try output.line("no group trends: nothing is unusual, or the catalog has no dates") }
        }
        try output.flush()
    }

    private struct Answer: Encodable {
        var modelVersion: String
        var groups: [Row]
    }

    private struct Row: Encodable {
        var rank: Int
        var groupId, title: String
        /// In standard deviations.
        var score: Float
        /// Different people of the last seven days.
        var joiners, posters: UInt32
        /// Joiners and posters of a week, the mean of the eight before.
        var usualWeek: Float

        init(rank: Int, _ group: TrendingGroup, _ model: ModelVersion) {
            self.rank = rank
            groupId = model.id(of: Int(group.group))
            title = model.title(of: Int(group.group))
            score = group.score
            joiners = group.joiners
            posters = group.posters
            usualWeek = group.usualWeek
        }
    }
}
