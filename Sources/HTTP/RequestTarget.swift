/// The target of a request: a path, split into segments, and the parameters of a query.
///
/// The path is split first and decoded afterwards, so that `%2F` is a slash within a segment and never splits it.
struct RequestTarget {
    /// The whole target, as it came.
    let bytes: [UInt8]
    let rawPath: String
    let segments: [String]
    let query: [HTTPRequest.QueryParameter]

    /// Reads a target in origin form (`/a/b?c=d`), or in absolute form, whose host is checked and ignored
    /// (RFC 9112, section 3.2).
    ///
    /// - Throws: `HTTPError.badRequest`; see `PercentEncoding.decode`.
    init(_ bytes: [UInt8]) throws(HTTPError) {
        self.bytes = bytes
        let origin = try Self.originForm(bytes[...])
        let pathEnd = origin.firstIndex(of: UInt8(ascii: "?")) ?? origin.endIndex
        let path = origin[..<pathEnd]
        rawPath = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        segments = path.count <= 1 ? [] : try Self.segments(of: path.dropFirst())
        query = pathEnd == origin.endIndex ? [] : try Self.parameters(of: origin[(pathEnd + 1)...])
    }

    /// The target from its path on; the path is empty only in absolute form (`http://host?c=d`).
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

    private static func parameters(of query: ArraySlice<UInt8>) throws(HTTPError) -> [HTTPRequest.QueryParameter] {
        var parameters: [HTTPRequest.QueryParameter] = []
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let nameEnd = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            parameters.append(
                HTTPRequest.QueryParameter(
                    name: try PercentEncoding.decode(pair[..<nameEnd], plusIsSpace: true),
                    value: try PercentEncoding.decode(pair[nameEnd...].dropFirst(), plusIsSpace: true)))
        }
        return parameters
    }
}
