import FoundationEssentials
import Glibc

/// A file that is written in portions by a command that may be killed: run again, the command goes on where it was.
///
/// Until it is whole, it has another name, and a note beside it says how far it is and what it is made from. A portion
/// counts once the note says so: what a killed command wrote behind it is cut off.
final class ResumableFile<Content: Codable & Equatable> {
    /// What the note says.
    private struct Note: Codable {
        /// What the file is made from.
        var content: Content
        /// How many bytes of it are written.
        var byteCount: Int
        /// Where to go on, as the command understands it.
        var position: String?
    }

    private let path: String
    private let descriptor: Int32
    private var note: Note

    /// What the file is made from: as the note says, if it goes on.
    var content: Content { note.content }
    /// Where to go on; nil at the beginning.
    var position: String? { note.position }

    private var partialPath: String { path + ".partial" }
    private var notePath: String { path + ".partial.json" }

    /// Begins the file, or goes on with it.
    ///
    /// - Parameters:
    ///   - content: what it is to be made from.
    ///   - isSame: whether a file that was begun with the first is to go on for the second.
    /// - Throws: a failure if a file was begun from something else, or it cannot be written.
    init(path: String, content: Content, isSame: (Content, Content) -> Bool = { $0 == $1 }) throws {
        self.path = path
        let (partial, beside) = (path + ".partial", path + ".partial.json")
        note = Note(content: content, byteCount: 0)
        if let bytes = try? Data(contentsOf: URL(filePath: beside)) {
            guard let begun = try? JSONDecoder().decode(Note.self, from: bytes), isSame(begun.content, content) else {
                throw Failure(
                    Failure.badData,
                    """
                    \(partial) was begun from another version or with other options: give the same ones, or remove it \
                    and \(beside)
                    """)
            }
            note = begun
        }
        descriptor = unsafe open(partial, O_WRONLY | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw Self.failure("cannot write \(partial)") }
        guard lseek(descriptor, 0, SEEK_END) >= note.byteCount else {
            throw Failure(Failure.badData, "\(partial) is shorter than \(beside) says: remove both, and begin again")
        }
        guard ftruncate(descriptor, note.byteCount) == 0, lseek(descriptor, note.byteCount, SEEK_SET) >= 0 else {
            throw Self.failure("cannot write \(partial)")
        }
        try writeNote()
    }

    deinit { close(descriptor) }

    /// Adds a portion.
    ///
    /// - Parameter position: where to go on behind it.
    func append(_ bytes: [UInt8], position: String) throws(Failure) {
        guard writeAll(bytes, to: descriptor) else { throw Self.failure("cannot write \(partialPath)") }
        note.byteCount += bytes.count
        note.position = position
        try writeNote()
    }

    /// Gives the whole file its name.
    func finish() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot write \(path)") }
        // First: a note without its file would keep the next run from beginning.
        _ = unsafe unlink(notePath)
        guard unsafe rename(partialPath, path) == 0 else { throw Self.failure("cannot write \(path)") }
    }

    private func writeNote() throws(Failure) {
        do {
            try JSONEncoder().encode(note).write(to: URL(filePath: notePath), options: .atomic)
        } catch { throw Failure(Failure.general, "cannot write \(notePath): \(error)") }
    }

    private static func failure(_ text: String) -> Failure {
        Failure(Failure.general, "\(text): \(unsafe String(cString: strerror(errno)))")
    }
}
