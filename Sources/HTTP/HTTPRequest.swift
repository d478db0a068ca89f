/// A request that has been received in full.
public struct HTTPRequest: Sendable {
    /// A parameter of the query.
    public struct QueryParameter: Sendable, Equatable {
        /// Its name, decoded.
        public let name: String
        /// Its value, decoded; empty if it has none.
        public let value: String
    }

    /// The method.
    public let method: HTTPMethod
    /// The target of the request line, path and query, byte for byte as it came.
    public let target: [UInt8]
    /// The path as it came, with its escapes and without the query.
    public let rawPath: String
    /// The segments of the path, each decoded on its own: `/a%2Fb/c` is `["a/b", "c"]`, `/` has none, and a
    /// slash at the end makes an empty last segment.
    public let segments: [String]
    /// The parameters of the query, in order; a name may occur more than once.
    public let query: [QueryParameter]
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; empty if there is none.
    public let body: [UInt8]

    /// Makes a request with a target as it stands in a request line, for example `/v1/things/a%2Fb?limit=3`.
    ///
    /// - Throws: `HTTPError.badRequest` if the target does not begin with a slash, is not UTF-8, or contains a bad
    ///   escape, NUL, a space or a control character.
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

/// The method of a request; its case matters.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method's name as it stands in the request line.
    public let rawValue: String

    /// Makes a method from any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads a resource without its body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Hands data to a resource.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces a resource.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Removes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks which methods a resource allows.
    public static let options = HTTPMethod(rawValue: "OPTIONS")

    /// The name.
    public var description: String { rawValue }
}
