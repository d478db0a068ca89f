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
            }
            // Each byte is read once, whatever the bytes are.
            index = end
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
