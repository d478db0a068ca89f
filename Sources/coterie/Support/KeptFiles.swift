import CatalogStore
import CommandLineOptions
import FoundationEssentials

/// The files that daemons keep on this machine, beside the catalog.
extension ParsedCommand {
    static let journals = Option(
        "journal", "FILE",
        help: """
            A daemon's journal (default: all journal-PORT.sqlite beside the catalog and in the usual folder of journals)
            """,
        environment: "COTERIE_JOURNAL", setting: Setting("serve.journal"), isRepeating: true)

    /// The journals that were given; if none were, those with the usual names in the usual folders.
    func journalFiles() -> [String] {
        let given = texts("journal")
        guard given.isEmpty else { return given }
        let folders = Set([Catalog.folder(of: text("catalog")), Self.stateFolderPath].compactMap(Catalog.resolved))
        return folders.sorted().flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter(Self.isJournalName).sorted().map { "\(folder)/\($0)" }
        }
    }

    private static func isJournalName(_ name: String) -> Bool {
        let digits = name.dropFirst("journal-".count).prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && name == "journal-\(digits).sqlite"
    }

    /// The files of sessions that were given; if none were, those beside the catalog and the journals.
    func sessionFiles(besides journals: [String]) -> [String] {
        let given = texts("sessions")
        guard given.isEmpty else { return given }
        return ([text("catalog")] + journals).map { $0 + "-sessions" }.filter(FileManager.default.fileExists)
    }
}
