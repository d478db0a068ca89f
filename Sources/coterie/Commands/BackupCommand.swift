import CivilTime
import CommandLine
import FoundationEssentials
import ModelStore
import Operations

/// `coterie backup FILE`.
enum BackupCommand: Subcommand {
    static let command = Command(
        "backup", summary: "Write a backup of the catalog, experiments, journals and what Redis alone has",
        discussion: """
            Writes one file, a tar archive with a manifest and checksums, while daemons, imports and recomputes go on. \
            It holds the catalog with what the site decided (hidden and curated groups), the site's experiments, the \
            journals of daemons on this machine, and the changes in the streams of a store in Redis that neither has. \
            Whatever was acknowledged before the command began is in it.

            Versions are not in it, as "coterie recompute" makes them again; nor are lists of sessions, keys and \
            settings.

            Only its owner can read the file. Meanwhile its folder needs room for it twice. "coterie restore" brings \
            it back.
            """,
        arguments: [Argument("FILE", help: "The backup")],
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            ParsedCommand.journals,
            withoutRedis,
            Option(flag: "replace", help: "Replace the file if it is there already"), CommonOptions.json,
        ],
        examples: ["coterie backup /backup/coterie-$(date +%F).tar", "coterie backup today.tar --without-redis"])

    static let withoutRedis = Option(
        flag: "without-redis", help: "Leave out what only Redis has, as when it cannot be reached")

    /// The store that is backed up, or that a backup is brought back to; nil for one in Redis that is to be left out.
    static func store(_ parsed: ParsedCommand) throws -> (any VersionStore)? {
        let store = try parsed.openStore()
        return parsed.flag("without-redis") && store.shared != nil ? nil : store
    }

    static func run(_ parsed: ParsedCommand) throws {
        let backup = try SiteBackup(
            catalog: parsed.text("catalog"), journals: parsed.journalFiles(), store: store(parsed))
        let manifest = try backup.write(
            to: parsed.arguments[0], isReplacing: parsed.flag("replace"),
            now: Int64(Date().timeIntervalSince1970 * 1000))
        try BackupReport(manifest, path: parsed.arguments[0]).write(parsed)
    }
}

/// What a backup holds, for people and as JSON.
struct BackupReport {
    private let manifest: BackupManifest
    private let path: String

    init(_ manifest: BackupManifest, path: String) {
        self.manifest = manifest
        self.path = path
    }

    func write(_ parsed: ParsedCommand) throws {
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: manifest)
        } else {
            let time = UnixTime(seconds: manifest.startedAtMilliseconds / 1000)?.description ?? "?"
            try output.line("\(path): a backup of \(time)")
            for file in manifest.files { try output.line("  \(file.name)  \(Formats.bytes(file.byteCount))") }
            if let changes = manifest.streamedChanges {
                try output.line("  changes that only Redis has: \(Formats.grouped(changes))")
            }
        }
        try output.flush()
    }
}
