import Answers
import Basics
import CommandLine
import Recommendation
import Service

/// `coterie recommend USER…`.
enum RecommendCommand: Subcommand {
    static let command = Command(
        "recommend", summary: "List the groups that a user would love to join, and why",
        discussion: """
            The user's groups are clustered into interests, and the neighbours of these groups are the candidates. The \
            list gives each interest its share of the ranks, leaves out near-duplicates, and changes its order every \
            six hours. It has at most 300 groups.

            A score is the sum of what the reasons contribute; each relation is scaled by the mean of its best \
            scores. For a user with few groups, the list also has groups from stated interests, curated groups and \
            trending groups; popular groups fill the rest. A group that is no candidate has no score and no interest. \
            "placed by" names the cause that puts a group above others with greater scores. It is the share of its \
            interest, variety, rotation, its season, a boost, curation or cold start. It is relevance if no group \
            with a greater score follows.

            A boost multiplies the scores of candidates, those of a topic or one group. It moves groups that are \
            candidates anyway, and leaves the scores in the table unchanged.

            Memberships are read from the catalog, or from the version if the catalog does not have them. With a \
            store in Redis, changes of daemons since the last recompute are read from there. With several users, or \
            with --users, --json writes one line per user; unknown users are reported, and the others get their \
            lists. A member who has paused the list is shown nothing, and "nothing" says until when.
            """,
        arguments: [Argument("USER", help: "The user's id", isOptional: true, isRepeating: true)],
        options: [
            CommonOptions.limit,
            Option("users", "FILE", help: "Read more user ids from a file, one per line; - is standard input"),
            Option(flag: "trace", help: "Show what every stage did and how long it took"),
            PlanOptions.boost,
        ] + PlanOptions.all + CommonOptions.readingOptions + [CommonOptions.json],
        examples: [
            "coterie recommend alice", "coterie recommend alice --trace --without rotation",
            "coterie recommend alice --boost topic:macro^2 --boost group:after-dark^0.5",
            "coterie recommend --users users.txt --json --limit 50",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let limit = try parsed.integer("limit", in: 1...1000)
        let boosts = try parsed.boosts()
        let users = try parsed.userIDs()
        guard !users.isEmpty else {
            throw UsageError("which user? Give an id, or a file of ids with --users")
        }
        let site = try Site(parsed, of: .some(users))
        try Lookup.check(boosts, in: site)
        let instant = try parsed.planInstant()
        let isSingle = users.count == 1 && parsed.textIfGiven("users") == nil
        var output = try Output()
        var unknownCount = 0
        for user in users {
            let context: MemberContext
            do {
                context = try site.member(user, atMilliseconds: instant, boosts: boosts)
            } catch let failure as Failure where !isSingle {
                // The others still get their lists, in the given order.
                try output.flush()
                printToStandardError("coterie: \(failure.message)")
                unknownCount += 1
                continue
            }
            var trace = StageTrace()
            let plan = context.plan { trace.note($0) }
            let stages = parsed.flag("trace") ? trace.stages : nil
            let joinedCount = context.request.profile.joined.count
            if parsed.flag("json") {
                var answer = context.recommendations(plan, limit: limit)
                answer.trace = stages.map {
                    .init(joined: joinedCount, candidates: plan.candidateCount, stages: $0)
                }
                try output.json(answer, isIndented: isSingle)
            } else {
                // A table counts the reasons that it has no room for.
                let answer = context.recommendations(plan, limit: limit, reasonLimit: .max)
                try output.line("\(user) is in \(joinedCount) public groups of the version; recommended:")
                try output.table(answer.recommendations)
                if plan.items.isEmpty {
                    try output.line("nothing: \(answer.pause.words ?? "the model has no group to recommend")")
                }
                if let stages { try output.table(stages) }
            }
        }
        try output.flush()
        guard unknownCount == 0 else {
            throw Failure(
                .badData, "\(unknownCount) of \(users.count) users are unknown; the others have their lists")
        }
    }
}
