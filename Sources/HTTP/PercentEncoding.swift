/// Percent escapes in paths and queries (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Decodes a piece of a request target that has been cut at its delimiters already.
    ///
    /// - Parameters:
    ///   - piece: a path segment, or the name or value of a query parameter.
    ///   - plusIsSpace: true in queries, where forms write a space as `+`.
    /// - Throws: `HTTPError.badRequest` for an escape that is not % and two hexadecimal digits, for NUL (no
    ///   identifier has one, and it ends strings in C), for raw spaces and control characters, and for text
    ///   that is not UTF-8.
    static func decode(_ piece: ArraySlice<UInt8>, plusIsSpace: Bool) throws(HTTPError) -> String {
        if let plain = String(validating: piece, as: UTF8.self), isPlain(piece) { return plain }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(piece.count)
        var place = piece.startIndex
        while place < piece.endIndex {
            let byte = piece[place]
            switch byte {
            case UInt8(ascii: "%"):
                decoded.append(try value(ofEscapeAt: place, in: piece))
                place += 2
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            case 0...0x20, 0x7F: throw HTTPError(.badRequest, "the address has a space or a control character in it")
            default: decoded.append(byte)
            }
            place += 1
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw HTTPError(.badRequest, "the address is not UTF-8 once its escapes are decoded")
        }
        return text
    }

    /// Whether decoding leaves a piece as it is, as nearly always.
    private static func isPlain(_ piece: ArraySlice<UInt8>) -> Bool {
        for byte in piece where byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") {
            return false
        }
        return true
    }

    private static func value(ofEscapeAt place: Int, in piece: ArraySlice<UInt8>) throws(HTTPError) -> UInt8 {
        let digits = piece[place...].dropFirst().prefix(2)
        guard digits.count == 2, let high = value(ofDigit: digits[place + 1]),
            let low = value(ofDigit: digits[place + 2])
        else {
            let shown = String(decoding: digits, as: UTF8.self)
            throw HTTPError(.badRequest, "the address has the bad escape \"%\(shown)\": write a percent sign as %25")
        }
        guard high | low != 0 else { throw HTTPError(.badRequest, "the address has a NUL (%00) in it") }
        return high << 4 | low
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
