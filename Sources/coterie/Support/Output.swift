import Answers
import Files
import FoundationEssentials
import Glibc
import Synchronization

/// Buffered output to standard output or to a file.
struct Output: ~Copyable {
    private var buffer: [UInt8] = []
    private let descriptor: Int32

    /// Opens standard output for `nil` or `-`, or else a file, which is created or emptied.
    init(path: String? = nil) throws(Failure) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(Failure.general, "cannot write \(path): \(unsafe String(cString: strerror(errno)))")
        }
    }

    /// Writes a text without a line feed.
    mutating func write(_ text: String) throws(Failure) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes a text and a line feed.
    mutating func line(_ text: String) throws(Failure) { try write(text + "\n") }

    /// Writes bytes as they are.
    mutating func write(_ bytes: borrowing [UInt8]) throws(Failure) {
        buffer.append(contentsOf: copy bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes an answer as JSON, with its fields in their order, and a line feed.
    ///
    /// - Parameter isIndented: whether each field has a line of its own.
    mutating func json(_ answer: some Answer, isIndented: Bool = true) throws(Failure) {
        try write((isIndented ? Self.indented(answer.json) : answer.json) + [UInt8(ascii: "\n")])
    }

    /// Writes a value as indented JSON, with its keys in alphabetical order, and a line feed.
    ///
    /// It is for values that are not the answer of any route.
    mutating func json(document value: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            buffer.append(contentsOf: try encoder.encode(value))
        } catch { throw Failure(Failure.general, "cannot write JSON: \(SystemWords.sentence(error))") }
        try write("\n")
    }

    /// Returns compact JSON in the layout of `JSONEncoder`, with a line for each member or element.
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

    /// Writes the rest of the buffer; must be called at the end.
    mutating func flush() throws(Failure) {
        if !Descriptor.write(buffer, to: descriptor) {
            // The reader has closed the pipe, as in "coterie export … | head".
            if errno == EPIPE { exit(0) }
            throw Failure(Failure.general, "cannot write: \(unsafe String(cString: strerror(errno)))")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Writes a line to standard error.
func printToStandardError(_ text: String) {
    writeToStandardError(text + "\n")
}

/// Writes a text to standard error; a failure is ignored.
func writeToStandardError(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Tab-separated values.
enum TabSeparated {
    /// Returns a field, quoted as in RFC 4180 if necessary; any id can be read back.
    static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 || $0 == UInt8(ascii: "\"") }) else {
            return text
        }
        var escaped = "\""
        for character in text.unicodeScalars {
            escaped.unicodeScalars.append(character)
            if character == "\"" { escaped.unicodeScalars.append(character) }
        }
        return escaped + "\""
    }
}

/// A text table for people, with columns as wide as their content, up to a maximum.
struct TextTable {
    /// A column.
    struct Column {
        var title: String
        var isNumber = false
        var maximumWidth = 44
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The header and the rows, a line each, without spaces at the ends of lines.
    var lines: [String] {
        let cells = ([columns.map(\.title)] + rows).map { row in zip(row, columns).map(Self.fitted) }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            var line = ""
            for (index, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                line += columns[index].isNumber ? padding + cell : cell + padding
                if index < row.count - 1 { line += "  " }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Returns a printable cell, cut to the maximum width of its column.
    private static func fitted(_ cell: String, _ column: Column) -> String {
        let flat = printable(cell)
        return flat.count > column.maximumWidth ? flat.prefix(column.maximumWidth - 1) + "…" : flat
    }
}

/// Returns a text that is safe for a terminal: control characters, which could move the cursor, become spaces.
func printable(_ text: String) -> String {
    String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
}

/// A progress line with rate and remaining time, which is shown on terminals only.
final class ProgressLine: Sendable {
    private struct State {
        var step = ""
        var began = ContinuousClock().now
        var lastShown: ContinuousClock.Instant?
        var isShowing = false
    }

    private let state = Mutex(State())
    private let isTerminal = isatty(STDERR_FILENO) == 1

    /// Begins a step, and measures its rate from now on.
    func begin(_ step: String) {
        state.withLock { $0 = State(step: step, isShowing: $0.isShowing) }
    }

    /// Shows an amount, at most ten times a second.
    ///
    /// - Parameters:
    ///   - done: the work done so far in this step.
    ///   - total: all work of the step, or `nil` if unknown.
    ///   - unit: the unit of `done`, or `nil` to show a percentage only.
    ///   - note: a text behind the line.
    ///   - remainingSeconds: the remaining time of all steps, or `nil` to estimate that of this step.
    func show(done: Int, total: Int?, unit: String?, note: String = "", remainingSeconds: Double? = nil) {
        guard isTerminal else { return }
        state.withLock { state in
            let now = ContinuousClock().now
            if let last = state.lastShown, last.duration(to: now) < .milliseconds(100) { return }
            state.lastShown = now
            state.isShowing = true
            let line = Self.line(
                state.step, done: done, total: total, unit: unit, seconds: state.began.duration(to: now).inSeconds,
                remainingSeconds: remainingSeconds)
            writeToStandardError("\r\u{1b}[K" + line + note)
        }
    }

    /// Clears the line, so that other output can follow.
    func clear() {
        state.withLock { state in
            if state.isShowing { writeToStandardError("\r\u{1b}[K") }
            state.isShowing = false
        }
    }

    static func line(_ step: String, done: Int, total: Int?, unit: String?, seconds: Double, remainingSeconds: Double?)
        -> String
    {
        var parts: [String] = []
        if let total, total > 0 { parts.append(Formats.fixed(100 * Double(done) / Double(total), 0) + "%") }
        if let unit {
            parts.append(unit == "bytes" ? Formats.bytes(done) : Formats.grouped(done) + " " + unit)
            if seconds > 0.5 {
                let rate = Int(Double(done) / seconds)
                parts.append((unit == "bytes" ? Formats.bytes(rate) : Formats.grouped(rate)) + "/s")
            }
        }
        if let remainingSeconds {
            parts.append(Formats.seconds(remainingSeconds) + " left in all")
        } else if let total, done > 0, total > done, seconds > 0.5 {
            parts.append(Formats.seconds(seconds * Double(total - done) / Double(done)) + " left")
        }
        return step + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
