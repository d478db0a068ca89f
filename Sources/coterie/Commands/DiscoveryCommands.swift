import Answers
import Basics
import CommandLine
import Model
import ModelStore
import Recommendation
import Service

/// `coterie photos USER`.
enum PhotosCommand: Subcommand {
    static let command = Command(
        "photos", summary: "List public photos that a user may like, and why",
        discussion: """
            The list has photos that members of like taste like. It has new photos of the user's groups, and of \
            groups that the user would love to join. Members are of like taste if they share favourites and groups. \
            Each photo is in a public group. The user's own photos and favourites are left out, and no owner and no \
            interest has all the places.

            A number of members who like a photo is shown from \(TasteFormula.leastMembers) on. The list has at most \
            \(TasteFormula.candidateLimit) photos.
            """,
        arguments: [Argument("USER", help: "The user's id")],
        options: [CommonOptions.limit] + PlanOptions.all + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie photos alice", "coterie photos alice --limit 50 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let site = try Site(parsed, of: .some([parsed.arguments[0]]), needsCatalog: true)
        let member = try site.member(parsed.arguments[0], atMilliseconds: parsed.planInstant())
        let answer = try site.answer { answers throws(AnswerError) in try answers.photos(for: member, limit: limit) }
        try parsed.print(answer) { output in
            try output.line("photos that \(answer.userId) may like:")
            try output.table(answer.photos, ifNone: "none: no favourite and no group points to a public photo")
        }
    }
}

/// `coterie contacts USER`.
enum ContactsCommand: Subcommand {
    static let command = Command(
        "contacts", summary: "List members whom a user may want to know, and why",
        discussion: """
            They are members of like taste: they share groups, favourites and follows with the user. Only members with \
            yes in the column "listed" are shown. Each is in a public group that the user is in too, and these groups \
            are the reason. Members whom the user follows are left out.

            The search reads a bounded number of rows, those of small groups first, however large groups are.
            """,
        arguments: [Argument("USER", help: "The user's id")],
        options: [CommonOptions.limit] + PlanOptions.all + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie contacts alice", "coterie contacts alice --limit 50 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let site = try Site(parsed, of: .all, needsCatalog: true)
        guard !site.version.manifest.hasOwnMembers else {
            throw Failure(
                .badData,
                """
                version \(site.version.manifest.version) was made of tables: the catalog does not know who is in which \
                group
                """)
        }
        let member = try site.member(parsed.arguments[0], atMilliseconds: parsed.planInstant())
        let answer = try site.answer { answers throws(AnswerError) in try answers.contacts(for: member, limit: limit) }
        try parsed.print(answer) { output in
            try output.line("members whom \(answer.userId) may want to know:")
            try output.table(answer.contacts, ifNone: "none: no listed member is in a public group of the user")
        }
    }
}
