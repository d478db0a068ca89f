import Answers
import CommandLine
import Service

/// `coterie explain USER GROUP`.
enum ExplainCommand: Subcommand {
    static let command = Command(
        "explain", summary: "Show a group's rank in a user's list and the reasons, or why it is missing",
        discussion: """
            Makes the list that "coterie recommend" would make. A group in it has its rank, its interest and the \
            user's groups that speak for it. Of any other group it says why it is missing. For example, the group is \
            hidden, the user is in it, it is too similar to a joined group, or others had better scores.
            """,
        arguments: [Argument("USER", help: "The user's id"), Argument("GROUP", help: "The group's id")],
        options: [PlanOptions.boost] + PlanOptions.all + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie explain alice macro-mondays"])

    static func run(_ parsed: ParsedCommand) throws {
        let boosts = try parsed.boosts()
        let (user, group) = (parsed.arguments[0], parsed.arguments[1])
        let site = try Site(parsed, of: .some([user]))
        try Lookup.check(boosts, in: site)
        let member = try site.member(user, atMilliseconds: parsed.planInstant(), boosts: boosts)
        let answer = try site.answer { answers throws(AnswerError) in
            try answers.explanation(of: group, for: member)
        }
        try parsed.print(answer) { output in
            try output.line("\(answer.groupId) for \(answer.userId): \(answer.explanation)")
            if let interest = answer.interest {
                try output.line("its strongest reason is in the interest \"\(interest)\"")
            }
            if !answer.reasons.isEmpty { try output.table(answer.reasons) }
        }
    }
}
