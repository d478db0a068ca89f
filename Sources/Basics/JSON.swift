/// A JSON document (RFC 8259), or a value in it.
package indirect enum JSON: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A number as it is written.
    case number(String)
    case text(String)
    case list([JSON])
    /// The members of an object, in their order.
    case object([(name: String, value: JSON)])

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - isStrict: whether blanks and repeated names are refused.
    ///   - depthLimit: the number of levels at which a document is refused.
    /// - Returns: nil if the bytes are no document.
    package init?(_ bytes: [UInt8], isStrict: Bool = false, depthLimit: Int = 256) {
        var reader = JSONReader(bytes: bytes, isStrict: isStrict)
        guard let value = reader.value(depthLimit: depthLimit), reader.isAtEnd else { return nil }
        self = value
    }

    /// The text, or nil if the value is none.
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The whole number, or nil if the value is none.
    package var integer: Int64? { if case .number(let number) = self { Int64(number) } else { nil } }
    /// The elements, or nil if the value is no list.
    package var elements: [JSON]? { if case .list(let elements) = self { elements } else { nil } }
    /// The members, or nil if the value is no object.
    package var members: [(name: String, value: JSON)]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The member of an object, or nil if there is no such member or no object.
    package subscript(name: String) -> JSON? { members?.first { $0.name == name }?.value }

    /// Whether two documents have the same values; the order of members and the form of numbers do not matter.
    package static func == (one: JSON, other: JSON) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let other)): one == other
        case (.number(let one), .number(let other)): Double(one) == Double(other)
        case (.text(let one), .text(let other)): one == other
        case (.list(let one), .list(let other)): one == other
        case (.object(let one), .object(let other)):
            one.count == other.count
                && Dictionary(one) { first, _ in first } == Dictionary(other) { first, _ in first }
        default: false
        }
    }

    /// Returns the bytes of the document.
    ///
    /// - Parameter isIndented: whether each member and element has a line of its own; otherwise there are no blanks.
    package func written(isIndented: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, isIndented: isIndented, depth: 0)
        return bytes
    }

    private func write(to bytes: inout [UInt8], isIndented: Bool, depth: Int) {
        func enclosed<Part>(_ ends: String, _ parts: [Part], _ write: (inout [UInt8], Part) -> Void) {
            func newLine(_ depth: Int) {
                if isIndented, !parts.isEmpty { bytes += ("\n" + String(repeating: " ", count: 2 * depth)).utf8 }
            }
            bytes += ends.utf8.prefix(1)
            for (index, part) in parts.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                newLine(depth + 1)
                write(&bytes, part)
            }
            newLine(depth)
            bytes += ends.utf8.suffix(1)
        }
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += "\(value)".utf8
        case .number(let number): bytes += number.utf8
        case .text(let text): JSONText.append(text, to: &bytes)
        case .list(let elements):
            enclosed("[]", elements) { $1.write(to: &$0, isIndented: isIndented, depth: depth + 1) }
        case .object(let members):
            enclosed("{}", members) { bytes, member in
                JSONText.append(member.name, to: &bytes)
                bytes += (isIndented ? " : " : ":").utf8
                member.value.write(to: &bytes, isIndented: isIndented, depth: depth + 1)
            }
        }
    }
}

/// A reader of JSON bytes, from a position on.
private struct JSONReader {
    let bytes: [UInt8]
    let isStrict: Bool
    private var position = 0

    init(bytes: [UInt8], isStrict: Bool) { (self.bytes, self.isStrict) = (bytes, isStrict) }

    /// The next byte that is no blank.
    private var next: UInt8? {
        mutating get {
            while !isStrict, position < bytes.count, JSONText.isBlank(bytes[position]) { position += 1 }
            return position < bytes.count ? bytes[position] : nil
        }
    }

    var isAtEnd: Bool { mutating get { next == nil } }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func value(depthLimit: Int) -> JSON? {
        guard depthLimit > 0, let first = next else { return nil }
        switch first {
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "["):
            var elements: [JSON] = []
            return parts(end: "]") { reader in
                guard let element = reader.value(depthLimit: depthLimit - 1) else { return false }
                elements.append(element)
                return true
            } ? .list(elements) : nil
        case UInt8(ascii: "{"):
            var members: [(name: String, value: JSON)] = []
            return parts(end: "}") { reader in
                guard reader.next != nil, let name = reader.text(), reader.take(":"),
                    let value = reader.value(depthLimit: depthLimit - 1),
                    !reader.isStrict || !members.contains(where: { $0.name == name })
                else { return false }
                members.append((name, value))
                return true
            } ? .object(members) : nil
        default: return word()
        }
    }

    /// Reads what stands between brackets.
    private mutating func parts(end: Unicode.Scalar, _ part: (inout JSONReader) -> Bool) -> Bool {
        position += 1
        if take(end) { return true }
        repeat { guard part(&self) else { return false } } while take(",")
        return take(end)
    }

    private mutating func text() -> String? {
        var text: [UInt8] = []
        guard JSONText.read(bytes, at: &position, before: bytes.count, into: &text) == .whole else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    /// Reads null, true, false or a number.
    private mutating func word() -> JSON? {
        let start = position
        while position < bytes.count, !" \n\r\t,]}".utf8.contains(bytes[position]) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true", "false": return .boolean(word == "true")
        default:
            let isNumber = word.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && word.first != "+"
            return isNumber && Double(word) != nil ? .number(word) : nil
        }
    }
}

/// The texts of JSON documents.
package enum JSONText {
    /// The outcomes of reading a text.
    package enum Outcome: Sendable {
        case whole
        /// The text has half of a surrogate pair, such as `\ud83d`, which is left out.
        case halfSurrogate
        /// There is no text, it does not end, or it breaks the grammar.
        case broken
    }

    package static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    /// Reads the text that begins with the quotation mark at an index.
    ///
    /// - Parameters:
    ///   - index: the index of the mark, which moves behind the text.
    ///   - end: the end of the bytes that are read.
    ///   - text: receives the bytes of the text, which need not be UTF-8.
    package static func read(
        _ bytes: [UInt8], at index: inout Int, before end: Int, into text: inout [UInt8]
    ) -> Outcome {
        guard index < end, bytes[index] == UInt8(ascii: "\"") else { return .broken }
        index += 1
        var outcome = Outcome.whole
        while index < end {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return outcome
            case UInt8(ascii: "\\"):
                switch escape(bytes, &index, end) {
                case .scalar(let scalar): text += Array(String(scalar).utf8)
                case .halfSurrogate: outcome = .halfSurrogate
                case .broken: return .broken
                }
            case 0..<0x20: return .broken
            default: text.append(byte)
            }
        }
        return .broken
    }

    /// Moves an index from a quotation mark behind the text that begins there; returns false if the text does not end.
    package static func skip(_ bytes: [UInt8], at index: inout Int, before end: Int) -> Bool {
        index += 1
        while index < end, bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        guard index < end else { return false }
        index += 1
        return true
    }

    /// Returns the texts in bytes that need not be JSON: values and names.
    package static func texts(in bytes: [UInt8]) -> [String] {
        var texts: [String] = []
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) {
            var (text, end): ([UInt8], Int) = ([], start)
            if read(bytes, at: &end, before: bytes.count, into: &text) == .whole {
                texts.append(String(decoding: text, as: UTF8.self))
                index = end
            } else {
                index = start + 1
            }
        }
        return texts
    }

    private enum Escape {
        case scalar(Unicode.Scalar)
        case halfSurrogate, broken
    }

    /// Reads the part of an escape after its backslash.
    private static func escape(_ bytes: [UInt8], _ index: inout Int, _ end: Int) -> Escape {
        guard index < end else { return .broken }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return .scalar(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return .scalar("\u{8}")
        case UInt8(ascii: "f"): return .scalar("\u{C}")
        case UInt8(ascii: "n"): return .scalar("\n")
        case UInt8(ascii: "r"): return .scalar("\r")
        case UInt8(ascii: "t"): return .scalar("\t")
        case UInt8(ascii: "u"): break
        default: return .broken
        }
        guard let unit = hexadecimal(bytes, &index, end) else { return .broken }
        let place = index
        guard 0xD800...0xDBFF ~= unit, index + 1 < end, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { return Unicode.Scalar(unit).map(Escape.scalar) ?? .halfSurrogate }
        index += 2
        guard let low = hexadecimal(bytes, &index, end) else { return .broken }
        guard 0xDC00...0xDFFF ~= low else {
            index = place
            return .halfSurrogate
        }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)).map(Escape.scalar) ?? .halfSurrogate
    }

    /// Reads four hexadecimal digits.
    private static func hexadecimal(_ bytes: [UInt8], _ index: inout Int, _ end: Int) -> UInt32? {
        guard index + 4 <= end else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        index += 4
        return unit
    }

    /// Writes a text in quotation marks, with escapes where JSON needs them.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        // The bytes are read in place, because iterating over the UTF-8 view of a text is slow.
        text.withUTF8 { text in
            // Nearly all texts need no escapes; appending them at once takes a fraction of the time.
            if unsafe text.contains(where: needsEscape) {
                for index in text.indices { unsafe appendEscaped(text[index], to: &bytes) }
            } else {
                unsafe bytes.append(contentsOf: text)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        guard needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return bytes.append(byte) }
        let digits = Array("0123456789abcdef".utf8)
        bytes += "u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
