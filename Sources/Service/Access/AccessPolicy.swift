import HTTP

/// The rules of access: the keys, the checks of tokens, and the open areas.
package struct AccessPolicy: Sendable {
    /// The keys that tokens are checked with; nil if no tokens are needed.
    ///
    /// Without keys, the daemon listens only on the loopback interface.
    package var keys: KeyRing?
    /// The checker of tokens, which requires an audience and perhaps an issuer.
    package var checker: TokenChecker
    /// The areas that are open to clients without a token.
    package var openAreas: Set<Area>

    /// Creates a policy; without keys everything is open.
    package init(
        keys: KeyRing? = nil, checker: TokenChecker = TokenChecker(audience: "coterie"), openAreas: Set<Area> = []
    ) {
        self.keys = keys
        self.checker = checker
        self.openAreas = openAreas
    }

    /// Whether a route needs no token only because its area is open.
    func isOpened(_ access: Access) -> Bool {
        guard keys != nil, case .site(let area) = access else { return false }
        return openAreas.contains(area)
    }

    func needsToken(for access: Access) -> Bool {
        guard keys != nil else { return false }
        switch access {
        case .open: return false
        case .site(let area): return !openAreas.contains(area)
        case .member, .service, .admin, .page: return true
        }
    }
}

/// The clients that may use a route, if the daemon has keys.
enum Access: Sendable, Equatable {
    case open
    /// The member whose user id is in this path parameter, and services with the scope if there is one.
    case member(ofPathParameter: String, orServiceWith: Scope? = nil)
    case service(Scope)
    /// The site's own servers, and everybody if the area is open.
    case site(Area)
    /// Operators of the daemon with the scope, or with none at all.
    case admin(Scope)
    /// Operators of the daemon who have signed in to the pages, with the scope if there is one, or with none at all.
    case page(Scope?)

    /// The accepted tokens: their roles, each with the needed scopes.
    var tokens: [(role: Role, scopes: [Scope])] {
        switch self {
        case .open: []
        case .member(_, let scope): [(.member, [])] + (scope.map { [(.service, [$0])] } ?? [])
        case .service(let scope): [(.service, [scope])]
        case .site: [(.service, [])]
        case .admin, .page: [(.admin, [])]
        }
    }

    /// Whether the route is of the pages, whose bearers have a session.
    var isPage: Bool {
        if case .page = self { true } else { false }
    }

    /// Checks that the bearer of a token may use a path.
    ///
    /// - Throws: a `Problem` of status 403.
    func check(_ claims: TokenClaims, _ path: PathParameters) throws(Problem) {
        switch (self, claims.role) {
        case (.open, _), (.site, .service), (.page(nil), .admin): break
        case (.member(let name, _), .member): if !claims.isSubject(path[name]) { throw .otherMember() }
        case (.member(_, let scope?), .service), (.service(let scope), .service):
            if !claims.scopes.contains(scope) { throw .missingScope(scope) }
        case (.admin(let scope), .admin), (.page(let scope?), .admin):
            if !claims.scopes.allowAdmin(scope) { throw .missingScope(scope) }
        case (.member, _), (.service, _), (.site, _), (.admin, _), (.page, _):
            throw .wrongRole(claims.role, needed: tokens.map(\.role))
        }
    }
}

/// A part of the service that can be opened to clients without a token.
package enum Area: String, Sendable, CaseIterable {
    case groups
    case photos
    /// Groups that more people turn to than usual.
    case trending
    /// The map of all groups.
    case map
    case metrics
}

extension Set<Scope> {
    /// Whether an admin with these scopes may do what needs a scope; one without any may do everything.
    func allowAdmin(_ scope: Scope) -> Bool { isEmpty || contains(scope) }
}

extension TokenClaims {
    /// Whether an id has the same bytes as the subject.
    ///
    /// Swift's `==` also equates different bytes, such as "é" and "e" with a combining accent.
    fileprivate func isSubject(_ id: String) -> Bool { subject.utf8.elementsEqual(id.utf8) }
}

/// The sites whose pages may read answers in a browser (Cross-Origin Resource Sharing; the Fetch standard, section
/// 3.2).
///
/// The policy protects no data; tokens do. Without origins, browsers give answers to no page of another site.
package struct CrossOriginPolicy: Sendable {
    /// The time for which a browser may remember the answer to a preflight request, in seconds.
    private static let maximumAgeSeconds = 600

    private let origins: Set<String>
    private let allowsAll: Bool

    /// Creates a policy.
    ///
    /// - Parameter origins: origins such as `https://photos.example`, compared byte for byte; `*` stands for any
    ///   origin.
    package init(origins: [String] = []) {
        self.origins = Set(origins)
        allowsAll = origins.contains("*")
    }

    /// Whether a text is an origin as browsers send it, or `*`.
    ///
    /// An origin is a scheme and a host, perhaps with a port, and nothing else. Web apps on phones have schemes of
    /// their own, such as `capacitor://localhost`.
    package static func isOrigin(_ text: String) -> Bool {
        text == "*"
            || text.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\/\/([a-z0-9._\-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?/) != nil
    }

    /// Whether pages of an origin may read answers.
    func allows(_ origin: String) -> Bool { allowsAll || origins.contains(origin) }

    /// Adds the header fields for pages of other origins to a response.
    ///
    /// - Parameter methods: the methods of the path if the request's method is `OPTIONS`, else nil.
    func apply(to response: inout HTTPResponse, for request: HTTPRequest, methods: [HTTPMethod]?) {
        guard !origins.isEmpty else { return }
        if !allowsAll { response.headers.append(name: "Vary", value: "Origin") }
        guard let origin = request.headers["Origin"], allows(origin) else { return }
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

    /// The longest list of header fields that a preflight request may name, in bytes, inclusive.
    private static let headerListLimitBytes = 1024

    /// Returns the header fields that a page may send: the fields that its browser names, else those that the daemon
    /// reads.
    ///
    /// Tracers add fields such as `traceparent`, `sentry-trace` and `baggage`. An unread field does no harm.
    private static func allowedHeaders(for request: HTTPRequest) -> String {
        let standard = "Authorization, Content-Type, If-None-Match, \(RequestIdentifiers.fieldName)"
        guard let asked = request.headers["Access-Control-Request-Headers"],
            asked.utf8.count <= headerListLimitBytes
        else { return standard }
        let names = asked.split(separator: ",").map(\.trimmingSpaces)
        // The answer repeats only valid field names.
        let areNames = names.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9!#$%&'*+.^_`|~\-]+/) != nil }
        return names.isEmpty || !areNames ? standard : names.joined(separator: ", ")
    }
}
