import CommandLineOptions
import Model
import ModelStore

/// `coterie rollback [VERSION]`.
enum RollbackCommand: Subcommand {
    static let command = Command(
        "rollback", summary: "Make an older model version current again",
        discussion: """
            Without VERSION, the newest version before the current one that a recompute made current becomes current. \
            Daemons load it within a second.
            """,
        arguments: [Argument("VERSION", help: "A version that \"coterie models\" lists", isOptional: true)],
        options: CommonOptions.storeOptions,
        examples: ["coterie rollback", "coterie rollback 20261114T030000000-1a2b3c4d"])

    static func run(_ parsed: ParsedCommand) throws {
        let store = try parsed.openStore()
        let target: VersionName
        if let text = parsed.arguments.first {
            target = try VersionName(text)
        } else {
            let current = try store.current()
            let before = try store.versions().filter { $0.objections == nil }.prefix { $0.version != current }
            guard let current, let last = before.last(where: { $0.version < current }) else {
                throw Failure(Failure.badData, "there is no version before the current one in \(store.location)")
            }
            target = last.version
        }
        try store.makeCurrent(target)
        var output = try Output()
        try output.line("version \(target) is current")
        try output.flush()
    }
}
