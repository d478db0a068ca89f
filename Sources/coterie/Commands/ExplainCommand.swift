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
        let planner = try parsed.planner(version, catalog)
        try Lookup.check(boosts, in: version, planner.model, catalog: catalog)
        let instant = try parsed.planInstant()
        let profiles = try ProfileReader(parsed, catalog, version.manifest, planner, atMilliseconds: instant)
        let request = profiles.request(
            for: try profiles.profile(of: parsed.arguments[0]), seed: try parsed.planSeed(),
            boosts)
        let answer = try explanation(parsed, version, planner, request, catalog)
        var output = try Output()
        if parsed.flag("json") { try output.json(answer) } else { try write(answer, to: &output) }
        try output.flush()
    }

    private static func explanation(
        _ parsed: ParsedCommand, _ version: LoadedVersion, _ planner: Planner, _ request: PlanRequest,
        _ catalog: Catalog?
    ) throws -> Explanation {
        let group = parsed.arguments[1]
        if let concealment = try catalog?.group(withID: group)?.concealment {
            return Explanation(
                version.served, userId: parsed.arguments[0], unshownGroup: group, concealment: concealment)
        }
        guard !planner.model.hides(group) else {
            return Explanation(version.served, userId: parsed.arguments[0], unshownGroup: group)
        }
        let index = try Lookup.group(group, in: version, planner.model, catalog: catalog)
        return Explanation(version.served, of: UInt32(index), planner, request)
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
