import Answers
import Basics
import CommandLine
import FoundationEssentials
import Model
import ModelStore

/// `coterie models [ACTION] [VERSION…]`.
enum ModelsCommand: Subcommand {
    enum Action: String, CaseIterable {
        case list, diff, pin, unpin, prune

        /// The number of versions that the action takes.
        var versionCount: ClosedRange<Int> {
            switch self {
            case .list, .prune: 0...0
            case .diff: 2...2
            case .pin, .unpin: 1...1
            }
        }
    }

    static let command = Command(
        "models", summary: "List the model versions of a store, compare two, and say which to keep",
        discussion: """
            "list", the default, lists all versions with their age and size, and marks the current one. "diff A B" \
            compares two versions: groups that are gone or new, and groups with neighbours. It counts the 10 and 100 \
            best neighbours that are the same, and shows how far scores moved. With --group, it shows the neighbours \
            of one group in both. "pin A" keeps a version when older ones are removed; "unpin A" releases it. "prune" \
            removes all but the newest versions, as every recompute does; the current version and pinned ones stay.
            """,
        arguments: [
            Argument("ACTION", help: "What to do: list, diff, pin, unpin or prune", isOptional: true),
            Argument("VERSION", help: "A version from the list", isOptional: true, isRepeating: true),
        ],
        options: [
            Option("group", "GROUP", help: "With diff: compare the neighbours of this group"),
            Option("keep", "N", help: "With prune: the versions to keep", default: "3"),
        ] + CommonOptions.storeOptions + [CommonOptions.json],
        examples: [
            "coterie models", "coterie models --store redis://localhost --json",
            "coterie models diff 20261114T030000000-1a2b3c4d 20261121T030000000-5e6f7a8b",
            "coterie models pin 20261114T030000000-1a2b3c4d", "coterie models prune --keep 5",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let text = parsed.arguments.first ?? Action.list.rawValue
        guard let action = Action(rawValue: text) else {
            throw UsageError("\"\(text)\" is not an action: give list, diff, pin, unpin or prune")
        }
        guard action.versionCount.contains(parsed.arguments.dropFirst().count) else {
            let count = action.versionCount.lowerBound
            throw UsageError(
                "\"models \(text)\" takes " + (count == 0 ? "no version" : count == 1 ? "one version" : "two versions"))
        }
        let versions = try parsed.arguments.dropFirst().map { try VersionName($0) }
        let store = try parsed.openStore()
        switch action {
        case .list: return try list(store, parsed)
        case .diff: return try VersionDifference(store, versions[0], versions[1]).write(parsed)
        case .pin: try store.pin(versions[0], true)
        case .unpin: try store.pin(versions[0], false)
        case .prune: try prune(store, parsed)
        }
        try list(store, parsed)
    }

    private static func prune(_ store: any VersionStore, _ parsed: ParsedCommand) throws {
        let removed = try store.prune(keeping: parsed.integer("keep", in: 1...1000))
        try store.trimStreams()
        printToStandardError(
            removed.isEmpty ? "nothing to remove" : "removed \(removed.map(\.description).joined(separator: ", "))")
    }

    private static func list(_ store: any VersionStore, _ parsed: ParsedCommand) throws {
        let (current, pinned) = (try store.current(), try store.pinned())
        let rows = try store.versions().map { manifest in
            VersionRow(
                manifest: manifest, isCurrent: manifest.version == current,
                isPinned: pinned.contains(manifest.version))
        }
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: Answer(store: store.location, current: current?.description, versions: rows))
        } else {
            for line in table(rows).lines { try output.line(line) }
            if rows.isEmpty { try output.line("no versions in \(store.location): run \"coterie recompute\"") }
        }
        try output.flush()
    }

    private static func table(_ rows: [VersionRow]) -> TextTable {
        let relations = Coterie.relations.tabled { relation in
            rows.contains { $0.manifest[relation] != nil }
        }.map(\.relation)
        let now = Date().timeIntervalSince1970
        var table = TextTable(
            [
                .init(title: ""), .init(title: "version"), .init(title: "age", isNumber: true),
                .init(title: "groups", isNumber: true),
            ] + relations.map { .init(title: "by \($0.rawValue)", isNumber: true) } + [
                .init(title: "size", isNumber: true), .init(title: ""),
            ])
        for row in rows {
            let manifest = row.manifest
            let age = max(0, now - Double(manifest.createdAtMilliseconds) / 1000)
            let neighbours = relations.map { (manifest[$0]?.neighbours ?? 0).grouped }
            let notes = [row.isPinned ? "pinned" : nil, manifest.objections == nil ? nil : "refused"].compactMap(\.self)
            table.add(
                [row.isCurrent ? "*" : "", manifest.version.description, Formats.seconds(age)]
                    + [manifest.groups.included.grouped] + neighbours
                    + [Formats.bytes(manifest.byteCount), notes.joined(separator: ", ")])
        }
        return table
    }

    private struct Answer: Encodable {
        var store: String
        var current: String?
        var versions: [VersionRow]
    }

    private struct VersionRow: Encodable {
        var manifest: Manifest
        var isCurrent: Bool
        var isPinned: Bool
    }
}

/// `coterie rollback [VERSION]`.
enum RollbackCommand: Subcommand {
    static let command = Command(
        "rollback", summary: "Make an older model version current again",
        discussion: """
            Without VERSION, it takes the newest earlier version that a recompute made current. Daemons load it within \
            a second.
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
                throw Failure(.badData, "there is no version before the current one in \(store.location)")
            }
            target = last.version
        }
        try store.makeCurrent(target)
        var output = try Output()
        try output.line("version \(target) is current")
        try output.flush()
    }
}
