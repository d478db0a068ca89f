import Answers
import CatalogStore
import Basics
import CommandLine
import Model
import Service

/// `coterie curate ACTION [GROUP]`.
enum CurateCommand: Subcommand {
    enum Action: String, CaseIterable {
        case add, list, remove
    }

    static let command = Command(
        "curate", changes: true, summary: "Choose groups to recommend to members about whom little is known",
        discussion: """
            "add" adds a group to the curated ones, or changes its position and its dates; the groups after it move \
            down by one. "list" lists all curated groups, including those that have not started or have expired. \
            "remove" removes a group.

            Dates are ISO 8601 (2026-12-01, 2026-12-01T18:00:00Z) or Unix seconds. A group is recommended from its \
            start (inclusive) to its expiry (exclusive). Daemons show the change in new lists within a second. With a \
            store in Redis, the command tells them.
            """,
        arguments: [
            Argument("ACTION", help: "What to do", allowed: Action.allCases.map(\.rawValue)),
            Argument("GROUP", help: "The group's id", isOptional: true),
        ],
        options: [
            Option("position", "N", help: "The position among the curated groups, from 1 (default: last)"),
            Option("start", "DATE", help: "Recommend the group from this time on (default: now)"),
            Option("expires", "DATE", help: "Stop recommending the group at this time (default: never)"),
            CommonOptions.catalog,
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: [
            "coterie curate add weekly-challenge --position 1",
            "coterie curate add hanami --start 2027-03-15 --expires 2027-04-20",
            "coterie curate list", "coterie curate remove hanami",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        switch parsed.chosen(Action.allCases, by: \.rawValue) {
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
        switch try parsed.decide(.curate(position: position, startsAt: startsAt, expiresAt: expiresAt), about: group) {
        case .changed, .unchanged, .unknownGroup: break
        case .privateGroup:
            throw Failure(.badData, "group \"\(group)\" is private or undescribed: it cannot be curated")
        case .expiresBeforeStart:
            throw Failure(.badData, "group \"\(group)\" would expire before it starts")
        }
    }

    private static func remove(_ parsed: ParsedCommand) throws {
        let group = try named(parsed)
        guard try parsed.decide(.uncurate, about: group) == .changed else {
            throw Failure(
                .badData,
                "group \"\(group)\" is not curated: \"coterie curate list\" lists the curated groups")
        }
    }

    /// Returns the group's id, which "add" and "remove" need.
    private static func named(_ parsed: ParsedCommand) throws(UsageError) -> String {
        guard parsed.arguments.count == 2 else {
            throw UsageError("\"curate \(parsed.arguments[0])\" needs the id of a group")
        }
        return parsed.arguments[1]
    }

    private static func list(_ parsed: ParsedCommand) throws {
        let catalog = try parsed.openCatalog()
        let now = SystemClock.nowMilliseconds / 1000
        let answer = CuratedGroups(
            try SiteState(of: catalog, parsed.untakenDecisions(catalog)).curations, atSeconds: now)
        try parsed.print(answer) { output in try output.table(answer.groups, ifNone: "no group is curated") }
    }
}

extension ParsedCommand {
    /// Returns the time given for an option, in Unix seconds, or `nil` if there is none.
    fileprivate func timeIfGiven(_ name: String) throws(UsageError) -> Int64? {
        guard let text = textIfGiven(name) else { return nil }
        guard let time = UnixTime(text) else {
            throw badValue(
                text, of: name, expected: "a date such as 2026-12-01 or 2026-12-01T18:00:00Z, or Unix seconds")
        }
        return time.seconds
    }
}
