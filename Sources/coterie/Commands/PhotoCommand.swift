import CatalogStore
import CommandLineOptions
import Model
import ModelStore
import Recommendation
import MemberData

/// `coterie photo PHOTO`.
enum PhotoCommand: Subcommand {
    static let command = Command(
        "photo", summary: "List the groups that a photo could go to, and why",
        discussion: """
            A photo in pools: the groups of photos that share pools with it, and the neighbours of its groups. A photo in \
            none: groups whose photos have its tags or were taken near it, and its owner's groups with their neighbours. \
            Left out are groups it is in, groups where nothing happened for a year, and groups one enters by invitation \
            only unless the owner is there.
            """,
        arguments: [Argument("PHOTO", help: "The photo's id")],
        options: [
            CommonOptions.limit, CommonOptions.version, CommonOptions.catalog, CommonOptions.store, CommonOptions.cache,
            CommonOptions.json,
        ],
        examples: ["coterie photo 4711", "coterie photo 4711 --limit 5 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let version = try parsed.loadVersion()
        let catalog = try parsed.openCatalog()
        guard let photo = try catalog.photo(withID: parsed.arguments[0]) else {
            throw Lookup.unknown(
                .photos, parsed.arguments[0], near: try catalog.idsNear(parsed.arguments[0], in: .photos))
        }
        guard photo.visibility == .public else {
            throw Failure(Failure.badData, "photo \"\(photo.id)\" is private: it is suggested to no group")
        }
        let model = version.model
        let context = PhotoContext(photo, in: model)
        let recommender = PhotoRecommender(
            model: model, relations: Coterie.relations, at: version.manifest.createdAtMilliseconds / 1000)
        let suggestions = recommender.suggestions(
            for: context, limit: limit, hidden: try SiteDecisions(of: catalog, in: model).hidden)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                PhotoSuggestionsJSON(
                    modelVersion: version.manifest.version.description, photoId: photo.id,
                    groups: PhotoSuggestionsJSON.rows(suggestions, model)))
        } else {
            try output.line("\(photo.id) is in \(context.groups.count) public groups of the model; it could go to:")
            for line in PhotoSuggestionsTable.lines(suggestions, model) { try output.line(line) }
            if suggestions.isEmpty {
                try output.line(
                    "nothing speaks for any group: no pools, no telling tags or place, no groups of its owner")
            }
        }
        try output.flush()
    }
}
