import Answers
import CommandLine
import Recommendation
import Service

/// `coterie similar-photos PHOTO`.
enum SimilarPhotosCommand: Subcommand {
    static let command = Command(
        "similar-photos", summary: "List the public photos that look like a photo",
        discussion: """
            The photos are those in pools of public groups whose vectors are most similar, by cosine. A photo with a \
            cosine of \(Lookalike.duplicateSimilarity) or more is marked as a near-duplicate.
            """,
        arguments: [Argument("PHOTO", help: "The photo's id")],
        options: [
            Option(flag: "without-duplicates", help: "Leave near-duplicates out"), CommonOptions.limit,
        ] + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie similar-photos 4711", "coterie similar-photos 4711 --without-duplicates --limit 50 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let (id, withDuplicates) = (parsed.arguments[0], !parsed.flag("without-duplicates"))
        let answer = try Site(parsed, needsCatalog: true).answer { answers throws(AnswerError) in
            try answers.similarPhotos(to: id, withDuplicates: withDuplicates, limit: limit)
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(answer)
        } else {
            try output.line("public photos that look like \(printable(id)):")
            var table = TextTable([
                .init(title: "rank", isNumber: true), .init(title: "photo", maximumWidth: 36),
                .init(title: "similarity", isNumber: true), .init(title: "duplicate"),
                .init(title: "groups", maximumWidth: 80),
            ])
            for (index, row) in answer.photos.enumerated() {
                table.add([
                    String(index + 1), row.photoId, Formats.fixed(row.similarity, 4), row.duplicate ? "yes" : "",
                    row.groupIds.joined(separator: ", "),
                ])
            }
            for line in table.lines { try output.line(line) }
            if answer.photos.isEmpty { try output.line("none: no other photo in a public pool has a vector") }
        }
        try output.flush()
    }
}
