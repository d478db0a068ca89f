import FoundationEssentials
import Glibc

/// Standard output, in large portions.
struct Output: ~Copyable {
    private var buffer: [UInt8] = []
    private let descriptor: Int32

    /// Writes to standard output, or to a file that is made or emptied.
    init(path: String? = nil) throws(Failure) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else {
            throw Failure(Failure.general, "cannot write \(path): \(unsafe String(cString: strerror(errno)))")
        }
    }

    /// Writes a text as it is.
    mutating func write(_ text: String) throws(Failure) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes a line.
    mutating func line(_ text: String) throws(Failure) { try write(text + "\n") }

    /// Writes bytes as they are.
    mutating func write(_ bytes: borrowing [UInt8]) throws(Failure) {
        buffer.append(contentsOf: copy bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes a value as JSON, indented, its keys in alphabetical order.
    mutating func json(_ value: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            buffer.append(contentsOf: try encoder.encode(value))
        } catch { throw Failure(Failure.general, "cannot write JSON: \(error)") }
        try write("\n")
    }

    /// Writes a value as JSON in one line, its keys in alphabetical order.
    mutating func jsonLine(_ value: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            try write(Array(encoder.encode(value)) + [UInt8(ascii: "\n")])
        } catch let failure as Failure {
            throw failure
        } catch { throw Failure(Failure.general, "cannot write JSON: \(error)") }
    }

    /// Writes what is left; to be called at the end.
    mutating func flush() throws(Failure) {
        var start = 0
        while start < buffer.count {
            let written = unsafe buffer.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if written < 0 {
                if errno == EINTR { continue }
                // Whoever reads has seen enough, as in "coterie export … | head".
                if errno == EPIPE { exit(0) }
                throw Failure(Failure.general, "cannot write: \(unsafe String(cString: strerror(errno)))")
            }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes a line to standard error.
func complain(_ text: String) {
    writeToStandardError(text + "\n")
}

/// Writes a text to standard error as it is; if that fails there is nobody to tell.
func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
