import Model

/// A value of a change's JSON; fractions, literals and duplicate keys are not supported.
indirect enum ChangeJSON: Equatable {
    case text(String)
    case integer(Int64)
    case array([ChangeJSON])
    case object([(key: String, value: ChangeJSON)])

    static func == (one: ChangeJSON, other: ChangeJSON) -> Bool { one.written == other.written }

    /// Reads bytes.
    ///
    /// - Returns: nil if the bytes are not exactly one such value.
    init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let value = reader.value(depth: 0), reader.position == bytes.count else { return nil }
        self = value
    }

    /// The value as JSON without spaces.
    var written: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text): Self.write(text, to: &bytes)
        case .integer(let number): bytes += String(number).utf8
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (place, value) in values.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let entries):
            bytes.append(UInt8(ascii: "{"))
            for (place, entry) in entries.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(entry.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                entry.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Writes a text in quotation marks, with escapes where JSON needs them.
    static func write(_ text: String, to bytes: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case ..<0x20: bytes += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether bytes, read as JSON, contain a text as a value or a key, in any escaped form.
    static func has(_ text: String, in bytes: [UInt8]) -> Bool {
        var reader = Reader(bytes: bytes)
        while reader.position < bytes.count {
            if bytes[reader.position] == UInt8(ascii: "\"") {
                let start = reader.position
                if let found = reader.string() {
                    if found.hasSameBytes(as: text) { return true }
                    continue
                }
                reader.position = start
            }
            reader.position += 1
        }
        return false
    }
}

/// A reader of JSON bytes, from a position on.
private struct Reader {
    /// The nesting depth that no change reaches.
    private static let depthLimit = 4

    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Passes over a character.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func value(depth: Int) -> ChangeJSON? {
        guard depth < Self.depthLimit else { return nil }
        switch next {
        case UInt8(ascii: "\""): return string().map { .text($0) }
        case UInt8(ascii: "["):
            var values: [ChangeJSON] = []
            return list(end: "]") { reader in
                guard let value = reader.value(depth: depth + 1) else { return false }
                values.append(value)
                return true
            } ? .array(values) : nil
        case UInt8(ascii: "{"):
            var entries: [(key: String, value: ChangeJSON)] = []
            return list(end: "}") { reader in
                guard let key = reader.string(), reader.take(":"), let value = reader.value(depth: depth + 1),
                    !entries.contains(where: { $0.key == key })
                else { return false }
                entries.append((key, value))
                return true
            } ? .object(entries) : nil
        default: return integer().map { .integer($0) }
        }
    }

    /// Reads what stands between brackets.
    private mutating func list(end: Unicode.Scalar, _ element: (inout Reader) -> Bool) -> Bool {
        position += 1
        if take(end) { return true }
        repeat { guard element(&self) else { return false } } while take(",")
        return take(end)
    }

    private mutating func integer() -> Int64? {
        let start = position
        _ = take("-")
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return Int64(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    mutating func string() -> String? {
        guard take("\"") else { return nil }
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(validating: bytes[start..<position], as: UTF8.self)
        }
        var text = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard escape(into: &text) else { return nil }
            case ..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            guard var code = hexadecimal() else { return false }
            if (0xD800..<0xDC00).contains(code) {
                guard take("\\"), take("u"), let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else {
                    return false
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { return false }
            text += String(Character(scalar)).utf8
        default: return false
        }
        return true
    }

    private mutating func hexadecimal() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        position += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
