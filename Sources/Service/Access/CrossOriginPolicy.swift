import HTTP

/// Which sites' pages may read answers in a browser (Cross-Origin Resource Sharing; the Fetch standard, section 3.2).
///
/// It protects no data: tokens do. Without any origin, browsers give answers to no page of another site.
public struct CrossOriginPolicy: Sendable {
    /// How long a browser may remember what a preflight request was told, in seconds.
    private static let maximumAgeSeconds = 600

    private let origins: Set<String>
    private let allowsAll: Bool

    /// A policy.
    ///
    /// - Parameter origins: such as `https://photos.example`, compared byte for byte; `*` is any.
    public init(origins: [String] = []) {
        self.origins = Set(origins)
        allowsAll = origins.contains("*")
    }

    /// Whether a text is an origin as browsers send it: a scheme and a host, perhaps a port, and nothing behind them.
    public static func isOrigin(_ text: String) -> Bool {
        text == "*" || text.wholeMatch(of: /https?:\/\/([a-z0-9.\-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?/) != nil
    }

    /// Adds what a browser must know to an answer.
    ///
    /// - Parameter methods: those of the path, if the request asks for them with `OPTIONS`.
    func apply(to response: inout HTTPResponse, for request: HTTPRequest, methods: [HTTPMethod]?) {
        guard !origins.isEmpty else { return }
        if !allowsAll { response.headers.append(name: "Vary", value: "Origin") }
        guard let origin = request.headers["Origin"], allowsAll || origins.contains(origin) else { return }
        response.headers.append(name: "Access-Control-Allow-Origin", value: allowsAll ? "*" : origin)
        guard let methods, request.headers["Access-Control-Request-Method"] != nil else {
            response.headers.append(
                name: "Access-Control-Expose-Headers", value: "ETag, Retry-After, \(RequestIdentifiers.fieldName)")
            return
        }
        for (name, value) in [
            ("Methods", methods.map(\.rawValue).joined(separator: ", ")),
            ("Headers", "Authorization, Content-Type, If-None-Match, \(RequestIdentifiers.fieldName)"),
        ] { response.headers.append(name: "Access-Control-Allow-\(name)", value: value) }
        response.headers.append(name: "Access-Control-Max-Age", value: String(Self.maximumAgeSeconds))
    }
}
