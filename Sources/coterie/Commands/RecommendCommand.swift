import Catalog
import CommandLineOptions
import Model
import ModelStore
import Recommendation

/// `coterie recommend USER`.
enum RecommendCommand: Subcommand {
    static let command = Command(
        "recommend", summary: "List the groups that a user would love to join, and why",
        discussion: """
            Sums the neighbours of the groups the user has joined, in both relations, leaves out those joined, and says \
            which joined groups brought each. Memberships are read from the catalog; without one, from the store.
            """,
        arguments: [Argument("USER", help: "The user's id")],
        options: [
            CommonOptions.limit, CommonOptions.version, CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            CommonOptions.json,
        ],
        examples: ["coterie recommend alice", "coterie recommend alice --limit 5 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let user = parsed.arguments[0]
        let limit = try parsed.integer("limit", in: 1...1000)
        let version = try parsed.loadVersion()
        let joined = try joinedGroups(user, parsed, version)
        let suggestions = Recommender(model: version.model).recommendations(joined: joined, limit: limit)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                SuggestionsJSON(
                    modelVersion: version.manifest.version.description, userId: user,
                    recommendations: SuggestionsJSON.rows(suggestions, version.model)))
        } else {
            try output.line("\(user) is in \(joined.count) public groups of the model; recommended:")
            for line in SuggestionsTable.lines(suggestions, version.model) { try output.line(line) }
            if suggestions.isEmpty { try output.line("nothing: none of these groups has neighbours") }
        }
        try output.flush()
    }

    private static func joinedGroups(_ user: String, _ parsed: ParsedCommand, _ version: LoadedVersion) throws
        -> [UInt32]
    {
        guard let catalog = try parsed.openCatalogIfPresent() else {
            guard let profile = try parsed.openStore().profile(ofUser: user, in: version.manifest.version) else {
                throw Failure(Failure.badData, "there is no user \"\(user)\" in the store, and no catalog to look into")
            }
            return profile
        }
        guard let groups = try catalog.joinedGroups(ofUser: user) else {
            throw Lookup.unknown(.users, user, near: try catalog.idsNear(user, in: .users))
        }
        return groups.compactMap { version.model.index(ofID: $0).map(UInt32.init) }
    }
}
