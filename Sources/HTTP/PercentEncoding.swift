/// Percent escapes in paths and queries (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Decodes one piece of a request target that has already been split at its delimiters.
    ///
    /// - Parameters:
    ///   - piece: a path segment, or the name or value of a query parameter.
    ///   - plusIsSpace: true in queries, where forms write a space as `+`.
    /// - Throws: `HTTPError.badRequest` for an escape that is not % and two hexadecimal digits, for NUL (no id has
    ///   one, and it ends strings in C), for raw spaces and control characters, and for text that is not UTF-8.
    static func decode(_ piece: ArraySlice<UInt8>, plusIsSpace: Bool) throws(HTTPError) -> String {
        if let plain = String(validating: piece, as: UTF8.self), isPlain(piece) { return plain }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(piece.count)
        var index = piece.startIndex
        while index < piece.endIndex {
            let byte = piece[index]
            switch byte {
            case UInt8(ascii: "%"):
                decoded.append(try value(ofEscapeAt: index, in: piece))
                index += 2
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            case 0...0x20, 0x7F: throw HTTPError(.badRequest, "the address has a space or a control character in it")
            default: decoded.append(byte)
            }
            index += 1
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw HTTPError(.badRequest, "the address is not UTF-8 once its escapes are decoded")
        }
        return text
    }

    /// Whether decoding would not change a piece, which is the usual case.
    private static func isPlain(_ piece: ArraySlice<UInt8>) -> Bool {
        for byte in piece where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") {
            return false
        }
        return true
    }

    private static func value(ofEscapeAt index: Int, in piece: ArraySlice<UInt8>) throws(HTTPError) -> UInt8 {
        let digits = piece[index...].dropFirst().prefix(2)
        guard digits.count == 2, let high = MessageSyntax.hexadecimalValue(ofDigit: digits[index + 1]),
            let low = MessageSyntax.hexadecimalValue(ofDigit: digits[index + 2])
        else {
            let shown = String(decoding: digits, as: UTF8.self)
            throw HTTPError(.badRequest, "the address has the bad escape \"%\(shown)\": write a percent sign as %25")
        }
        guard high | low != 0 else { throw HTTPError(.badRequest, "the address has a NUL (%00) in it") }
        return high << 4 | low
    }
}
