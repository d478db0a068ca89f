package import Basics
import Glibc

/// Buffered output to standard output or to a file.
package struct Output: ~Copyable {
    private var buffer: [UInt8] = []
    private let descriptor: Int32

    /// Opens standard output for `nil` or `-`, or else a file, which is created or emptied, and which others may not
    /// read.
    package init(path: String? = nil) throws(Failure) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = try PrivateFile.emptied(path)
    }

    /// Writes a text without a line feed.
    package mutating func write(_ text: String) throws(Failure) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    package mutating func line(_ text: String) throws(Failure) { try write(text + "\n") }

    package mutating func write(_ bytes: borrowing [UInt8]) throws(Failure) {
        buffer.append(contentsOf: copy bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes the rest of the buffer; must be called at the end.
    package mutating func flush() throws(Failure) {
        if !Descriptor.write(buffer, to: descriptor) {
            // The reader has closed the pipe, as in "coterie export … | head".
            if errno == EPIPE { exit(0) }
            throw Failure(.general, "cannot write: \(SystemWords.lastError)")
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes a line to standard output at once.
    package static func say(_ text: String) throws(Failure) {
        var output = try Output()
        try output.line(text)
        try output.flush()
    }
}

/// Writes a line to standard error.
package func printToStandardError(_ text: String) {
    writeToStandardError(text + "\n")
}

/// Writes a text to standard error; a failure is ignored.
package func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Returns a text that is safe for a terminal.
///
/// Control characters and ends of lines, which could move the cursor, become spaces. Characters that change the
/// direction of text are left out: they could show another text than the one that is there. The joiners of emoji and
/// of Persian stay.
package func printable(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !scalar.properties.isBidiControl {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: shown.append(" ")
        default: shown.append(scalar)
        }
    }
    return String(shown)
}
