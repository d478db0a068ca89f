import HTTP
import Tokens

/// Lets those requests pass that the policy allows, at the rate it allows.
struct Gate: Sendable {
    private let policy: AccessPolicy
    private let authenticator: Authenticator?
    private let limiter: RateLimiter

    init(policy: AccessPolicy, limits: RateLimits) {
        self.policy = policy
        authenticator = policy.keys.map { Authenticator(keys: $0, checker: policy.checker) }
        limiter = RateLimiter(limits)
    }

    /// Whether there are keys to check tokens with.
    var knowsTokens: Bool { authenticator != nil }

    /// Checks a request for a route.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix milliseconds.
    ///   - uptime: nanoseconds of the monotonic clock.
    /// - Returns: whose token it bears; nil if the route asks for none.
    /// - Throws: a `Problem` of status 401, 403 or 429.
    func admit(
        _ headers: HTTPHeaders, to access: Access, path: PathParameters, at now: Int64, uptime: UInt64
    ) throws(Problem) -> TokenClaims? {
        guard let authenticator else { return nil }
        guard policy.needsToken(for: access) else {
            if case .site(let area) = access, let wait = limiter.admitAnybody(to: area, at: uptime) {
                throw .openAreaTooBusy(waitNanoseconds: wait)
            }
            return nil
        }
        let claims = try authenticator.claims(in: headers, at: now)
        // Before anything else, so that asking for what is forbidden counts as well.
        if let wait = limiter.admit(claims, at: uptime) { throw .tooManyRequests(waitNanoseconds: wait) }
        try access.check(claims, path)
        return claims
    }
}

/// Why a request was turned away before it reached a route; raw values are labels of a metric.
enum Refusal: String, CaseIterable {
    case badRequest = "bad_request"
    case contentTooLarge = "content_too_large"
    case overloaded
    case tokenMissing = "token_missing"
    case tokenExpired = "token_expired"
    case tokenInvalid = "token_invalid"
    case forbidden
    case rateLimited = "rate_limited"
}
