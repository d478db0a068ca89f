import HTTP
import Tokens

extension Problem {
    /// A request that could not be parsed, or for which there was no room.
    static func refused(_ error: HTTPError) -> Problem {
        switch error.code {
        case .bodyTooLarge:
            Problem(
                status: .contentTooLarge, title: "Content Too Large", detail: error.message,
                refusal: .contentTooLarge)
        case .tooManyConnections:
            Problem(
                status: .serviceUnavailable, kind: .unavailable, title: "Too many connections", detail: error.message,
                headers: ["Retry-After": "1"], refusal: .overloaded)
        default:
            Problem(
                status: error.status, title: error.status.reasonPhrase, detail: error.message, refusal: .badRequest)
        }
    }

    /// A token is needed, and there is none.
    static func noToken() -> Problem {
        Problem(
            status: .unauthorized, kind: .badToken, title: "Token needed",
            detail: "send a token, in the header field Authorization: Bearer TOKEN",
            headers: ["WWW-Authenticate": "Bearer"], refusal: .tokenMissing)
    }

    /// The token is not valid.
    static func badToken(_ error: TokenError) -> Problem {
        Problem(
            status: .unauthorized, kind: .badToken, title: "Bad token", detail: error.message,
            headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""],
            refusal: error.code == .expired ? .tokenExpired : .tokenInvalid)
    }

    /// The token is valid, but has another role.
    static func wrongRole(_ role: Role, needed: [Role]) -> Problem {
        let needed = needed.map(\.rawValue).joined(separator: " or ")
        return Problem(
            status: .forbidden, kind: .forbidden, title: "Forbidden",
            detail: "the token's role is \(role.rawValue), and this is for tokens of role \(needed)",
            refusal: .forbidden)
    }

    /// The token is a service's, and lacks a scope (RFC 6750, section 3.1).
    static func missingScope(_ scope: Scope) -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "Forbidden",
            detail: "the token is of a service without the scope \(scope.rawValue)",
            headers: ["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""],
            refusal: .forbidden)
    }

    /// Too many requests that take long wait already.
    static func tooManyWait(_ limit: Int) -> Problem {
        Problem(
            status: .serviceUnavailable, kind: .unavailable, title: "Too many requests wait",
            detail: "\(limit) requests of this kind wait already; send fewer at a time",
            headers: ["Retry-After": "1"], refusal: .overloaded)
    }

    /// The token is another member's.
    static func otherMember() -> Problem {
        Problem(
            status: .forbidden, kind: .forbidden, title: "Forbidden",
            detail: "the token is another member's: it opens the paths of its own subject alone", refusal: .forbidden)
    }

    /// The bearer exceeds its rate limit.
    static func tooManyRequests(waitNanoseconds wait: UInt64) -> Problem {
        tooManyRequests("the token's bearer asks more often than is allowed", wait)
    }

    /// All callers of an open area together exceed its rate limit.
    static func openAreaTooBusy(waitNanoseconds wait: UInt64) -> Problem {
        tooManyRequests("all callers together ask for what is open to anybody more often than is allowed", wait)
    }

    /// A member has had as much recorded as is allowed.
    static func tooManyInteractions(_ quota: MemberQuota, waitSeconds: Int) -> Problem {
        let limits = [
            quota.interactionsPerDay.map { "\($0) interactions a day" },
            quota.keptBytes.map { "\($0 >> 20) MiB of interactions" },
        ].compactMap(\.self).joined(separator: ", and ")
        return Problem(
            status: .tooManyRequests, kind: .tooManyRequests, title: "Too many interactions",
            detail: "nothing was recorded: of each member at most \(limits) are",
            headers: ["Retry-After": String(waitSeconds)])
    }

    private static func tooManyRequests(_ detail: String, _ wait: UInt64) -> Problem {
        Problem(
            status: .tooManyRequests, kind: .tooManyRequests, title: "Too many requests", detail: detail,
            headers: ["Retry-After": String((wait + 999_999_999) / 1_000_000_000)], refusal: .rateLimited)
    }
}
