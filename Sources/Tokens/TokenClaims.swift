/// What a token says about its bearer.
public struct TokenClaims: Sendable, Equatable {
    /// The bearer: a user id for a member, any name for a service or an admin.
    public let subject: String
    /// The bearer's role.
    public let role: Role
    /// What a service may do beyond what every service may; empty for others.
    public let scopes: Set<Scope>
    /// The first moment at which it is no longer valid, in Unix milliseconds.
    public let expiresAtMilliseconds: Int64
    /// The first moment at which it is valid, in Unix milliseconds.
    public let validFromMilliseconds: Int64

    /// Makes claims.
    public init(
        subject: String, role: Role, scopes: Set<Scope> = [], expiresAtMilliseconds: Int64,
        validFromMilliseconds: Int64 = 0
    ) {
        self.subject = subject
        self.role = role
        self.scopes = scopes
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.validFromMilliseconds = validFromMilliseconds
    }

    /// Checks that a moment is within the time in which the claims are valid.
    ///
    /// - Throws: `TokenError.expired` or `notYetValid`.
    public func check(atMilliseconds now: Int64) throws(TokenError) {
        guard now < expiresAtMilliseconds else { throw TokenError(.expired, "the token has expired") }
        guard now >= validFromMilliseconds else { throw TokenError(.notYetValid, "the token is not valid yet") }
    }
}

extension TokenClaims {
    /// Makes a token with these claims.
    ///
    /// - Parameters:
    ///   - key: signs the token.
    ///   - audience: the service that the token is for.
    ///   - issuer: who makes the token; nil leaves the claim out.
    /// - Throws: `TokenError.badClaim` if a claim cannot be written, such as one that contains a NUL.
    public func token(signedWith key: SigningKey, audience: String, issuer: String? = nil) throws(TokenError) -> String
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
        // Rounded up, so that the token is valid for at least as long as was asked for.
        try token.add("exp", Int((expiresAtMilliseconds + 999) / 1000))
        return try token.encoded(signedWith: key)
    }
}

/// What the bearer of a token may do; raw values are those of the claim `role`.
public enum Role: String, Sendable, Hashable, CaseIterable {
    /// A member, whose user id is the token's subject. It is the role of a token that names none.
    case member
    /// The site's own servers.
    case service
    /// An operator of the daemon.
    case admin
}

/// What a service may do beyond what every service may; raw values are words of the claim `scope` (RFC 8693, section
/// 4.2).
public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Reading the lists of any member, recording what members do, and setting their interests.
    case lists
}
