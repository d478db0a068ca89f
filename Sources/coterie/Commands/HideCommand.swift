import Answers
import CatalogStore
import Model
import CommandLineOptions
import CivilTime

/// `coterie hide [GROUP]`.
enum HideCommand: Subcommand {
    static let command = Command(
        "hide", summary: "Hide a group from everybody, until that is undone",
        discussion: """
            A hidden group is treated like a private one, but imports do not change that. New models leave it out. A \
            daemon that has the catalog leaves it out of its answers, running sessions included, within half a second. Use \
            PUT /v1/admin/groups/GROUP/hidden to hide it from the next answer on; daemons without the catalog need that. \
            Members and photos of the group stay in the catalog.

            Afterwards, and with --list alone, all hidden groups are listed.
            """,
        arguments: [Argument("GROUP", help: "The group's id", isOptional: true)],
        options: [
            Option(
                flag: "undo", help: "Show the group again; the next recompute counts it again"),
            Option(flag: "list", help: "Only list the hidden groups"), CommonOptions.catalog, CommonOptions.json,
        ],
        examples: ["coterie hide spam-and-scams", "coterie hide spam-and-scams --undo", "coterie hide --list"])

    static func run(_ parsed: ParsedCommand) throws {
        let group = parsed.arguments.first
        guard (group != nil) != parsed.flag("list") else {
            throw UsageError(group == nil ? "which group? Give its id, or say --list" : "--list takes no group")
        }
        if let group {
            let isUndone = parsed.flag("undo")
            let outcome = try parsed.apply(isUndone ? .unhide : .hide, to: group)
            guard outcome == .changed || !isUndone else {
                throw Failure(
                    Failure.badData, "group \"\(group)\" is not hidden: \"coterie hide --list\" shows those that are")
            }
        } else if parsed.flag("undo") {
            throw UsageError("--undo needs the id of a group")
        }
        try list(parsed)
    }

    private static func list(_ parsed: ParsedCommand) throws {
        let answer = HiddenGroups(try parsed.openCatalog().hiddenGroups(limit: .max))
        var output = try Output()
        if parsed.flag("json") {
            try output.json(answer)
        } else {
            var table = TextTable([.init(title: "group", maximumWidth: 36), .init(title: "hidden since")])
            for row in answer.groups {
                table.add([row.groupId, UnixTime(seconds: row.hiddenAtMilliseconds / 1000)?.description ?? "-"])
            }
            for line in table.lines { try output.line(line) }
            if answer.groups.isEmpty { try output.line("no group is hidden") }
        }
        try output.flush()
    }
}
