import Basics

/// Checks tokens: their signature with libjwt, and everything that libjwt does not check.
package struct TokenChecker: Sendable {
    /// The longest token that is accepted, in bytes, inclusive.
    package static let maximumByteCount = 4096
    /// The longest subject, in bytes, inclusive.
    static let maximumSubjectByteCount = 512

    /// The audience that a token must name in its claim `aud`.
    package let audience: String
    /// The issuer that a token must name in its claim `iss`; nil accepts any.
    package let issuer: String?
    /// The number of years that a time in a token may lie ahead, inclusive; a year has 366 days.
    package var yearLimit: Int
    /// The number of seconds by which `nbf` may lie ahead, inclusive, because clocks differ.
    package var leewaySeconds: Int

    package static let usualYearLimit = 10
    package static let usualLeewaySeconds = 30

    package init(
        audience: String, issuer: String? = nil, yearLimit: Int = usualYearLimit,
        leewaySeconds: Int = usualLeewaySeconds
    ) {
        self.audience = audience
        self.issuer = issuer
        self.yearLimit = yearLimit
        self.leewaySeconds = leewaySeconds
    }

    /// Checks a token and returns its claims.
    ///
    /// - Parameters:
    ///   - keys: the keys, one of which must have signed the token.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `TokenError` for the first failed check; the signature is checked before any claim.
    package func claims(of token: String, keys: KeySet, atMilliseconds now: Int64) throws(TokenError) -> TokenClaims {
        guard token.utf8.count <= Self.maximumByteCount else {
            throw TokenError(.tooLong, "the token is longer than \(Self.maximumByteCount) bytes")
        }
        // This check also keeps all other bytes away from the C library.
        guard Self.hasThreeParts(token) else {
            throw TokenError(.malformed, "the token does not consist of three base64url parts separated by dots")
        }
        let key = try key(of: token, among: keys)
        guard let genuine = JSONWebToken(reading: token, key: key) else {
            throw TokenError(
                .badSignature, "the token was not signed with the key \"\(key.id)\", or was changed afterwards")
        }
        try Self.checkAlgorithm(of: genuine)
        guard let json = genuine.claimsJSON else { throw Self.malformed }
        let claims = try checked(Self.decoded(json), atMilliseconds: now)
        try check(claims, atMilliseconds: now)
        return claims
    }

    /// Checks that claims are valid at a moment.
    ///
    /// - Throws: `TokenError.expired` or `notYetValid`.
    package func check(_ claims: TokenClaims, atMilliseconds now: Int64) throws(TokenError) {
        guard now < claims.expiresAtMilliseconds else { throw TokenError(.expired, "the token has expired") }
        let ahead = claims.validFromMilliseconds - now
        guard ahead <= Int64(leewaySeconds) * 1000 else {
            throw TokenError(
                .notYetValid,
                """
                the token is not valid yet: its claim "nbf" is \((ahead + 999) / 1000) seconds ahead of this \
                machine's clock, and at most \(leewaySeconds) are allowed
                """)
        }
    }

    private func key(of token: String, among keys: KeySet) throws(TokenError) -> SigningKey {
        guard let unverified = JSONWebToken(reading: token, key: nil) else { throw Self.malformed }
        try Self.checkAlgorithm(of: unverified)
        // A checker that does not understand a critical header must refuse the token (RFC 7515, section 4.1.11).
        guard unverified.headerJSON("crit") == nil else {
            throw TokenError(.malformed, "the token has a header \"crit\", which is not understood")
        }
        let id = unverified.header("kid")
        guard id != nil || unverified.headerJSON("kid") == nil, let key = keys.key(withID: id) else {
            throw TokenError(
                .unknownKey,
                id == nil
                    ? "the token names no key (header \"kid\")" : "the token names an unknown key (header \"kid\")")
        }
        return key
    }

    private func checked(_ claims: WrittenClaims, atMilliseconds now: Int64) throws(TokenError) -> TokenClaims {
        for (name, seconds) in [("exp", claims.exp), ("nbf", claims.nbf), ("iat", claims.iat)] {
            guard let seconds, seconds * 1000 - Double(now) > Double(yearLimit) * 366 * 86_400_000 else { continue }
            throw TokenError(
                .badClaim,
                """
                the claim "\(name)" is more than \(yearLimit) years ahead: milliseconds? \
                Give Unix seconds
                """)
        }
        guard claims.aud?.values.contains(audience) == true else {
            throw TokenError(.wrongAudience, "the token is not for \"\(audience)\" (claim \"aud\")")
        }
        if let issuer, claims.iss != issuer {
            throw TokenError(.wrongIssuer, "the token was not made by \"\(issuer)\" (claim \"iss\")")
        }
        guard let subject = claims.sub, (1...Self.maximumSubjectByteCount).contains(subject.utf8.count) else {
            throw TokenError(.badClaim, "the token does not name its bearer (claim \"sub\")")
        }
        guard let role = Role(rawValue: claims.role ?? Role.member.rawValue) else {
            throw TokenError(.badClaim, "the token's role is not one of member, service and admin (claim \"role\")")
        }
        guard let expiry = claims.exp else {
            throw TokenError(.badClaim, "the token does not say when it expires (claim \"exp\")")
        }
        // Unknown scopes are for other services.
        let words = claims.scope?.values.flatMap { $0.split(separator: " ") } ?? []
        return TokenClaims(
            subject: subject, role: role,
            scopes: Set(words.compactMap { Scope(rawValue: String($0)) }.filter { $0.role == role }),
            expiresAtMilliseconds: Self.milliseconds(ofSeconds: expiry),
            validFromMilliseconds: Self.milliseconds(ofSeconds: claims.nbf ?? 0))
    }

    /// Checks that the algorithm is HS256; libjwt ignores the case of the name, and accepts every algorithm that the
    /// key fits.
    private static func checkAlgorithm(of token: borrowing JSONWebToken) throws(TokenError) {
        guard token.header("alg") == "HS256" else {
            throw TokenError(.wrongAlgorithm, "the token's algorithm is not HS256")
        }
    }

    private static func decoded(_ json: String) throws(TokenError) -> WrittenClaims {
        do {
            return try JSON.decoded(WrittenClaims.self, from: json.utf8)
        } catch {
            let claim = (error as? DecodingError)?.complaint.path.first?.stringValue
            guard let claim, let expected = WrittenClaims.types[claim] else {
                throw TokenError(.badClaim, "a claim of the token has the wrong type")
            }
            throw TokenError(.badClaim, "the claim \"\(claim)\" has the wrong type: it must be \(expected)")
        }
    }

    private static var malformed: TokenError { TokenError(.malformed, "the token cannot be read") }

    private static func hasThreeParts(_ token: String) -> Bool {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) } }
    }

    /// Returns milliseconds, rounded down and limited to ±9e15, which an integer can hold.
    private static func milliseconds(ofSeconds seconds: Double) -> Int64 {
        Int64(min(max(seconds * 1000, -9e15), 9e15).rounded(.down))
    }
}

/// The claims as a token has them, with times in Unix seconds, with or without a fraction.
private struct WrittenClaims: Decodable {
    /// The required types of the claims, in words.
    static let types = [
        "sub": "text, in quotes", "role": "text", "iss": "text", "exp": "a number of seconds",
        "nbf": "a number of seconds", "iat": "a number of seconds", "aud": "text, or a list of texts",
        "scope": "text, or a list of texts",
    ]

    var sub: String?
    var role: String?
    var exp: Double?
    var nbf: Double?
    var iat: Double?
    var iss: String?
    var aud: Texts?
    var scope: Texts?

    /// One text or a list of texts.
    struct Texts: Decodable {
        let values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
                values = [value]
            } else {
                values = try container.decode([String].self)
            }
        }
    }
}

/// The claims of a token about its bearer, and the time in which it is valid.
package struct TokenClaims: Sendable, Equatable {
    /// The bearer: a user id for a member, any name for a service or an admin.
    package let subject: String
    /// The bearer's role.
    package let role: Role
    /// The additional rights of a service, or all rights of an admin, who without any may do everything.
    package let scopes: Set<Scope>
    /// The first moment at which the token is no longer valid, in Unix milliseconds.
    package let expiresAtMilliseconds: Int64
    /// The first moment at which the token is valid, in Unix milliseconds.
    package let validFromMilliseconds: Int64

    package init(
        subject: String, role: Role, scopes: Set<Scope> = [], expiresAtMilliseconds: Int64,
        validFromMilliseconds: Int64 = 0
    ) {
        self.subject = subject
        self.role = role
        self.scopes = scopes
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.validFromMilliseconds = validFromMilliseconds
    }
}

extension TokenClaims {
    /// Returns a token with these claims.
    ///
    /// - Parameter issuer: the maker of the token; nil for no such claim.
    /// - Throws: `TokenError.badClaim` if a claim cannot be written, such as one that contains a NUL.
    package func token(signedWith key: SigningKey, audience: String, issuer: String? = nil) throws(TokenError) -> String
    {
        for (name, value) in [("sub", subject), ("aud", audience), ("iss", issuer ?? "")] where value.utf8.contains(0) {
            throw TokenError(.badClaim, "the claim \"\(name)\" contains a NUL")
        }
        let token = try JSONWebToken()
        try token.add("sub", subject)
        try token.add("role", role.rawValue)
        if !scopes.isEmpty { try token.add("scope", scopes.map(\.rawValue).sorted().joined(separator: " ")) }
        try token.add("aud", audience)
        if let issuer { try token.add("iss", issuer) }
        try token.add("nbf", Int(validFromMilliseconds / 1000))
        // The time is rounded up, so that the token is valid for at least the requested time.
        try token.add("exp", Int((expiresAtMilliseconds + 999) / 1000))
        return try token.encoded(signedWith: key)
    }
}

/// The role of a token's bearer; raw values are those of the claim `role`.
package enum Role: String, Sendable, Hashable, CaseIterable {
    /// A member, whose user id is the token's subject; the role of a token that names no role.
    case member
    /// The site's own servers.
    case service
    /// An operator of the daemon.
    case admin
}

/// A right of some services or admins; raw values are words of the claim `scope` (RFC 8693, section 4.2).
package enum Scope: String, Sendable, Hashable, CaseIterable {
    /// The right to read any member's list, to record what members do, and to set their interests.
    case lists
    /// The right to see every page but a member's, and what the daemon knows of itself.
    case look
    /// The right to see what a member does and is shown.
    case members
    /// The right to curate groups, and to hide them.
    case curate
    /// The right to choose versions, to run experiments, to remove groups and photos, and to forget members.
    case operate

    /// The role whose tokens may have the right.
    package var role: Role { self == .lists ? .service : .admin }
}

/// The reason why a token is refused, or why a key file cannot be used.
///
/// No message contains a token or a key.
package struct TokenError: Error, Equatable {
    package typealias Code = TokenErrorCode

    package let code: Code
    /// The failure, its place, and the remedy.
    package let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}

/// The kind of failure of a token or a key file.
package enum TokenErrorCode: Sendable, Equatable {
    /// The token is longer than `TokenChecker.maximumByteCount`.
    case tooLong
    /// The token does not consist of three base64url parts that contain JSON objects.
    case malformed
    /// The algorithm of the token is not HS256.
    case wrongAlgorithm
    /// No key has the id that the token names.
    case unknownKey
    /// The token was not signed with the key that it names, or was changed afterwards.
    case badSignature
    case expired
    case notYetValid
    /// The token is for another audience than `TokenChecker.audience`.
    case wrongAudience
    /// The token has another issuer than `TokenChecker.issuer`.
    case wrongIssuer
    /// A claim is missing or invalid.
    case badClaim
    /// The key file cannot be read or written.
    case keyFileFailed
    /// The key file has no usable keys, or other users have access to it.
    case badKeyFile
}
