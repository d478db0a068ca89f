import Answers
import CatalogStore
import CommandLine
import Model
import ModelStore
import Recommendation
import Service

/// `coterie photo PHOTO`.
enum PhotoCommand: Subcommand {
    static let command = Command(
        "photo", summary: "List the groups that a photo could be added to, and why",
        discussion: """
            For a photo that is in a pool, the candidates are the groups of photos that share a pool with it, and the \
            neighbours of its groups. For a photo in no pool, they are groups whose photos have the same tags or were \
            taken nearby, and the groups of its owner with their neighbours. Groups with large pools fill up the list.

            Groups that have the photo, groups without activity for a year, and invitation-only groups that the owner \
            is not a member of are left out.

            By look, photos whose vectors are similar vote for their groups. It needs vectors (coterie import vectors) \
            and a version made since; the photo itself may be new. The reasons name public photos.
            """,
        arguments: [Argument("PHOTO", help: "The photo's id")],
        options: [
            Option(
                "by", "WHAT",
                help: "The evidence: pools, tags, place and owner; photos that look like it; or both",
                default: PhotoBasis.pools.rawValue, allowed: PhotoBasis.allCases.map(\.rawValue)),
            CommonOptions.limit,
        ] + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie photo 4711", "coterie photo 4711 --by look", "coterie photo 4711 --limit 5 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let version = try parsed.loadVersion()
        let catalog = try parsed.openCatalog()
        let photo = try Lookup.publicPhoto(parsed.arguments[0], catalog)
        let snapshot = try SiteView(parsed, version, catalog).snapshot
        var context = PhotoContext(photo, in: snapshot.model)
        let basis = try parsed.choiceIfGiven("by", of: PhotoBasis.self) ?? .pools
        if basis != .pools {
            let looks = try Lookup.looks(in: snapshot, version)
            context.lookalikes = try Lookup.lookalikes(ofPhoto: photo.id, catalog, looks, limit: Lookalike.voters)
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(snapshot.groups(forPhoto: photo.id, context, by: basis, limit: limit))
        } else {
            // A table counts the reasons that it has no room for.
            let answer = snapshot.groups(forPhoto: photo.id, context, by: basis, limit: limit, reasonLimit: .max)
            try output.line(
                "\(photo.id) is in \(context.groups.count) public groups of the model; it could be added to:")
            for line in table(answer) { try output.line(line) }
            if answer.groups.isEmpty {
                try output.line("none: no group is open to it")
            }
        }
        try output.flush()
    }

    /// Returns a table with a line for each group.
    private static func table(_ answer: GroupsForPhoto) -> [String] {
        var table = TextTable([
            .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
            .init(title: "score", isNumber: true), .init(title: "because of", maximumWidth: 110),
        ])
        for row in answer.groups {
            let group = row.group.group
            table.add([
                String(group.rank), group.groupId, group.title, Formats.fixed(row.group.score, 3), text(row.reasons),
            ])
        }
        return table.lines
    }

    /// Returns the strongest reason of each kind, and the number of further similar groups.
    ///
    /// Only similar groups give several reasons of one kind.
    private static func text(_ reasons: [GroupsForPhoto.Reason]) -> String {
        var kinds: Set<String> = []
        let strongest = reasons.filter { kinds.insert($0.evidence.kind).inserted }
        let more = reasons.count - strongest.count
        return strongest.map(text).joined(separator: "; ") + (more > 0 ? "; similar to \(more) more" : "")
    }

    private static func text(_ reason: GroupsForPhoto.Reason) -> String {
        switch reason.evidence {
        case .sharedPools(let photos): "\(photos) photos that share its pools"
        case .similarGroup(_, let relation, _):
            "similar to \(named(reason.groupId ?? "", reason.title ?? "")) by \(relation.rawValue)"
        case .tags(let tags): "tags \(tags.joined(separator: ", "))"
        case .place(let cell):
            "near \(Formats.fixed(cell.middle.latitude, 2)), \(Formats.fixed(cell.middle.longitude, 2))"
        case .popular(let count): "\(Formats.grouped(count)) entries in all"
        case .looksLike(let photos): "looks like \(photos.map { printable($0) }.joined(separator: ", "))"
        case .owner(let photos, let isMember):
            photos > 0
                ? "the owner's \(photos) \(photos == 1 ? "photo" : "photos") there" + (isMember ? ", as a member" : "")
                : "the owner is a member"
        }
    }
}
