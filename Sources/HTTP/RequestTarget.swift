/// What a request line names: a path, cut into segments, and the parameters of a query.
///
/// The path is cut first and decoded afterwards, so that `%2F` is a slash within a segment and never cuts it.
struct RequestTarget {
    /// All of it, as it came.
    let bytes: [UInt8]
    let rawPath: String
    let segments: [String]
    let query: [HTTPRequest.QueryParameter]

    /// Reads a target in origin form (`/a/b?c=d`), or in absolute form, whose host is passed over (RFC 9112, 3.2).
    ///
    /// - Throws: `HTTPError.badRequest`; see `PercentEncoding.decode`.
    init(_ bytes: [UInt8]) throws(HTTPError) {
        self.bytes = bytes
        let origin = Self.originForm(bytes[...])
        guard origin.first == UInt8(ascii: "/") else {
            throw HTTPError(.badRequest, "the address does not begin with a slash")
        }
        let pathEnd = origin.firstIndex(of: UInt8(ascii: "?")) ?? origin.endIndex
        let path = origin[..<pathEnd]
        rawPath = String(decoding: path, as: UTF8.self)
        segments = path.count == 1 ? [] : try Self.segments(of: path.dropFirst())
        query = pathEnd == origin.endIndex ? [] : try Self.parameters(of: origin[(pathEnd + 1)...])
    }

    private static func originForm(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        for scheme in ["http://", "https://"] where bytes.starts(with: scheme.utf8) {
            let rest = bytes.dropFirst(scheme.utf8.count)
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: "/")] }
            return rest[slash...]
        }
        return bytes
    }

    private static func segments(of path: ArraySlice<UInt8>) throws(HTTPError) -> [String] {
        var segments: [String] = []
        segments.reserveCapacity(8)
        var start = path.startIndex
        for place in path.indices where path[place] == UInt8(ascii: "/") {
            segments.append(try PercentEncoding.decode(path[start..<place], plusIsSpace: false))
            start = place + 1
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
