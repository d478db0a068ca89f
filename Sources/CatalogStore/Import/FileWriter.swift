import Basics
import Glibc

/// A buffered writer of a file that only its owner may read.
final class FileWriter {
    let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// Creates a file, or empties an existing one.
    init(path: String) throws(Failure) {
        self.path = path
        do throws(Failure) { descriptor = try PrivateFile.emptied(path) } catch {
            throw Self.failure(error.message)
        }
    }

    deinit { close(descriptor) }

    func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws(Failure) {
        buffer += bytes
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes out the buffer; must be called at the end.
    func flush() throws(Failure) {
        guard Descriptor.write(buffer, to: descriptor) else {
            throw Self.failure("cannot write \(path): \(SystemWords.lastError)")
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ message: String) -> Failure {
        Failure(.fileFailed, "\(message); name another file for rejected lines with --rejects")
    }
}
