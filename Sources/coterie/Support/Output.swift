import Answers
import FoundationEssentials
import Glibc

/// Buffered output to standard output or to a file.
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

    /// Writes an answer as JSON, its fields in their order: one a line, or all in one line.
    mutating func json(_ answer: some Answer, isIndented: Bool = true) throws(Failure) {
        try write((isIndented ? Self.indented(answer.json) : answer.json) + [UInt8(ascii: "\n")])
    }

    /// Writes a value that no route answers with as JSON, indented, its keys in alphabetical order.
    mutating func json(document value: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            buffer.append(contentsOf: try encoder.encode(value))
        } catch { throw Failure(Failure.general, "cannot write JSON: \(error)") }
        try write("\n")
    }

    /// JSON without blanks, laid out as `JSONEncoder` does it: one member or element a line.
    private static func indented(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var depth = 0
        var isText = false
        var isEscaped = false
        func newLine() -> [UInt8] { Array("\n".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth) }
        for (index, byte) in json.enumerated() {
            if isText {
                result.append(byte)
                if !isEscaped, byte == UInt8(ascii: "\"") { isText = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                result.append(byte)
                let isEmpty = json[index + 1] == UInt8(ascii: "}") || json[index + 1] == UInt8(ascii: "]")
                if !isEmpty { result += newLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                let isEmpty = json[index - 1] == UInt8(ascii: "{") || json[index - 1] == UInt8(ascii: "[")
                if !isEmpty { result += newLine() }
                result.append(byte)
            case UInt8(ascii: ","): result += [byte] + newLine()
            case UInt8(ascii: ":"): result += Array(" : ".utf8)
            default:
                result.append(byte)
                isText = byte == UInt8(ascii: "\"")
            }
        }
        return result
    }

    /// Writes what is still buffered; call it at the end.
    mutating func flush() throws(Failure) {
        if !writeAll(buffer, to: descriptor) {
            // The reader has closed the pipe, as in "coterie export … | head".
            if errno == EPIPE { exit(0) }
            throw Failure(Failure.general, "cannot write: \(unsafe String(cString: strerror(errno)))")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes all bytes to a file or a pipe; if it returns false, `errno` says why.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
        let written = unsafe bytes.withUnsafeBytes { bytes in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
        }
        if written < 0 && errno == EINTR { continue }
        guard written >= 0 else { return false }
        start += written
    }
    return true
}

/// Writes a line to standard error.
func complain(_ text: String) {
    writeToStandardError(text + "\n")
}

/// Writes a text to standard error; a failure is ignored.
func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
