import FoundationEssentials

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

extension JSON {
    /// Returns a value as JSON, with its keys in alphabetical order.
    ///
    /// - Parameter isIndented: whether each member and element has a line of its own, with a line feed at the end.
    package static func encoded(_ value: some Encodable, isIndented: Bool = false) throws(EncodingError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return Array(try encoder.encode(value)) + (isIndented ? [UInt8(ascii: "\n")] : [])
        } catch let error as EncodingError { throw error } catch {
            preconditionFailure("\(type(of: value)) cannot be written: \(error)")
        }
    }

    package static func decoded<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) throws -> Value
    {
        try JSONDecoder().decode(type, from: Data(bytes))
    }

    /// Returns the place of the first half of a surrogate pair in the usual notation, `interactions[3].id`.
    ///
    /// Such a half, as `\ud83d`, is no text, and decoders do not say where it is.
    ///
    /// - Returns: nil if there is none, or if the bytes before it are no JSON.
    package static func placeOfHalfSurrogate(in bytes: [UInt8]) -> String? {
        var reader = JSONReader(bytes: bytes, isStrict: false)
        guard reader.value(depthLimit: 256) == nil, reader.hasHalfSurrogate else { return nil }
        let place = reader.place.reversed().joined()
        return String(place.hasPrefix(".") ? place.dropFirst() : place[...])
    }
}

/// A reader of JSON bytes, from a position on.
private struct JSONReader {
    let bytes: [UInt8]
    let isStrict: Bool
    private var position = 0
    /// Whether the reader has ended at a text with half of a surrogate pair.
    private(set) var hasHalfSurrogate = false
    /// The members and elements around the place at which the reader has ended, from the inside to the outside.
    private(set) var place: [String] = []

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
                guard let element = reader.value(depthLimit: depthLimit - 1) else {
                    reader.place.append("[\(elements.count)]")
                    return false
                }
                elements.append(element)
                return true
            } ? .list(elements) : nil
        case UInt8(ascii: "{"):
            var members: [(name: String, value: JSON)] = []
            return parts(end: "}") { reader in
                guard reader.next != nil, let name = reader.text(), reader.take(":"),
                    !reader.isStrict || !members.contains(where: { $0.name == name })
                else { return false }
                guard let value = reader.value(depthLimit: depthLimit - 1) else {
                    reader.place.append(".\(name)")
                    return false
                }
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
        let outcome = JSONText.read(bytes, at: &position, before: bytes.count, into: &text)
        hasHalfSurrogate = outcome == .halfSurrogate
        return outcome == .whole ? String(validating: text, as: UTF8.self) : nil
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
