import Answers
import CatalogStore
import Model
import CommandLineOptions
import FoundationEssentials
import CivilTime

/// `coterie curate ACTION [GROUP]`.
enum CurateCommand: Subcommand {
    enum Action: String, CaseIterable {
        case add, list, remove
    }

    static let command = Command(
        "curate", summary: "Put groups forward, for members of whom little is known",
        discussion: """
            add puts a group forward, or changes its position and its times; later groups move on. list shows all of \
            them, also those whose time has not come or is over. remove takes one back.

            Dates are ISO 8601 (2026-12-01, 2026-12-01T18:00:00Z) or Unix seconds; a group is put forward from its \
            start (inclusive) to its expiry (exclusive). New lists of a daemon that records in the catalog show it at once, \
            others after the next "coterie recompute".
            """,
        arguments: [
            Argument("ACTION", help: "What to do: add, list or remove"),
            Argument("GROUP", help: "The group's id", isOptional: true),
        ],
        options: [
            Option(
                "position", "N",
                help: "The position among all that are put forward, from 1; the last by default"),
            Option("start", "DATE", help: "When it begins; at once by default"),
            Option("expires", "DATE", help: "When it ends; never by default"),
            CommonOptions.catalog, CommonOptions.json,
        ],
        examples: [
            "coterie curate add weekly-challenge --position 1",
            "coterie curate add hanami --start 2027-03-15 --expires 2027-04-20",
            "coterie curate list", "coterie curate remove hanami",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        guard let action = Action(rawValue: parsed.arguments[0]) else {
            throw UsageError("\"\(parsed.arguments[0])\" is no action: say add, list or remove")
        }
        switch action {
        case .list:
            guard parsed.arguments.count == 1 else { throw UsageError("\"curate list\" takes no group") }
        case .add: try add(parsed)
        case .remove: try remove(parsed)
        }
        try list(parsed)
    }

    private static func add(_ parsed: ParsedCommand) throws {
        let position = try parsed.integerIfGiven("position", in: 1...1_000_000)
        let (startsAt, expiresAt) = (try parsed.timeIfGiven("start"), try parsed.timeIfGiven("expires"))
        let group = try named(parsed)
        switch try parsed.apply(.curate(position: position, startsAt: startsAt, expiresAt: expiresAt), to: group) {
        case .changed, .unchanged, .unknownGroup: break
        case .privateGroup:
            throw Failure(Failure.badData, "group \"\(group)\" is private: it cannot be put forward")
        case .expiresBeforeStart:
            throw Failure(Failure.badData, "group \"\(group)\" would expire before it starts")
        }
    }

    private static func remove(_ parsed: ParsedCommand) throws {
        let group = try named(parsed)
        guard try parsed.apply(.uncurate, to: group) == .changed else {
            throw Failure(
                Failure.badData,
                "group \"\(group)\" is not put forward: \"coterie curate list\" shows those that are")
        }
    }

    /// The group's id, which add and remove need.
    private static func named(_ parsed: ParsedCommand) throws(UsageError) -> String {
        guard parsed.arguments.count == 2 else {
            throw UsageError("\"curate \(parsed.arguments[0])\" needs the id of a group")
        }
        return parsed.arguments[1]
    }

    private static func list(_ parsed: ParsedCommand) throws {
        let catalog = try parsed.openCatalog()
        let now = Int64(Date().timeIntervalSince1970)
        let answer = CuratedGroups(try catalog.curations(), atSeconds: now)
        var output = try Output()
        if parsed.flag("json") {
            try output.json(answer)
        } else {
            var table = TextTable([
                .init(title: "position", isNumber: true), .init(title: "group", maximumWidth: 36),
                .init(title: "start"),
                .init(title: "expires"), .init(title: "now"),
            ])
            for row in answer.groups {
                table.add([
                    String(row.position), row.groupId, date(row.startsAtMilliseconds), date(row.expiresAtMilliseconds),
                    row.isValid ? "yes" : "no",
                ])
            }
            for line in table.lines { try output.line(line) }
            if answer.groups.isEmpty { try output.line("no group is put forward") }
        }
        try output.flush()
    }

    private static func date(_ milliseconds: Int64?) -> String {
        milliseconds.flatMap { UnixTime(seconds: $0 / 1000)?.description } ?? "-"
    }
}

extension ParsedCommand {
    /// The instant given for an option, in Unix seconds, or nil if there is none.
    fileprivate func timeIfGiven(_ name: String) throws(UsageError) -> Int64? {
        guard let text = textIfGiven(name) else { return nil }
        guard let time = UnixTime(text) else {
            throw badValue(
                text, of: name, expected: "a date such as 2026-12-01 or 2026-12-01T18:00:00Z, or Unix seconds")
        }
        return time.seconds
    }
}
