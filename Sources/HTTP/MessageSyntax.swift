import Basics

/// The grammar of the lines of a message by RFC 9112, without the leniency that the RFC permits.
///
/// If two servers read the same lenient bytes differently, one request can be smuggled inside another.
enum MessageSyntax {
    /// Reads a line of the header or trailer section, without its line end (section 5).
    static func headerField(_ line: ArraySlice<UInt8>) throws(HTTPError) -> HTTPHeaders.Field {
        guard line.first.map(isSpace) != true else {
            throw HTTPError(.badRequest, "a header field begins with white space")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw HTTPError(.badRequest, "a header field has no colon")
        }
        let name = line[..<colon]
        guard isToken(name) else {
            throw HTTPError(.badRequest, "the name of a header field is empty, or has a space or another bad character")
        }
        let value = trimmed(line[(colon + 1)...])
        guard isText(value.span) else {
            throw HTTPError(.badRequest, "the value of a header field has a control character")
        }
        return HTTPHeaders.Field(
            name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }

    /// Reads the size at the start of a chunk; extensions are checked and ignored (section 7.1).
    ///
    /// - Returns: the size in bytes, `Int.max` if it is greater.
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(HTTPError) -> Int {
        let digits = line.prefix { hexadecimalValue(ofDigit: $0) != nil }
        let rest = line[digits.endIndex...]
        // White space is allowed only before the semicolon that begins an extension.
        let isSizeAlone = rest.isEmpty || rest.drop(while: isSpace).first == UInt8(ascii: ";")
        guard !digits.isEmpty, isSizeAlone, isText(rest.span) else {
            throw HTTPError(.badRequest, "a chunk of the body does not begin with its size in hexadecimal digits")
        }
        return number(digits, radix: 16)
    }

    /// Reads a `Content-Length` value, which must be digits only.
    ///
    /// - Returns: the length in bytes, `Int.max` if it is greater, or nil if the text has anything but digits.
    static func contentLength(_ value: String) -> Int? {
        let digits = value.utf8
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return number(digits, radix: 10)
    }

    /// Whether a text has only characters of a host and a port (RFC 3986, section 3.2); it may be empty.
    static func isHost(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { $0.isLetterOrDigit || "-._~!$&'()*+,;=:[]%".utf8.contains($0) }
    }

    /// Whether a text is a token, such as the name of a method or a header field (RFC 9110, section 5.6.2).
    static func isToken(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty
            && text.indices.allSatisfy { text[$0].isLetterOrDigit || "-_!#$%&'*+.^`|~".utf8.contains(text[$0]) }
    }

    static func isToken(_ text: ArraySlice<UInt8>) -> Bool { isToken(text.span) }

    /// Whether a text has only bytes of a header field's value: white space, visible ones, and those beyond ASCII.
    static func isText(_ text: Span<UInt8>) -> Bool {
        text.indices.allSatisfy { index in
            let byte = text[index]
            return byte >= 0x20 && byte != 0x7F || byte == 0x09
        }
    }

    /// Returns the value of a hexadecimal digit, or nil for any other byte.
    static func hexadecimalValue(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { return [] }
        return text[...last].drop(while: isSpace)
    }

    private static func number(_ digits: some Sequence<UInt8>, radix: Int) -> Int {
        digits.reduce(0) { number, digit in
            let (product, overflows) = number.multipliedReportingOverflow(by: radix)
            let (sum, sumOverflows) = product.addingReportingOverflow(Int(hexadecimalValue(ofDigit: digit) ?? 0))
            return overflows || sumOverflows ? .max : sum
        }
    }
}

/// The first line of a request (RFC 9112, section 3): exactly three parts with one space between them.
struct RequestLine {
    let method: HTTPMethod
    let target: RequestTarget
    /// Whether the version is 1.0; otherwise it is 1.1, or a later 1.x that is read as 1.1.
    let isVersion10: Bool

    init(_ line: ArraySlice<UInt8>) throws(HTTPError) {
        let space = UInt8(ascii: " ")
        guard let methodEnd = line.firstIndex(of: space), let targetEnd = line.lastIndex(of: space),
            methodEnd < targetEnd, MessageSyntax.isToken(line[..<methodEnd])
        else {
            throw HTTPError(.badRequest, "the request line is not a method, an address and a version of HTTP")
        }
        let version = line[(targetEnd + 1)...]
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[targetEnd + 7] == UInt8(ascii: "."),
            let major = Self.digit(version[targetEnd + 6]), let minor = Self.digit(version[targetEnd + 8])
        else {
            throw HTTPError(.badRequest, "the request line does not end with a version of HTTP, such as HTTP/1.1")
        }
        guard major == 1 else {
            throw HTTPError(.httpVersionNotSupported, "HTTP/\(major).\(minor) is not served: use HTTP/1.1")
        }
        method = HTTPMethod(rawValue: String(decoding: line[..<methodEnd], as: UTF8.self))
        target = try RequestTarget(Array(line[(methodEnd + 1)..<targetEnd]), of: method)
        isVersion10 = minor == 0
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        MessageSyntax.hexadecimalValue(ofDigit: byte).flatMap { $0 < 10 ? $0 : nil }
    }
}
