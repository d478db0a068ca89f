import CatalogStore
import CommandLine
import ModelStore
import Basics
import FoundationEssentials
import Glibc

/// A file that a command writes in portions, and resumes after it was killed.
///
/// Until the file is complete, its name ends in `.partial`, and a note beside it holds its inputs and its progress. A
/// portion counts once the note has it; bytes after the last such portion are cut off. Only this user can read both
/// files.
final class ResumableFile<Content: Codable & Equatable> {
    /// The content of the note.
    private struct Note: Codable {
        /// The inputs that the file is made from.
        var content: Content
        /// The number of bytes that count.
        var byteCount: Int
        /// The point to resume from, in the terms of the command, or `nil` at the beginning.
        var position: String?
    }

    private let path: String
    private let file: OpenFile
    private var note: Note

    /// The inputs that the file is made from; those of the note if the file is resumed.
    var content: Content { note.content }
    /// The point to resume from, or `nil` at the beginning.
    var position: String? { note.position }

    private var partialPath: String { path + ".partial" }
    private var notePath: String { path + ".partial.json" }

    /// Begins the file, or resumes it.
    ///
    /// - Parameter isSame: whether a file that was begun with the first inputs may be resumed for the second.
    /// - Throws: among others `Failure` if a file was begun with other inputs, is too short, or cannot be written, or
    ///   if `PrivateFile.refuseOther` refuses the path.
    init(path: String, content: Content, isSame: (Content, Content) -> Bool) throws {
        try PrivateFile.refuseOther(path)
        self.path = path
        let (partial, beside) = (path + ".partial", path + ".partial.json")
        note = Note(content: content, byteCount: 0)
        if let bytes = try FileTree.content(of: beside, limit: .max) {
            guard let begun = try? JSON.decoded(Note.self, from: bytes), isSame(begun.content, content) else {
                throw Failure(
                    .badData,
                    """
                    \(partial) was begun from another version, with other options, or before the site decided \
                    something: give the same options, or remove it and \(beside)
                    """)
            }
            note = begun
        }
        file = OpenFile(owning: try PrivateFile.opened(partial), partial)
        guard try file.byteCount() >= note.byteCount else {
            throw Failure(.badData, "\(partial) is shorter than \(beside) says: remove both, and begin again")
        }
        try file.cut(to: note.byteCount)
        try writeNote()
    }

    /// Adds a portion.
    ///
    /// - Parameter position: the point to resume from after this portion.
    func append(_ bytes: [UInt8], position: String) throws(Failure) {
        try file.append(bytes)
        note.byteCount += bytes.count
        note.position = position
        try writeNote()
    }

    /// Gives the complete file its name.
    func finish() throws(Failure) {
        try file.synchronize()
        // The note is removed first: with a note but no file, the next run would fail.
        try? FileTree.remove(notePath)
        try FileTree.move(partialPath, to: path)
    }

    private func writeNote() throws(Failure) {
        guard let json = try? JSON.encoded(note) else {
            preconditionFailure("a note has only texts and integers")
        }
        try PrivateFile.write(json, to: notePath)
    }
}

/// The files that daemons keep on this machine, beside the catalog.
extension ParsedCommand {
    static let journals = Option(
        "journal", "FILE",
        help: """
            A daemon's journal (default: all journal-PORT.sqlite beside the catalog and in the usual folder of journals)
            """,
        environment: "COTERIE_JOURNAL", setting: Setting("serve.journal"), isRepeating: true)

    /// Returns the given journals or, if there are none, those with the usual names in the usual folders, and the
    /// journal beside the catalog.
    func journalFiles() -> [String] {
        let given = texts("journal")
        guard given.isEmpty else { return given }
        let folders = Set([FileTree.folder(of: text("catalog")), Self.stateFolderPath].compactMap(Catalog.resolved))
        return folders.sorted().flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter(Self.isJournalName).sorted().map { "\(folder)/\($0)" }
        } + [Catalog.existingJournal(beside: text("catalog"))].compactMap(\.self)
    }

    /// Returns the part of a site that a path belongs to, in words; nil for a path that may be written.
    ///
    /// A database also has the files that SQLite and daemons keep beside it, whether they are there or not.
    func owner(of path: String) -> String? {
        let (store, catalog) = (textIfDeclared("store").map(Self.place), textIfDeclared("catalog").map(Self.place))
        var (folder, database) = (Self.place(of: path), Self.place(of: path))
        // A command that does not use the store does not know its name.
        while folder.count > 1 {
            if folder == store || FolderStore.isStore(folder) { return "the store \(folder)" }
            folder = FileTree.folder(of: folder)
        }
        while database != catalog, !PrivateFile.isDatabase(database) {
            guard let ending = database.firstMatch(of: /-(wal|shm|journal|log|lock|sessions|work)$/) else { return nil }
            database.removeSubrange(ending.range)
        }
        return "the database \(database)"
    }

    /// Returns a path with the links of its existing part resolved.
    private static func place(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return Catalog.resolved(path) ?? (path == "." ? path : place(of: FileTree.folder(of: path)) + "/" + name)
    }

    private static func isJournalName(_ name: String) -> Bool {
        let digits = name.dropFirst("journal-".count).prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && name == "journal-\(digits).sqlite"
    }

    /// Returns the given files of sessions or, if there are none, those beside the catalog and the journals.
    func sessionFiles(besides journals: [String]) -> [String] {
        let given = texts("sessions")
        guard given.isEmpty else { return given }
        return ([text("catalog")] + journals).map { $0 + "-sessions" }.filter(FileManager.default.fileExists)
    }
}

/// A file with one secret, which keeps the secret out of configurations and command lines.
struct SecretFile: Sendable {
    /// The longest secret, in bytes, inclusive.
    private static let limitBytes = 4096

    private let path: String

    init(_ path: String) { self.path = path }

    /// Returns the secret, without a line feed at its end.
    ///
    /// - Throws: `Failure` if the file cannot be read, is empty or too long, or gives other users any permission.
    func read() throws(Failure) -> String {
        let contents = try RegularFile.read(path, limitBytes: Self.limitBytes)
        guard contents.status.st_mode & S_IRWXO == 0 else {
            throw Failure(
                .badData, "\(path) can be read by everybody: run chmod 600 on it, and change the secret")
        }
        guard (1...Self.limitBytes).contains(contents.bytes.count) else {
            throw Failure(.badData, "\(path) must hold a secret of 1 to \(Self.limitBytes) bytes")
        }
        let secret = String(decoding: contents.bytes, as: UTF8.self)
        return String(secret.hasSuffix("\n") ? secret.dropLast() : secret[...])
    }
}
