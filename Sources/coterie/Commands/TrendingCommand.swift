import Answers
import CommandLine
import Service

/// `coterie trending`.
enum TrendingCommand: Subcommand {
    static let command = Command(
        "trending", summary: "List the groups that grow faster than usual",
        discussion: """
            Every group is compared with its own past. The score is the number of people who joined or posted in the \
            last seven days, minus the weekly mean of the eight weeks before. Its unit is a standard deviation. A new \
            group can trend with a few people; a large group must exceed its mean by half.

            The seven days end when the version was built, or at the last date in the catalog if that is earlier.
            """,
        options: [CommonOptions.limit] + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie trending", "coterie trending --limit 5 --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...10_000)
        let answer = try Site(parsed).snapshot.trendingGroups(limit: limit)
        try parsed.print(answer) { output in
            try output.table(
                answer.groups, ifNone: "no group trends: no growth is unusual, or the catalog has no dates")
        }
    }
}
