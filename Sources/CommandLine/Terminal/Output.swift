package import Basics
import Glibc

/// Buffered output to standard output or to a file.
package struct Output: ~Copyable {
    private var buffer: [UInt8] = []
    private let descriptor: Int32
    /// The name of the output, for errors.
    private let name: String

    /// Opens standard output for `nil` or `-`, or else a file, which is created or emptied, and which others may not
    /// read.
    package init(path: String? = nil) throws(Failure) {
        guard let path, path != "-" else {
            (descriptor, name) = (STDOUT_FILENO, "standard output")
            return
        }
        (descriptor, name) = (try PrivateFile.emptied(path), path)
    }

    /// Writes a text as it is, such as the rows of a table for programs.
    package mutating func write(_ text: String) throws(Failure) {
        try write(Array(text.utf8))
    }

    /// Writes a line for people, which is safe for a terminal.
    package mutating func line(_ text: String) throws(Failure) { try write(printable(text) + "\n") }

    package mutating func write(_ bytes: borrowing [UInt8]) throws(Failure) {
        buffer.append(contentsOf: copy bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes the rest of the buffer; must be called at the end.
    package mutating func flush() throws(Failure) {
        if !Descriptor.write(buffer, to: descriptor) {
            // The reader has closed the pipe, as in "coterie export … | head".
            if errno == EPIPE { exit(0) }
            throw Failure(
                descriptor == STDOUT_FILENO ? .outputFailed : .fileFailed,
                "cannot write to \(name): \(SystemWords.lastError)")
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes lines for people to standard output at once.
    package static func say(_ text: String) throws(Failure) {
        var output = try Output()
        try output.write(printableLines(text))
        try output.flush()
    }
}

/// Writes lines for people to standard error.
package func printToStandardError(_ text: String) { writeToStandardError(printableLines(text)) }

private func printableLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) + "\n" }.joined()
}

/// Writes a text to standard error as it is; a failure is ignored.
func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Returns a text that is safe for a terminal.
///
/// Control characters and ends of lines, which could move the cursor, become spaces. Characters that change the
/// direction of text are left out: they could show another text than the one that is there. The joiners of emoji and
/// of Persian stay.
package func printable(_ text: String) -> String {
    // Nearly every text needs nothing.
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !scalar.properties.isBidiControl {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: shown.append(" ")
        default: shown.append(scalar)
        }
    }
    return String(shown)
}
