import Basics
import CommandLine
import ModelStore
import Operations

/// `coterie backup FILE`.
enum BackupCommand: Subcommand {
    static let command = Command(
        "backup", changes: true, summary: "Back up the catalog, experiments, journals, and changes that only Redis has",
        discussion: """
            Writes one file: a tar archive with a manifest and checksums. Daemons, imports and recomputes may run \
            meanwhile. The backup holds the catalog with the site's decisions (hidden and curated groups), the site's \
            experiments, and the journals of daemons on this machine. With a store in Redis, it also holds those \
            changes in its streams that neither the catalog nor these journals have. Every change that was \
            acknowledged before the command began is in the backup.

            Model versions are left out, because "coterie recompute" makes them again. Session lists, keys and \
            settings are left out, too.

            Only its owner can read the file. While it is written, its folder needs twice the file's size. "coterie \
            restore" restores it.

            Without FILE, the backup goes to the folder that --folder or the configuration names, under a name with \
            its time. Then older backups of the catalog with such names are removed, except the newest ones. \
            Backups of other catalogs, those that are dated after now, and damaged ones stay, do not count, and are \
            named. If the newest ones have less than half of the bytes of the largest, the last larger one stays, too.
            """,
        arguments: [
            Argument(
                "FILE", help: "The file to write (default: a new one in the folder of --folder)", isOptional: true,
                isOutput: true)
        ],
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + [
            ParsedCommand.journals,
            withoutRedis,
            Option(
                "folder", "FOLDER", help: "Without FILE: the folder of the backups, which must exist",
                setting: Setting("backup.folder"), isOutput: true),
            Option(
                "keep", "N", help: "Without FILE: the number of backups in the folder that stay", default: "7",
                type: .integer(1...10_000), setting: Setting("backup.keep")),
            Option(flag: "replace", help: "Replace the file if it is there already"), CommonOptions.json,
        ],
        examples: ["coterie backup /backup/coterie-$(date +%F).tar", "coterie backup today.tar --without-redis"])

    static let withoutRedis = Option(
        flag: "without-redis", help: "Leave out what only Redis has, for example when Redis cannot be reached")

    /// Opens the store to back up or restore, or returns `nil` for a store in Redis with `--without-redis`.
    static func store(_ parsed: ParsedCommand) throws -> (any VersionStore)? {
        let store = try parsed.openStore()
        return parsed.flag("without-redis") && store.shared != nil ? nil : store
    }

    static func run(_ parsed: ParsedCommand) throws {
        let now = SystemClock.nowMilliseconds
        let folder = parsed.arguments.isEmpty ? parsed.textIfGiven("folder").map(BackupFolder.init) : nil
        guard let path = parsed.arguments.first ?? folder?.file(at: now / 1000) else {
            throw UsageError("there is no FILE, and no folder: name one with --folder, or as backup.folder")
        }
        let backup = try SiteBackup(
            catalog: parsed.text("catalog"), journals: parsed.journalFiles(), store: store(parsed))
        let manifest = try backup.write(to: path, isReplacing: parsed.flag("replace"), now: now)
        for line in try folder?.prune(keeping: parsed.integer("keep"), after: manifest) ?? [] {
            printToStandardError(line)
        }
        try BackupReport(manifest, path: path).write(parsed)
    }
}

/// The contents of a backup, for people and as JSON.
struct BackupReport {
    private let manifest: BackupManifest
    private let path: String

    init(_ manifest: BackupManifest, path: String) {
        self.manifest = manifest
        self.path = path
    }

    func write(_ parsed: ParsedCommand) throws {
        try parsed.print(StoredDocument(content: manifest)) { output in
            let time = UnixTime(seconds: manifest.startedAtMilliseconds / 1000)?.description ?? "?"
            try output.line("\(path): a backup of \(time)")
            for file in manifest.files { try output.line("  \(file.name)  \(Formats.bytes(file.byteCount))") }
            if let changes = manifest.streamedChanges {
                try output.line("  changes that only Redis has: \(changes.grouped)")
            }
        }
    }
}
