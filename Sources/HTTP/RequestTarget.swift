import Basics

/// The target of a request: a path, divided into segments, and the parameters of a query.
///
/// The path is divided first and decoded afterwards. Therefore `%2F` is a slash within a segment and never divides it.
struct RequestTarget {
    /// The whole target as received.
    let bytes: [UInt8]
    let rawPath: String
    let segments: [String]
    let query: [HTTPRequest.QueryParameter]

    /// Reads a target in origin form (`/a/b?c=d`) or absolute form (RFC 9112, section 3.2).
    ///
    /// The host of an absolute form is checked and ignored. OPTIONS may also name the server as a whole, `*`, which has
    /// no segments.
    ///
    /// - Throws: `HTTPError` of status 400 for a target in neither form; see also `PercentEncoding.decode`.
    init(_ bytes: [UInt8], of method: HTTPMethod) throws(HTTPError) {
        self.bytes = bytes
        if method == .options, bytes.elementsEqual("*".utf8) {
            (rawPath, segments, query) = ("*", [], [])
            return
        }
        let origin = try Self.originForm(bytes[...])
        let pathEnd = origin.firstIndex(of: UInt8(ascii: "?")) ?? origin.endIndex
        let path = origin[..<pathEnd]
        rawPath = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        segments = path.count <= 1 ? [] : try Self.segments(of: path.dropFirst())
        query = pathEnd == origin.endIndex ? [] : try Self.parameters(of: origin[(pathEnd + 1)...])
    }

    /// Returns the target from its path on; the path can be empty only in absolute form (`http://host?c=d`).
    private static func originForm(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> ArraySlice<UInt8> {
        if bytes.first == UInt8(ascii: "/") { return bytes }
        for scheme in ["http://", "https://"] {
            let start = String(decoding: bytes.prefix(scheme.utf8.count), as: UTF8.self)
            guard HTTPHeaders.isSame(start, scheme) else { continue }
            let rest = bytes.dropFirst(scheme.utf8.count)
            let isDelimiter = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") }
            let hostEnd = rest.firstIndex(where: isDelimiter) ?? rest.endIndex
            guard hostEnd > rest.startIndex, MessageSyntax.isHost(rest[..<hostEnd]) else {
                throw HTTPError(.badRequest, "the address does not have a host after its scheme")
            }
            return rest[hostEnd...]
        }
        throw HTTPError(.badRequest, "the address does not begin with a slash")
    }

    private static func segments(of path: ArraySlice<UInt8>) throws(HTTPError) -> [String] {
        var segments: [String] = []
        segments.reserveCapacity(8)
        var start = path.startIndex
        for index in path.indices where path[index] == UInt8(ascii: "/") {
            segments.append(try PercentEncoding.decode(path[start..<index], plusIsSpace: false))
            start = index + 1
        }
        segments.append(try PercentEncoding.decode(path[start...], plusIsSpace: false))
        return segments
    }

    static func parameters(of query: ArraySlice<UInt8>) throws(HTTPError) -> [HTTPRequest.QueryParameter] {
        var parameters: [HTTPRequest.QueryParameter] = []
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let nameEnd = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            parameters.append(
                HTTPRequest.QueryParameter(
                    name: try PercentEncoding.decode(pair[..<nameEnd], plusIsSpace: true),
                    value: try PercentEncoding.decode(pair[nameEnd...].dropFirst(), plusIsSpace: true),
                    encodedValue: pair[nameEnd...].dropFirst()))
        }
        return parameters
    }
}

/// Percent escapes in paths and queries (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Returns the texts that a text becomes when it is decoded again and again; none if it has no escapes.
    ///
    /// Clients that encode a text twice send `%2540` for `@`.
    package static func decodings(of text: String) -> [String] {
        var (texts, last) = ([String](), text)
        // Nobody encodes a text more often by mistake.
        while texts.count < 3, last.utf8.contains(UInt8(ascii: "%")),
            let next = try? decode(Array(last.utf8)[...], plusIsSpace: false)
        {
            texts.append(next)
            last = next
        }
        return texts
    }

    /// Returns a text as a path segment or a query value: all but the unreserved characters of RFC 3986 are escaped.
    package static func encode(_ piece: String) -> String {
        var text = ""
        for byte in piece.utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                _ where byte.isLetterOrDigit:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            // A segment that is one or two dots would be taken out of the path.
            case UInt8(ascii: ".") where piece != "." && piece != "..": text += "."
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }

    /// Decodes one piece of a request target that has already been divided at its delimiters.
    ///
    /// NUL is refused because no id has one and it ends strings in C.
    ///
    /// - Parameters:
    ///   - piece: a path segment, or the name or value of a query parameter.
    ///   - plusIsSpace: whether `+` is a space, as forms write it in queries.
    /// - Throws: `HTTPError` of status 400 for an escape that is not % and two hexadecimal digits, and for NUL. The
    ///   same for raw spaces, control characters, and text that is not UTF-8.
    package static func decode(_ piece: ArraySlice<UInt8>, plusIsSpace: Bool) throws(HTTPError) -> String {
        if isPlain(piece) { return String(decoding: piece, as: UTF8.self) }
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

    /// Whether a piece is ASCII that decoding would not change, which is the usual case.
    private static func isPlain(_ piece: ArraySlice<UInt8>) -> Bool {
        for byte in piece where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") {
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
