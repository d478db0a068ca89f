import Answers
import Basics
import CommandLine
import Model
import Service

/// `coterie hide [GROUP]`.
enum HideCommand: Subcommand {
    static let command = Command(
        "hide", changes: true, summary: "Hide a group from everybody, or show it again",
        discussion: """
            Answers, lists and new model versions leave a hidden group out, as if it were private. Imports do not show \
            it again. Its members and photos stay in the catalog.

            Daemons apply the change within a second, also to running sessions. With a store in Redis, the command \
            tells them. To hide a group from the next answer on, use PUT /v1/admin/groups/GROUP/hidden instead.

            The command ends by listing all hidden groups; --list does only that. The list has what daemons recorded, \
            too.
            """,
        arguments: [Argument("GROUP", help: "The group's id", isOptional: true)],
        options: [
            Option(flag: "undo", help: "Show the group again; the next recompute includes it"),
            Option(flag: "list", help: "Only list the hidden groups"), CommonOptions.catalog,
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: ["coterie hide spam-and-scams", "coterie hide spam-and-scams --undo", "coterie hide --list"])

    static func run(_ parsed: ParsedCommand) throws {
        let group = parsed.arguments.first
        guard (group != nil) != parsed.flag("list") else {
            throw UsageError(group == nil ? "which group? Give its id, or --list" : "--list takes no group")
        }
        if let group {
            let isUndone = parsed.flag("undo")
            let outcome = try parsed.decide(isUndone ? .unhide : .hide, about: group)
            guard outcome == .changed || !isUndone else {
                throw Failure(
                    .badData,
                    "group \"\(group)\" is not hidden: \"coterie hide --list\" lists the hidden groups")
            }
        } else if parsed.flag("undo") {
            throw UsageError("--undo needs the id of a group")
        }
        try list(parsed)
    }

    private static func list(_ parsed: ParsedCommand) throws {
        let catalog = try parsed.openCatalog()
        let answer = HiddenGroups(try SiteState(of: catalog, parsed.untakenDecisions(catalog)).hiddenGroups)
        try parsed.print(answer) { output in try output.table(answer.groups, ifNone: "no group is hidden") }
    }
}
