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
        try parsed.print(answer) { output in
            try output.line("public photos that look like \(id):")
            try output.table(answer.photos, ifNone: "none: no other photo in a public pool has a vector")
        }
    }
}
