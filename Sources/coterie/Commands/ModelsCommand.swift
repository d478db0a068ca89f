import Answers
import Basics
import CommandLine
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
            "list", the default, lists all versions with their age and size, and marks the current one. It shows how \
            many members joined a group of their list, as the next recompute measured it. "diff A B" compares two \
            versions: groups that are gone or new, and groups with neighbours. It counts the 10 and 100 best \
            neighbours that are the same, and shows how far scores moved. With --group, it shows the neighbours of \
            one group in both. "pin A" keeps a version when older ones are removed; "unpin A" releases it. "prune" \
            removes all but the newest versions, as every recompute does; the current version and pinned ones stay.
            """,
        arguments: [
            Argument("ACTION", help: "What to do", allowed: Action.allCases.map(\.rawValue), isOptional: true),
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
        let action = parsed.arguments.isEmpty ? .list : parsed.chosen(Action.allCases, by: \.rawValue)
        guard action.versionCount.contains(parsed.arguments.dropFirst().count) else {
            let count = action.versionCount.lowerBound
            throw UsageError(
                "\"models \(action.rawValue)\" takes "
                    + (count == 0 ? "no version" : count == 1 ? "one version" : "two versions"))
        }
        let versions = try parsed.arguments.dropFirst().map { try VersionName($0) }
        let store = try parsed.openStore()
        switch action {
        case .list: return try list(store, parsed)
        case .diff: return try VersionDifference(store, versions[0], versions[1]).write(parsed)
        case .pin, .unpin:
            try store.pin(versions[0], action == .pin)
            parsed.note(action == .pin ? .pin : .unpin, .version, versions[0].description, in: store)
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
        let now = SystemClock.nowMilliseconds
        let manifests = try store.versions()
        let qualities = Manifest.qualities(in: manifests)
        let versions = manifests.map { manifest in
            StoredVersion(
                manifest: manifest, quality: qualities.first { $0.version == manifest.version },
                isCurrent: manifest.version == current,
                isPinned: pinned.contains(manifest.version),
                ageSeconds: Double(max(0, now - manifest.createdAtMilliseconds)) / 1000)
        }
        let relations = Coterie.relations.tabled { relation in versions.contains { $0.manifest[relation] != nil } }
        let answer = StoredVersions(store: store.location, current: current?.description, versions: versions)
        try parsed.print(answer) { output in
            try output.table(
                versions, of: relations, ifNone: "no versions in \(store.location): run \"coterie recompute\"")
        }
    }
}

/// The versions of a store: `coterie models`.
private struct StoredVersions: Answer {
    let store: String
    let current: String?
    let versions: [StoredVersion]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("store", \.store, "Where they are")
        fields.sometimes("current", \.current, "The version that serves; if there is one")
        fields.always("versions", \.versions, "The versions, the oldest first")
    }
}

/// A version in a store.
private struct StoredVersion: Answer {
    let manifest: Manifest
    /// The quality of its lists; nil until the next recompute measures it.
    let quality: Manifest.Quality?
    let isCurrent, isPinned: Bool
    let ageSeconds: Double

    private var notes: [String] {
        [isPinned ? "pinned" : nil, manifest.objections == nil ? nil : "refused", quality?.words].compactMap(\.self)
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.column(Column("") { $0.isCurrent ? "*" : "" })
        fields.column(Column("version", \.manifest.version.description))
        fields.column(Column("age", isNumber: true) { Formats.seconds($0.ageSeconds) })
        fields.column(Column("groups", isNumber: true, \.manifest.groups.included.grouped))
        fields.columns { relations in
            relations.map { facts in
                Column("by \(facts.name)", isNumber: true) {
                    ($0.manifest[facts.relation]?.neighbours ?? 0).grouped
                }
            }
        }
        fields.column(Column("size", isNumber: true) { Formats.bytes($0.manifest.byteCount) })
        fields.column(Column("") { $0.notes.joined(separator: "; ") })
        fields.always("isCurrent", \.isCurrent, "Whether it serves")
        fields.always("isPinned", \.isPinned, "Whether it stays when older ones are removed")
        fields.sometimes(
            "quality", { $0.quality.map { StoredDocument(content: $0) } },
            "The quality of its lists; once the next recompute has measured it")
        fields.always("manifest", { StoredDocument(content: $0.manifest) }, "Its manifest")
    }
}

/// `coterie rollback [VERSION]`.
enum RollbackCommand: Subcommand {
    static let command = Command(
        "rollback", changes: true, summary: "Make an older model version current again",
        discussion: """
            Without VERSION, it takes the newest earlier version that a recompute made current. Daemons load it within \
            a second. The next recompute makes its own version current: to prevent it, stop its timer.
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
        let before = try store.current()?.description
        try store.makeCurrent(target)
        parsed.note(.serve, .version, target.description, before: before, in: store)
        try Output.say(
            "version \(target) is current until the next recompute makes its own current; to keep it longer, stop "
                + "coterie-recompute.timer")
    }
}
