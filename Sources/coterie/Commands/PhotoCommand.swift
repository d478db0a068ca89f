import Answers
import Basics
import CatalogStore
import CommandLine
import Looks
import Recommendation
import Service

/// `coterie photo PHOTO`.
enum PhotoCommand: Subcommand {
    static let command = Command(
        "photo", summary: "List the groups that a photo could be added to, and why",
        discussion: """
            For a photo in a pool, the candidates are the neighbours of its groups, and the groups of photos that \
            share a pool with it. For a photo in no pool, they are groups whose photos have the same tags or were \
            taken nearby. The groups of its owner and their neighbours are candidates too. Groups with large pools \
            fill up the list.

            Groups that have the photo, groups without activity for a year, and invitation-only groups that the owner \
            is not a member of are left out.

            By look, photos whose vectors are similar vote for their groups. This needs vectors (coterie import \
            vectors) and a version made since; the photo itself may be new. The reasons name public photos.

            Without a photo, --like and --unlike name examples: public photos, or vectors in brackets. The groups are \
            those of photos that look like the former and not like the latter.
            """,
        arguments: [Argument("PHOTO", help: "The photo's id", isOptional: true)],
        options: [
            Option(
                "by", "WHAT",
                help: "The evidence: pools, tags, place and owner (default); photos that look like it; or both",
                allowed: PhotoBasis.allCases.map(\.rawValue)),
            Option(
                "like", "PHOTO", help: "An example of what photos of the groups should show; or [0.1,-0.2,…]",
                isRepeating: true),
            Option("unlike", "PHOTO", help: "An example of what they should not show", isRepeating: true),
            CommonOptions.limit,
        ] + CommonOptions.readingOptions + [CommonOptions.json],
        examples: [
            "coterie photo 4711", "coterie photo 4711 --by look", "coterie photo 4711 --limit 5 --json",
            "coterie photo --like 4711 --like 4712 --unlike 4713",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let (like, unlike) = (parsed.texts("like"), parsed.texts("unlike"))
        let basis = try basis(parsed, like, unlike)
        let id = parsed.arguments.first
        let site = try Site(parsed, needsCatalog: true)
        // A table counts the reasons that it has no room for.
        let reasonLimit = parsed.flag("json") ? SuggestedGroup.reasonLimit : .max
        let (wanted, unwanted) = try (like.map { try example("like", $0) }, unlike.map { try example("unlike", $0) })
        let answer = try site.answer { answers throws(AnswerError) in
            guard let id else {
                return try answers.groups(like: wanted, unlike: unwanted, limit: limit, reasonLimit: reasonLimit)
            }
            return try answers.groups(forPhoto: id, by: basis, limit: limit, reasonLimit: reasonLimit)
        }
        let poolCount = try id.flatMap { try site.context(ofPhoto: $0, in: site.model)?.groups.count } ?? 0
        try parsed.print(answer) { output in
            try output.line(
                id.map { "\($0) is in \(poolCount) public groups of the version; it could be added to:" }
                    ?? "groups of photos that look like the examples:")
            try output.table(answer.groups, ifNone: "none: no group is open to it")
        }
    }

    /// Returns an example: the id of a photo, or a vector in brackets.
    private static func example(_ option: String, _ text: String) throws -> LookExample {
        let place = "\(option) \(text.prefix(40))"
        guard text.hasPrefix("[") else { return LookExample(.photo(text), at: place) }
        do throws(Failure) { return LookExample(.vector(try VectorText.numbers(in: text)), at: place) } catch {
            throw Failure(.badData, "--\(place): \(error.message)")
        }
    }

    /// Returns the evidence to use, after checking that either a photo or examples are given.
    private static func basis(_ parsed: ParsedCommand, _ like: [String], _ unlike: [String]) throws -> PhotoBasis {
        let given = parsed.choiceIfGiven("by", of: PhotoBasis.self)
        guard like.isEmpty, unlike.isEmpty else {
            guard parsed.arguments.isEmpty, given == nil || given == .look else {
                throw UsageError("--like and --unlike stand for the photo, and go by look alone")
            }
            guard !like.isEmpty else { throw UsageError("--unlike needs --like: what should the photos look like?") }
            guard max(like.count, unlike.count) <= LookExamples.limit else {
                throw UsageError("at most \(LookExamples.limit) examples of a kind are allowed")
            }
            return .look
        }
        guard !parsed.arguments.isEmpty else { throw UsageError("name a photo, or examples with --like") }
        return given ?? .pools
    }
}
