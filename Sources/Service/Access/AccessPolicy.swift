import HTTP

/// Who may ask what.
public struct AccessPolicy: Sendable {
    /// The keys that tokens are checked with; nil to ask for no tokens, which is only done on the loopback interface.
    public var keys: KeyRing?
    /// Whom tokens must be meant for, and who must have made them.
    public var checker: TokenChecker
    /// What is open to clients without a token.
    public var openAreas: Set<Area>

    /// A policy; without keys everything is open.
    public init(
        keys: KeyRing? = nil, checker: TokenChecker = TokenChecker(audience: "coterie"), openAreas: Set<Area> = []
    ) {
        self.keys = keys
        self.checker = checker
        self.openAreas = openAreas
    }

    /// Whether a route would ask for a token, but for the area it is in.
    func isOpened(_ access: Access) -> Bool {
        guard keys != nil, case .site(let area) = access else { return false }
        return openAreas.contains(area)
    }

    /// Whether a route asks for a token.
    func needsToken(for access: Access) -> Bool {
        guard keys != nil else { return false }
        switch access {
        case .open: return false
        case .site(let area): return !openAreas.contains(area)
        case .member, .service, .admin: return true
        }
    }
}

/// Whom a route answers, where tokens are asked for.
enum Access: Sendable, Equatable {
    /// Anybody.
    case open
    /// The member whose user id is this parameter of the path; and services with the scope, if there is one.
    case member(ofPathParameter: String, orServiceWith: Scope? = nil)
    /// Services with the scope.
    case service(Scope)
    /// The site's own servers, and anybody if the area is open.
    case site(Area)
    /// Whoever looks after the daemon.
    case admin

    /// The tokens that it takes: their roles, each with the scopes that are needed.
    var tokens: [(role: Role, scopes: [Scope])] {
        switch self {
        case .open: []
        case .member(_, let scope): [(.member, [])] + (scope.map { [(.service, [$0])] } ?? [])
        case .service(let scope): [(.service, [scope])]
        case .site: [(.service, [])]
        case .admin: [(.admin, [])]
        }
    }

    /// Checks that whoever bears a token may ask for a path.
    ///
    /// - Throws: a `Problem` of status 403.
    func check(_ claims: TokenClaims, _ path: PathParameters) throws(Problem) {
        switch (self, claims.role) {
        case (.open, _), (.site, .service), (.admin, .admin): break
        case (.member(let name, _), .member): if !claims.isSubject(path[name]) { throw .otherMember() }
        case (.member(_, let scope?), .service), (.service(let scope), .service):
            if !claims.scopes.contains(scope) { throw .missingScope(scope) }
        case (.member, _), (.service, _), (.site, _), (.admin, _):
            throw .wrongRole(claims.role, needed: tokens.map(\.role))
        }
    }
}

/// A part of the service that can be opened to clients without a token.
public enum Area: String, Sendable, CaseIterable {
    /// Which groups are alike.
    case groups
    /// Groups for a photo.
    case photos
    /// What many join right now.
    case trending
    /// Figures about the daemon.
    case metrics
}

extension TokenClaims {
    /// Whether an id is the subject's, byte for byte: to Swift, "é" and "e" with an accent behind it are equal.
    fileprivate func isSubject(_ id: String) -> Bool { subject.utf8.elementsEqual(id.utf8) }
}

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
    ///
    /// Apps that are web pages have schemes of their own, such as `capacitor://localhost`.
    public static func isOrigin(_ text: String) -> Bool {
        text == "*"
            || text.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/([a-z0-9._\-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?/) != nil
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
            ("Headers", Self.allowedHeaders(for: request)),
        ] { response.headers.append(name: "Access-Control-Allow-\(name)", value: value) }
        response.headers.append(name: "Access-Control-Max-Age", value: String(Self.maximumAgeSeconds))
    }

    /// The longest list of header fields that a preflight request may ask for, in bytes, inclusive.
    private static let headerListLimitBytes = 1024

    /// Returns the header fields that a page may send: those that its browser asks for, else those that matter here.
    ///
    /// Tracers add fields such as `traceparent`, `sentry-trace` and `baggage`. A field that nothing reads does no harm.
    private static func allowedHeaders(for request: HTTPRequest) -> String {
        let standard = "Authorization, Content-Type, If-None-Match, \(RequestIdentifiers.fieldName)"
        guard let asked = request.headers["Access-Control-Request-Headers"],
            asked.utf8.count <= headerListLimitBytes
        else { return standard }
        let names = asked.split(separator: ",").map(\.trimmingSpaces)
        // Only names of fields go into the answer, whatever the request has.
        let areNames = names.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~\-]+/) != nil }
        return names.isEmpty || !areNames ? standard : names.joined(separator: ", ")
    }
}
