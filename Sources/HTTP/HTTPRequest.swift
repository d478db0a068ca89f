/// A request that has been received whole.
public struct HTTPRequest: Sendable {
    /// A parameter of the query.
    public struct QueryParameter: Sendable, Equatable {
        /// Its name, decoded.
        public let name: String
        /// Its value, decoded; empty if it has none.
        public let value: String
    }

    /// What is asked for.
    public let method: HTTPMethod
    /// What the request line names, path and query, byte for byte as it came.
    public let target: [UInt8]
    /// The path as it came, escapes and all, without the query.
    public let rawPath: String
    /// The segments of the path, each decoded on its own: `/a%2Fb/c` is `["a/b", "c"]`, `/` is none, and a
    /// slash at the end makes an empty last segment.
    public let segments: [String]
    /// The parameters of the query, in order; a name may come more than once.
    public let query: [QueryParameter]
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; empty if there is none.
    public let body: [UInt8]

    /// A request with a target as it stands in a request line, for example `/v1/things/a%2Fb?limit=3`.
    ///
    /// - Throws: `HTTPError.badRequest` if the target does not begin with a slash, has a bad escape, NUL, a space or
    ///   a control character, or is not UTF-8.
    public init(method: HTTPMethod, target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) throws(HTTPError) {
        try self.init(method: method, target: RequestTarget(Array(target.utf8)), headers: headers, body: body)
    }

    init(method: HTTPMethod, target: RequestTarget, headers: HTTPHeaders, body: [UInt8]) {
        self.method = method
        self.target = target.bytes
        rawPath = target.rawPath
        segments = target.segments
        query = target.query
        self.headers = headers
        self.body = body
    }
}
