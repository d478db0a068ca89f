import Basics
import CatalogStore
import CommandLine
import Recompute

/// `coterie apply`.
enum ApplyCommand: Subcommand {
    static let command = Command(
        "apply", changes: true, summary: "Take what members did and the site decided to the catalog",
        discussion: """
            Daemons and commands record changes in journals. One is beside the catalog, and all processes of its \
            machine share it. With a store in Redis, each daemon has one more. Lists obey changes at once. This \
            command takes them to the catalog, in the order in which they apply; so do "coterie recompute" and every \
            command that decides something. It may run at any time, beside daemons too, and changes nothing the \
            second time. If an import changed members and could not publish them anew, this command does it.

            While an import holds the catalog, the exit code is 75, and the next run goes on. If changes wait for \
            others, which are damaged or missing or need a newer program, the exit code is 65. --skip-missing gives \
            these up.
            """,
        options: [
            Option(
                flag: "skip-missing",
                help: "Apply changes even if earlier ones are missing, which are then lost for good"),
            CommonOptions.catalog,
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: ["coterie apply", "coterie apply --store redis://localhost/0"])

    static func run(_ parsed: ParsedCommand) throws {
        // Nobody makes a catalog by taking changes to it.
        _ = try parsed.openCatalog()
        let outcome = try parsed.applyChanges(
            parsed.openStore(), skipsMissing: parsed.flag("skip-missing"), renewsMembers: true)
        let counts = outcome.counts
        let answer = [
            "applied": counts.applied, "known": counts.repeated, "leftOut": counts.leftOut,
            "givenUp": counts.givenUp.reduce(0) { $0 + $1.numbers.count }, "held": counts.held,
        ]
        try parsed.print(answer) { output in try output.line(outcome.summary) }
        guard outcome.waiting.isEmpty else {
            throw Failure(.badData, "not all changes are in the catalog: some wait for others")
        }
    }
}
