import HTTP
import Synchronization

/// Reads the claims of the token that a request bears.
///
/// A token is verified once, then remembered until it expires or the keys change.
final class Authenticator: Sendable {
    /// The most tokens that are remembered, inclusive.
    static let capacity = 16_384

    /// The claims of verified tokens, by the bytes of the whole header field.
    private struct Known {
        var keyGeneration: Int
        var claims: RecentTable<String, TokenClaims>
    }

    private let keys: KeyRing
    private let checker: TokenChecker
    private let known: Mutex<Known>

    init(keys: KeyRing, checker: TokenChecker) {
        self.keys = keys
        self.checker = checker
        known = Mutex(Known(keyGeneration: 0, claims: RecentTable(limit: Self.capacity)))
    }

    /// Returns the claims of the token that a request bears.
    ///
    /// - Parameter now: the time, in Unix milliseconds.
    /// - Throws: a `Problem` of status 401.
    func claims(in headers: HTTPHeaders, at now: Int64) throws(Problem) -> TokenClaims {
        guard let field = headers["Authorization"] else { throw .noToken() }
        guard headers.count(of: "Authorization") == 1 else {
            throw .badToken(TokenError(.malformed, "the request has more than one header field Authorization"))
        }
        do throws(TokenError) {
            return try claims(of: field, at: now)
        } catch {
            throw .badToken(error)
        }
    }

    /// Returns the claims of a token as the header field `Authorization` bears it.
    func claims(of field: String, at now: Int64) throws(TokenError) -> TokenClaims {
        // Swift equates some different texts that are not ASCII, so one could pass for a verified one.
        var bytes = field.utf8Span
        guard bytes.checkForASCII() else {
            throw TokenError(.malformed, "the header field Authorization is not ASCII")
        }
        let (ring, generation) = keys.current
        if let claims = knownClaims(of: field, generation: generation) {
            try checker.check(claims, atMilliseconds: now)
            return claims
        }
        let claims = try checker.claims(of: try Self.token(in: field), keys: ring, atMilliseconds: now)
        known.withLock { known in
            // If the keys have changed meanwhile, the claims are not remembered.
            if known.keyGeneration == generation { known.claims.insert(claims, for: field) }
        }
        return claims
    }

    private func knownClaims(of field: String, generation: Int) -> TokenClaims? {
        known.withLock { known in
            guard known.keyGeneration == generation else {
                known.keyGeneration = generation
                known.claims.removeAll()
                return nil
            }
            return known.claims.value(of: field)
        }
    }

    /// Returns the token after the scheme, whose letters may be in any case (RFC 9110, section 11.1).
    private static func token(in field: String) throws(TokenError) -> String {
        let scheme = "bearer "
        let prefix = field.utf8.prefix(scheme.utf8.count)
        let isBearer = prefix.count == scheme.utf8.count && zip(prefix, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
        guard isBearer else {
            throw TokenError(.malformed, "the header field Authorization is not \"Bearer\", a space, and a token")
        }
        return String(decoding: field.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
    }
}

/// Takes up changes of the key file, and logs them.
final class KeyWatch: Sendable {
    private let keys: KeyRing
    private let log: EventLog
    private let failureCount = Atomic<UInt64>(0)

    init(_ keys: KeyRing, log: EventLog) {
        self.keys = keys
        self.log = log
    }

    /// Reads the file if it has changed.
    ///
    /// - Parameter isForced: whether an unchanged file is read again, too.
    func refresh(isForced: Bool = false) {
        do throws(TokenError) {
            guard try keys.refresh(isForced: isForced) else { return }
            let ids = keys.current.keys.keys.map(\.id).joined(separator: ", ")
            log.info("the keys have changed; tokens of these are accepted now: \(ids)")
        } catch {
            failureCount.wrappingAdd(1, ordering: .relaxed)
            log.error("\(error.message); the keys before stay in use")
        }
    }
}

extension KeyWatch: MetricSource {
    func write(to text: inout MetricsText) {
        text.gauge("coterie_keys", "Keys that tokens are checked with.", keys.current.keys.keys.count)
        text.gauge("coterie_keys_up", "Whether the keys are those of their file as it is now.", keys.isCurrent ? 1 : 0)
        text.counter(
            "coterie_key_reload_failures_total", "Changes of the key file that could not be taken up.",
            failureCount.load(ordering: .relaxed))
    }
}

/// Admits the requests that the access policy and the rate limits allow.
struct Gate: Sendable {
    private let policy: AccessPolicy
    private let authenticator: Authenticator?
    /// The reader of the tokens that are sessions of the pages.
    private let sessions: Authenticator?
    private let limiter: RateLimiter
    private let crossOrigin: CrossOriginPolicy
    /// The sessions of the pages for operators; nil for no pages.
    private let pages: PageSessions?

    init(
        policy: AccessPolicy, limits: RateLimits, crossOrigin: CrossOriginPolicy = CrossOriginPolicy(),
        pages: PageSessions? = nil
    ) {
        self.policy = policy
        self.crossOrigin = crossOrigin
        self.pages = pages
        authenticator = policy.keys.map { Authenticator(keys: $0, checker: policy.checker) }
        let checker = TokenChecker(audience: policy.checker.audience + PageSessions.audience)
        sessions = policy.keys.map { Authenticator(keys: $0, checker: checker) }
        limiter = RateLimiter(limits)
    }

    /// Whether there are keys to check tokens with.
    var knowsTokens: Bool { authenticator != nil }

    /// Checks a request for a route.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix milliseconds.
    ///   - uptime: the monotonic clock, in nanoseconds.
    /// - Returns: the claims of the request's token; nil if the route needs no token.
    /// - Throws: a `Problem` of status 401, 403 or 429.
    func admit(
        _ request: HTTPRequest, to access: Access, path: PathParameters, at now: Int64, uptime: UInt64
    ) throws(Problem) -> TokenClaims? {
        let headers = request.headers
        guard let authenticator else {
            try checkIsFromThisMachine(request, access)
            return nil
        }
        guard policy.needsToken(for: access) else {
            if case .site(let area) = access, let wait = limiter.admitAnybody(to: area, at: uptime) {
                throw .openAreaTooBusy(waitNanoseconds: wait)
            }
            return nil
        }
        let claims =
            access.isPage ? try pageClaims(headers, at: now) : try authenticator.claims(in: headers, at: now)
        // The rate comes before the permission, so that forbidden requests count as well.
        if let wait = limiter.admit(claims, at: uptime) { throw .tooManyRequests(waitNanoseconds: wait) }
        try access.check(claims, path)
        return claims
    }
}

extension Gate {
    /// Returns the claims of the request's session.
    private func pageClaims(_ headers: HTTPHeaders, at now: Int64) throws(Problem) -> TokenClaims {
        guard let sessions, let session = pages?.session(in: headers) else { throw .notSignedIn() }
        do throws(TokenError) { return try sessions.claims(of: "Bearer \(session)", at: now) } catch {
            throw .badToken(error)
        }
    }

    /// Returns a session for an admin's token, which ends with the token and with its key.
    ///
    /// - Throws: a `Problem` of status 401 or 403.
    func session(for token: String, at now: Int64) throws(Problem) -> String {
        guard let authenticator, let keys = policy.keys?.current.keys else { throw .notSignedIn() }
        let claims: TokenClaims
        do throws(TokenError) { claims = try authenticator.claims(of: "Bearer \(token)", at: now) } catch {
            throw .badToken(error)
        }
        try Access.page(nil).check(claims, PathParameters(names: [], values: []))
        let id = JSONWebToken(reading: token, key: nil)?.header("kid")
        let end = min(claims.expiresAtMilliseconds, now + PageSessions.lifetimeSeconds * 1000)
        do throws(TokenError) {
            // The issuer makes each session another one.
            return try TokenClaims(
                subject: claims.subject, role: .admin, scopes: claims.scopes, expiresAtMilliseconds: end,
                validFromMilliseconds: now
            ).token(
                signedWith: keys.key(withID: id) ?? keys.signing,
                audience: policy.checker.audience + PageSessions.audience,
                issuer: String(UInt64.random(in: .min ... .max)))
        } catch { throw .badToken(error) }
    }

    /// Refuses a request without a token that a page of another site may have made.
    ///
    /// Such a page can point its own name at this machine, and then read answers (DNS rebinding); the request names
    /// that host. Without that, it can still send a request that changes something, which names the page's origin. A
    /// client that is no browser may leave both out.
    private func checkIsFromThisMachine(_ request: HTTPRequest, _ access: Access) throws(Problem) {
        if let host = request.headers["Host"], !Self.isThisMachine(host) { throw .foreignHost() }
        // The forms of pages carry a secret, and compare their origin with the host (`FormFields`).
        guard !access.isPage, ![.get, .head, .options].contains(request.method),
            let origin = request.headers["Origin"], !crossOrigin.allows(origin)
        else { return }
        guard let scheme = origin.firstRange(of: "://"), Self.isThisMachine(origin[scheme.upperBound...]) else {
            throw .foreignOrigin(origin)
        }
    }

    /// Whether a host, perhaps with a port, is `localhost` or a loopback address.
    private static func isThisMachine(_ host: some StringProtocol) -> Bool {
        let bracket = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
        let end = bracket ?? host.firstIndex(of: ":") ?? host.endIndex
        guard end == host.endIndex || host[end] == ":" else { return false }
        let name = host[..<end].lowercased()
        return name == "localhost" || name == "[::1]"
            || name.hasPrefix("127.") && name.dropFirst(4).allSatisfy { $0 == "." || ("0"..."9").contains($0) }
    }
}

/// The reason why a request was refused before it reached a route; raw values are labels of a metric.
enum Refusal: String, CaseIterable {
    case badRequest = "bad_request"
    case contentTooLarge = "content_too_large"
    case overloaded
    case tokenMissing = "token_missing"
    case tokenExpired = "token_expired"
    case tokenNotYetValid = "token_not_yet_valid"
    case tokenInvalid = "token_invalid"
    case forbidden
    case rateLimited = "rate_limited"
}
