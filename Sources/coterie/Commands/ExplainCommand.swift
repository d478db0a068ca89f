import Catalog
import CommandLineOptions
import Model
import ModelStore
import RecordReading
import Recommendation

/// `coterie explain USER GROUP`.
enum ExplainCommand: Subcommand {
    static let command = Command(
        "explain", summary: "Say why a group is in a user's list, at which place, or why it is not",
        arguments: [Argument("USER", help: "The user's id"), Argument("GROUP", help: "The group's id")],
        options: PlanOptions.all + [
            CommonOptions.version, CommonOptions.catalog, CommonOptions.store, CommonOptions.cache, CommonOptions.json,
        ],
        examples: ["coterie explain alice macro-mondays"])

    static func run(_ parsed: ParsedCommand) throws {
        let version = try parsed.loadVersion()
        let planner = try parsed.planner(version.model)
        let profiles = try MemberProfiles(parsed, version)
        let request = PlanRequest(
            profile: try profiles.profile(of: parsed.arguments[0]), atMilliseconds: try parsed.planInstant(),
            seed: UInt64(try parsed.integer("seed", in: 0...Int.max)), hidden: try profiles.hiddenGroups())
        let answer = try explanation(parsed, version, planner, request)
        var output = try Output()
        if parsed.flag("json") { try output.json(answer) } else { try write(answer, to: &output) }
        try output.flush()
    }

    private struct Answer: Encodable {
        var modelVersion, userId, groupId: String
        var standing, explanation: String
        var place: Int?
        var interest: String?
        var reasons: [PlanJSON.Reason]
    }

    private static func explanation(
        _ parsed: ParsedCommand, _ version: LoadedVersion, _ planner: Planner, _ request: PlanRequest
    ) throws -> Answer {
        let (user, group) = (parsed.arguments[0], parsed.arguments[1])
        var answer = Answer(
            modelVersion: version.manifest.version.description, userId: user, groupId: group, standing: "",
            explanation: "", reasons: [])
        let catalog = try parsed.openCatalogIfPresent()
        if let record = try catalog?.group(withID: group), record.visibility == .private {
            answer.standing = "private"
            answer.explanation = "the group is private, and private groups are shown to nobody"
            return answer
        }
        let index = try Lookup.group(group, in: version, catalog: catalog)
        let (standing, plan) = planner.standing(of: UInt32(index), request)
        (answer.standing, answer.explanation) = words(for: standing, planner)
        // What speaks for it is worth knowing whether or not it is shown.
        let item = PlanItem(group: UInt32(index), score: 0, interest: nil, origin: .personal)
        let reasons = planner.reasons(for: [item], of: request.profile)[0]
        let score = reasons.reduce(0) { $0 + $1.contribution }
        answer.reasons = reasons.map {
            .init(
                $0, of: PlanItem(group: item.group, score: score, interest: nil, origin: .personal), in: planner.model)
        }
        if case .listed(let place, let item) = standing {
            answer.place = place
            answer.interest = item.interest.map { plan.interests[$0].name(in: planner.model) }
        }
        return answer
    }

    private static func words(for standing: Standing, _ planner: Planner) -> (name: String, text: String) {
        func time(_ seconds: Int64) -> String { UnixTime(seconds: seconds)?.description ?? "\(seconds)" }
        switch standing {
        case .listed(let place, let item):
            return ("listed", "it is at place \(place)" + (item.origin == .personal ? "" : ": \(item.origin.rawValue)"))
        case .joined: return ("joined", "the user is a member of it")
        case .dismissed(let milliseconds):
            return ("dismissed", "the user dismissed it at \(time(milliseconds / 1000))")
        case .hidden: return ("hidden", "it is hidden from everybody")
        case .inactive(let seconds): return ("inactive", "nothing has happened in it since \(time(seconds))")
        case .noEvidence:
            return (
                "noEvidence",
                "no group that the user has joined has it as a neighbour, and it is not among those that fill up the list"
            )
        case .tooSimilar(let seed):
            let ceiling = Formats.significant(planner.configuration.filters.ceiling, 3)
            return (
                "tooSimilar",
                "it is too similar to \(planner.model.id(of: Int(seed))), which the user has joined: their cosine is \(ceiling) or more"
            )
        case .notReached(let rank, let candidates):
            return (
                "notReached",
                "it is number \(Formats.grouped(rank)) of \(Formats.grouped(candidates)) candidates by score, and the list was full before its turn came"
            )
        }
    }

    private static func write(_ answer: Answer, to output: inout Output) throws {
        try output.line(printable("\(answer.groupId) for \(answer.userId): \(answer.explanation)"))
        if let interest = answer.interest { try output.line(printable("it serves the interest \"\(interest)\"")) }
        guard !answer.reasons.isEmpty else { return }
        var table = TextTable([
            .init(title: "because of", maximumWidth: 36), .init(title: "title"), .init(title: "by"),
            .init(title: "common", isNumber: true), .init(title: "share", isNumber: true),
        ])
        for reason in answer.reasons {
            table.add([
                reason.groupId, reason.title, reason.relation, Formats.grouped(Int(reason.common)),
                Formats.fixed(reason.share, 3),
            ])
        }
        for line in table.lines { try output.line(line) }
    }
}
