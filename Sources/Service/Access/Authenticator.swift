import HTTP
import Synchronization
import Tokens

/// Finds out whose token a request bears.
///
/// A token is verified once, then known until it expires or the keys change.
final class Authenticator: Sendable {
    /// How many tokens are known at a time.
    static let capacity = 16_384

    /// Verified tokens, by the whole header field: equality of all its bytes is what makes a request the same bearer's.
    private struct Known {
        var keyGeneration: Int
        var claims: RecentTable<String, TokenClaims>
    }

    private let keys: KeyRing
    private let checker: TokenChecker
    private let known: Mutex<Known>

    init(keys: KeyRing, checker: TokenChecker, capacity: Int = Authenticator.capacity) {
        self.keys = keys
        self.checker = checker
        known = Mutex(Known(keyGeneration: 0, claims: RecentTable(limit: capacity)))
    }

    /// The claims of the token that a request bears.
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

    private func claims(of field: String, at now: Int64) throws(TokenError) -> TokenClaims {
        // Of other texts, different ones may be equal to Swift, and one could pass for another that was verified.
        var bytes = field.utf8Span
        guard bytes.checkForASCII() else {
            throw TokenError(.malformed, "the header field Authorization is not ASCII")
        }
        let (ring, generation) = keys.current
        if let claims = knownClaims(of: field, generation: generation) {
            try claims.check(atMilliseconds: now)
            return claims
        }
        let claims = try checker.claims(of: try Self.token(in: field), keys: ring, atMilliseconds: now)
        known.withLock { known in
            // Not if the keys have changed meanwhile.
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

    /// The token after the scheme, whose name may be in any case of letters (RFC 9110, section 11.1).
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
