import Answers
import CatalogStore
import CommandLine
import Model
import ModelStore
import Recommendation
import Service

/// `coterie explain USER GROUP`.
enum ExplainCommand: Subcommand {
    static let command = Command(
        "explain", summary: "Show a group's rank in a user's list and the reasons, or why it is missing",
        arguments: [Argument("USER", help: "The user's id"), Argument("GROUP", help: "The group's id")],
        options: [PlanOptions.boost] + PlanOptions.all + CommonOptions.readingOptions + [CommonOptions.json],
        examples: ["coterie explain alice macro-mondays"])

    static func run(_ parsed: ParsedCommand) throws {
        let boosts = try parsed.boosts()
        let version = try parsed.loadVersion()
        let catalog = try parsed.openCatalogIfPresent()
        let site = try SiteView(parsed, version, catalog, parsed.planning(), of: .some([parsed.arguments[0]]))
        let snapshot = site.snapshot
        try Lookup.check(boosts, in: version, site, catalog: catalog)
        let profiles = try ProfileReader(parsed, version, catalog, snapshot.planner)
        let request = PlanRequest(
            profile: try profiles.profile(of: parsed.arguments[0], site.streamed), atMilliseconds: profiles.instant,
            seed: try parsed.planSeed(), boosts: boosts)
        let context = MemberContext(snapshot, request)
        let answer = try explanation(of: parsed.arguments[1], context, version, site, catalog)
        var output = try Output()
        if parsed.flag("json") { try output.json(answer) } else { try write(answer, to: &output) }
        try output.flush()
    }

    private static func explanation(
        of group: String, _ context: MemberContext, _ version: LoadedVersion, _ site: SiteView,
        _ catalog: Catalog?
    ) throws -> Explanation {
        if let concealment = site.concealment(of: group, try catalog?.group(withID: group)) {
            return context.explanation(ofUnshown: group, concealment)
        }
        return context.explanation(of: UInt32(try Lookup.group(group, in: version, site, catalog: catalog)))
    }

    private static func write(_ answer: Explanation, to output: inout Output) throws {
        try output.line(printable("\(answer.groupId) for \(answer.userId): \(answer.explanation)"))
        if let interest = answer.interest {
            try output.line(printable("its strongest reason is in the interest \"\(interest)\""))
        }
        guard !answer.reasons.isEmpty else { return }
        var table = TextTable([
            .init(title: "because of", maximumWidth: 36), .init(title: "title"), .init(title: "by"),
            .init(title: "common", isNumber: true), .init(title: "share", isNumber: true),
        ])
        for reason in answer.reasons {
            table.add([
                reason.groupId, reason.title, reason.relation.rawValue, Formats.grouped(Int(reason.common)),
                Formats.fixed(reason.share, 3),
            ])
        }
        for line in table.lines { try output.line(line) }
    }
}
