import Answers
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
            Groups that it is in, groups without activity for a year, and groups that one joins by invitation only, unless \
            the owner is a member, are left out.
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
        let model = VisibleModel(version.model, try SiteDecisions(of: catalog, in: version.model))
        let context = PhotoContext(photo, in: model)
        let recommender = PhotoRecommender(
            model: model, relations: Coterie.relations, at: version.manifest.createdAtMilliseconds / 1000)
        let suggestions = recommender.suggestions(for: context, limit: limit)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(
                GroupsForPhoto(version.served, photoId: photo.id, suggestions, Coterie.relations, in: model))
        } else {
            try output.line("\(photo.id) is in \(context.groups.count) public groups of the model; it could go to:")
            for line in table(suggestions, model) { try output.line(line) }
            if suggestions.isEmpty {
                try output.line(
                    "nothing speaks for any group: no pools, no telling tags or place, no groups of its owner")
            }
        }
        try output.flush()
    }

    /// A line a group.
    private static func table(_ suggestions: [PhotoSuggestion], _ model: VisibleModel) -> [String] {
        var table = TextTable([
            .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
            .init(title: "score", isNumber: true), .init(title: "because of", maximumWidth: 110),
        ])
        for (place, suggestion) in suggestions.enumerated() {
            table.add([
                String(place + 1), model.id(of: Int(suggestion.group)), model.title(of: Int(suggestion.group)),
                Formats.fixed(suggestion.score, 3), reasons(suggestion, model),
            ])
        }
        return table.lines
    }

    /// The strongest reason of each kind; of similar groups there may be many.
    private static func reasons(_ suggestion: PhotoSuggestion, _ model: VisibleModel) -> String {
        var kinds: Set<String> = []
        let strongest = suggestion.reasons.filter { kinds.insert($0.evidence.kind).inserted }
        let more = suggestion.reasons.count - strongest.count
        return strongest.map { text($0.evidence, model) }.joined(separator: "; ")
            + (more > 0 ? "; similar to \(more) more" : "")
    }

    private static func text(_ evidence: PhotoSuggestion.Evidence, _ model: VisibleModel) -> String {
        switch evidence {
        case .sharedPools(let photos): "\(photos) photos that share its pools"
        case .similarGroup(let group, let relation, _):
            "similar to \(named(Int(group), in: model)) by \(relation.rawValue)"
        case .tags(let tags): "tags \(tags.joined(separator: ", "))"
        case .place(let cell):
            "near \(Formats.fixed(cell.middle.latitude, 2)), \(Formats.fixed(cell.middle.longitude, 2))"
        case .owner(let photos, let isMember):
            photos > 0
                ? "the owner's \(photos) \(photos == 1 ? "photo" : "photos") there" + (isMember ? ", as a member" : "")
                : "the owner is a member"
        }
    }
}
