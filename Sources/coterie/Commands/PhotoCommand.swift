import Catalog
import CommandLineOptions
import Model
import ModelStore
import Recommendation

/// `coterie photo PHOTO`.
enum PhotoCommand: Subcommand {
    static let command = Command(
        "photo", summary: "List the groups that a photo could go to, and why",
        discussion: """
            A photo in pools: the neighbours of its groups. A photo in none: the groups that hold its owner's other \
            photos, and their neighbours. Groups one enters by invitation only are left out unless the owner posts there.
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
        let groups = photo.groups.compactMap { model.index(ofID: $0).map(UInt32.init) }
        var ownerGroups: [UInt32: Int] = [:]
        for (id, count) in photo.ownerGroups {
            if let index = model.index(ofID: id) { ownerGroups[UInt32(index)] = count }
        }
        let suggestions = Recommender(model: model).groups(forPhotoIn: groups, ownerGroups: ownerGroups, limit: limit)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                SuggestionsJSON(
                    modelVersion: version.manifest.version.description, photoId: photo.id,
                    recommendations: SuggestionsJSON.rows(suggestions, model)))
        } else {
            try output.line("\(photo.id) is in \(groups.count) public groups of the model; it could go to:")
            for line in SuggestionsTable.lines(suggestions, model) { try output.line(line) }
            if suggestions.isEmpty {
                try output.line("nothing is known of it: it is in no pool, nor are its owner's photos")
            }
        }
        try output.flush()
    }
}
