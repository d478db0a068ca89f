import CommandLineOptions
import FoundationEssentials
import Model
import ModelStore

/// `coterie models`.
enum ModelsCommand: Subcommand {
    static let command = Command(
        "models", summary: "List the model versions of a store: age, size, and which is current",
        options: [CommonOptions.store, CommonOptions.cache, CommonOptions.json],
        examples: ["coterie models", "coterie models --store redis://localhost --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let store = try parsed.openStore()
        let current = try store.current()
        let manifests = try store.versions()
        let now = Date().timeIntervalSince1970
        var output = try Output()
        if parsed.flag("json") {
            let rows = manifests.map { VersionJSON(manifest: $0, isCurrent: $0.version == current) }
            try output.json(document: Answer(store: store.location, current: current?.description, versions: rows))
        } else {
            let relations = Coterie.relations.relations
            var table = TextTable(
                [
                    .init(title: ""), .init(title: "version"), .init(title: "age", isNumber: true),
                    .init(title: "groups", isNumber: true),
                ] + relations.map { .init(title: "by \($0.rawValue)", isNumber: true) } + [
                    .init(title: "size", isNumber: true)
                ])
            for manifest in manifests {
                let age = max(0, now - Double(manifest.createdAtMilliseconds) / 1000)
                let neighbours = relations.map { Formats.grouped(manifest[$0]?.neighbours ?? 0) }
                table.add(
                    [manifest.version == current ? "*" : "", manifest.version.description, Formats.seconds(age)]
                        + [Formats.grouped(manifest.groups.included)] + neighbours + [Formats.bytes(manifest.byteCount)]
                )
            }
            for line in table.lines { try output.line(line) }
            if manifests.isEmpty { try output.line("no versions in \(store.location): run \"coterie recompute\"") }
        }
        try output.flush()
    }

    private struct Answer: Encodable {
        var store: String
        var current: String?
        var versions: [VersionJSON]
    }

    private struct VersionJSON: Encodable {
        var manifest: Manifest
        var isCurrent: Bool
    }
}

/// `coterie rollback [VERSION]`.
enum RollbackCommand: Subcommand {
    static let command = Command(
        "rollback", summary: "Make an older model version current again",
        discussion: """
            Without VERSION, the version before the current one becomes current. Daemons load it within a second.
            """,
        arguments: [Argument("VERSION", help: "A version that \"coterie models\" lists", isOptional: true)],
        options: [CommonOptions.store, CommonOptions.cache],
        examples: ["coterie rollback", "coterie rollback 20261114T030000000-1a2b3c4d"])

    static func run(_ parsed: ParsedCommand) throws {
        let store = try parsed.openStore()
        let names = try store.versions().map(\.version)
        let target: VersionName
        if let text = parsed.arguments.first {
            target = try VersionName(text)
        } else {
            guard let current = try store.current(), let index = names.firstIndex(of: current), index > 0 else {
                throw Failure(Failure.badData, "there is no version before the current one in \(store.location)")
            }
            target = names[index - 1]
        }
        try store.makeCurrent(target)
        var output = try Output()
        try output.line("version \(target) is current")
        try output.flush()
    }
}
