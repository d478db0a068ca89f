import CommandLineOptions
import Model
import ModelStore
import Recommendation
import MemberData
import Similarity

/// `coterie similar GROUP`.
enum SimilarCommand: Subcommand {
    static let command = Command(
        "similar", summary: "List the groups that are most similar to one",
        discussion: """
            \(Coterie.relations.map { "By \($0.name): \($0.meaning)." }.joined(separator: " ")) Both: the sum of all, \
            each divided by the mean of its best scores.
            """,
        arguments: [Argument("GROUP", help: "The group's id")],
        options: [
            Option(
                "by", "WHAT", help: "What makes groups similar", default: RelationTable.blendName,
                allowed: Coterie.relations.choices),
            CommonOptions.limit, CommonOptions.version, CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            CommonOptions.json,
        ],
        examples: ["coterie similar macro-mondays", "coterie similar macro-mondays --by members --limit 50 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let (by, relations) = (parsed.text("by"), Coterie.relations)
        let limit = try parsed.integer("limit", in: 1...10_000)
        let version = try parsed.loadVersion()
        let catalog = try parsed.openCatalogIfPresent()
        let group = try Lookup.group(parsed.arguments[0], in: version, catalog: catalog)
        let rows = rows(
            group, by, relations, limit, version, hidden: try SiteDecisions(of: catalog, in: version.model).hidden)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                Answer(
                    modelVersion: version.manifest.version.description, groupId: version.model.id(of: group),
                    title: version.model.title(of: group), by: by, neighbours: rows))
        } else {
            try output.line("\(named(group, in: version.model)): similar groups by \(by)")
            for line in table(rows, by, relations) { try output.line(line) }
            if rows.isEmpty { try output.line("no neighbours; \"coterie why\" tells why two groups are not") }
        }
        try output.flush()
    }

    /// The groups that are most like one, best first.
    ///
    /// - Parameter by: the name of a relation, or of the blend.
    static func rows(
        _ group: Int, _ by: String, _ relations: RelationTable, _ limit: Int, _ version: LoadedVersion,
        hidden: Set<UInt32>
    ) -> [Row] {
        let model = version.model
        guard let relation = relations[Relation(rawValue: by)]?.relation else {
            let recommender = Recommender(model: model, relations: relations)
            let similar = recommender.similar(to: UInt32(group), limit: limit, hidden: hidden)
            return similar.enumerated().map { place, suggestion in
                let evidence = suggestion.reasons.map { reason in
                    let size = model.size(of: Int(suggestion.group), in: reason.relation)
                    let neighbour = Neighbour(index: suggestion.group, common: reason.common, score: 0)
                    return Evidence(
                        relation: reason.relation.rawValue, common: reason.common, size: size,
                        score: version.model.cosine(of: neighbour, to: group, by: reason.relation))
                }
                return Row(
                    rank: place + 1, index: Int(suggestion.group), score: suggestion.score, evidence: evidence, model)
            }
        }
        let scores = ListedScores(relation, in: model, version.manifest)
        let shown = model.neighbours(of: group, by: relation).lazy.filter { !hidden.contains($0.index) }
        return shown.prefix(limit).enumerated().map { place, neighbour in
            let score = scores.score(of: neighbour, to: group)
            let size = model.size(of: Int(neighbour.index), in: relation)
            let evidence = Evidence(relation: relation.rawValue, common: neighbour.common, size: size, score: score)
            return Row(rank: place + 1, index: Int(neighbour.index), score: score, evidence: [evidence], model)
        }
    }

    private static func table(_ rows: [Row], _ by: String, _ relations: RelationTable) -> [String] {
        let isBlend = by == RelationTable.blendName
        let detail: [TextTable.Column] = [.init(title: "common", isNumber: true), .init(title: "size", isNumber: true)]
        let common: [TextTable.Column] = [
            .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
            .init(title: "score", isNumber: true),
        ]
        var table = TextTable(
            common
                + (isBlend ? relations.map { .init(title: "common \($0.name)", isNumber: true) } : detail))
        for row in rows {
            let cells = [String(row.rank), row.groupId, row.title, Formats.score(row.score)]
            if isBlend {
                let counts = relations.map { facts in
                    row.relations.first { $0.relation == facts.name }.map { Formats.grouped(Int($0.common)) }
                        ?? "-"
                }
                table.add(cells + counts)
            } else {
                table.add(
                    cells + [
                        Formats.grouped(Int(row.relations[0].common)), Formats.grouped(Int(row.relations[0].size)),
                    ])
            }
        }
        return table.lines
    }

    private struct Answer: Encodable {
        var modelVersion, groupId, title, by: String
        var neighbours: [Row]
    }

    struct Row: Encodable {
        var rank: Int
        var groupId, title: String
        var score: Double
        var relations: [Evidence]

        init(rank: Int, index: Int, score: Double, evidence: [Evidence], _ model: ModelVersion) {
            self.rank = rank
            groupId = model.id(of: index)
            title = model.title(of: index)
            self.score = score
            relations = evidence
        }
    }

    struct Evidence: Encodable {
        var relation: String
        var common, size: UInt32
        var score: Double
    }
}
