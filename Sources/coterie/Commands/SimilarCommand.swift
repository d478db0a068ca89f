import Answers
import Basics
import CatalogStore
import CommandLine
import Model
import ModelStore
import Service

/// `coterie similar GROUP`.
enum SimilarCommand: Subcommand {
    static let command = Command(
        "similar", summary: "List the groups most similar to a group",
        discussion: """
            \(Coterie.relations.map { "By \($0.name): \($0.meaning)." }.joined(separator: " ")) By \
            \(RelationTable.blendName): the sum of the scores by \
            \(Coterie.relations.tabled.map(\.name).joined(separator: " and ")), each divided by the mean of the best \
            scores of its relation.
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
        let site = try Site(parsed)
        let snapshot = site.snapshot
        let group = try Lookup.group(parsed.arguments[0], in: site)
        let answer = snapshot.similarGroups(to: UInt32(group), by: by, limit: limit)
        // A blend has the common entries of every relation, and one relation those and the group's size.
        let columns = by == RelationTable.blendName ? relations.tabled(in: snapshot.model) : []
        try parsed.print(answer) { output in
            let name = Formats.name(answer.groupId, snapshot.model.title(of: group))
            try output.line("\(name): similar groups by \(by)")
            try output.table(answer.neighbours, of: columns)
            if by != RelationTable.blendName, !snapshot.model.relations.contains(Relation(rawValue: by)) {
                try output.line("version \(site.version.manifest.version) has no \(by)")
            } else if answer.neighbours.isEmpty {
                try output.line("no neighbours; \"coterie why\" says why two groups are not neighbours")
            }
        }
    }
}

/// `coterie why GROUP GROUP`.
enum WhyCommand: Subcommand {
    static let command = Command(
        "why", summary: "Say how similar two groups are, and why one is not listed for the other",
        discussion: """
            The counts come from the catalog, the lists from the model version. The command warns if the catalog has \
            changed since the version was built.
            """,
        arguments: [
            Argument("GROUP", help: "The group whose list of neighbours is examined"),
            Argument("OTHER", help: "The group that is, or is not, in this list"),
        ],
        options: CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie why macro-mondays birds-of-berlin"])

    static func run(_ parsed: ParsedCommand) throws {
        let site = try Site(parsed, needsCatalog: true)
        let (version, catalog) = (site.version, try parsed.openCatalog())
        var verdicts: [RelationVerdict] = []
        var isStale = false
        let ids = parsed.arguments
        try catalog.snapshot { () throws(Failure) in
            guard let group = try catalog.group(withID: ids[0]), let other = try catalog.group(withID: ids[1]) else {
                return
            }
            isStale = try catalog.changeCount() != version.manifest.catalog.changeCount
            let concealed = [group, other].compactMap { record in
                site.concealment(of: record.id, record).map { (record.id, $0.rawValue) }
            }
            for facts in Coterie.relations.tabled(in: site.snapshot.model) {
                verdicts.append(
                    try RelationVerdict(facts, group, other, catalog, version, concealed: concealed.first))
            }
        }
        if verdicts.isEmpty {
            for id in ids { _ = try Lookup.group(id, in: catalog) }
        }
        let answer = SimilarityOfTwo(
            version: version.manifest.version.description, ids: (ids[0], ids[1]), isStale: isStale, verdicts: verdicts)
        try parsed.print(answer) { output in
            try output.line("\(ids[1]) in the list of \(ids[0]):")
            for verdict in verdicts { try output.line("by \(verdict.relation): \(verdict.sentence)") }
        }
        if isStale {
            printToStandardError("warning: the catalog changed since version \(version.manifest.version) was built")
        }
    }
}

/// The similarity of two groups: `coterie why`.
private struct SimilarityOfTwo: Answer {
    let version: String
    let ids: (group: String, other: String)
    let isStale: Bool
    let verdicts: [RelationVerdict]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("modelVersion", \.version, "The version whose lists are examined")
        fields.always("groupId", \.ids.group, "The group whose list is examined")
        fields.always("otherId", \.ids.other, "The group that is, or is not, in this list")
        fields.always("catalogChangedSince", \.isStale, "Whether the catalog changed since the version was built")
        fields.always("relations", \.verdicts, "What each relation says")
    }
}
