import Answers
import CommandLineOptions
import MemberData
import Model
import ModelStore
import Recommendation

/// `coterie similar GROUP`.
enum SimilarCommand: Subcommand {
    static let command = Command(
        "similar", summary: "List the groups most similar to a group",
        discussion: """
            \(Coterie.relations.map { "By \($0.name): \($0.meaning)." }.joined(separator: " ")) By \
            \(RelationTable.blendName): the sum of these scores, each divided by the mean of the best scores of its \
            relation.
            """,
        arguments: [Argument("GROUP", help: "The group's id")],
        options: [
            Option(
                "by", "WHAT", help: "What makes groups similar", default: RelationTable.blendName,
                allowed: Coterie.relations.choices),
            CommonOptions.limit,
        ] + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie similar macro-mondays", "coterie similar macro-mondays --by members --limit 50 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let (by, relations) = (parsed.text("by"), Coterie.relations)
        let limit = try parsed.integer("limit", in: 1...10_000)
        let version = try parsed.loadVersion()
        let catalog = try parsed.openCatalogIfPresent()
        let group = try Lookup.group(parsed.arguments[0], in: version, catalog: catalog)
        let model = VisibleModel(version.model, try SiteDecisions(of: catalog, in: version.model))
        let answer = SimilarGroups(
            version.served, to: UInt32(group), by: by, limit: limit, Recommender(model: model, relations: relations))
        var output = try Output()
        if parsed.flag("json") {
            try output.json(answer)
        } else {
            try output.line("\(named(group, in: model)): similar groups by \(by)")
            for line in table(answer.neighbours, by, relations) { try output.line(line) }
            if answer.neighbours.isEmpty {
                try output.line("no neighbours; \"coterie why\" says why two groups are not neighbours")
            }
        }
        try output.flush()
    }

    /// A line a group: its common entries and its size, or in a blend the common entries of every relation.
    private static func table(
        _ neighbours: [SimilarGroups.Neighbour], _ by: String, _ relations: RelationTable
    ) -> [String] {
        let isBlend = by == RelationTable.blendName
        let counts = isBlend ? relations.map { "common \($0.name)" } : ["common", "size"]
        var table = TextTable(
            [
                .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
                .init(title: "score", isNumber: true),
            ] + counts.map { .init(title: $0, isNumber: true) })
        for neighbour in neighbours {
            let group = neighbour.group
            let counts =
                isBlend
                ? relations.map { facts in neighbour.relations?.first { $0.relation == facts.relation }?.common }
                : [neighbour.common, neighbour.sizes.counts.first]
            table.add(
                [String(group.rank), group.groupId, group.title, Formats.score(neighbour.score.value)]
                    + counts.map { $0.map { Formats.grouped(Int($0)) } ?? "-" })
        }
        return table.lines
    }
}
