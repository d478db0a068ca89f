import CatalogStore
import CommandLineOptions
import Model
import ModelStore

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
        let version = try parsed.loadVersion()
        let catalog = try parsed.openCatalog()
        var verdicts: [RelationVerdict] = []
        var isStale = false
        let ids = parsed.arguments
        try catalog.snapshot { () throws(CatalogError) in
            guard let group = try catalog.group(withID: ids[0]), let other = try catalog.group(withID: ids[1]) else {
                return
            }
            isStale = try catalog.changeCount() != version.manifest.catalog.changeCount
            for facts in Coterie.relations {
                verdicts.append(try RelationVerdict(facts, group, other, catalog, version))
            }
        }
        if verdicts.isEmpty {
            for id in ids { _ = try Lookup.group(id, in: catalog) }
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                document: Answer(
                    modelVersion: version.manifest.version.description, groupId: ids[0], otherId: ids[1],
                    catalogChangedSince: isStale, relations: verdicts))
        } else {
            try output.line("\(ids[1]) in the list of \(ids[0]):")
            for verdict in verdicts { try output.line("by \(verdict.relation): \(verdict.sentence)") }
        }
        try output.flush()
        if isStale { complain("warning: the catalog changed since version \(version.manifest.version) was built") }
    }

    private struct Answer: Encodable {
        var modelVersion, groupId, otherId: String
        var catalogChangedSince: Bool
        var relations: [RelationVerdict]
    }
}
