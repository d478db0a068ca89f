/// What a token says of its bearer.
public struct TokenClaims: Sendable, Equatable {
    /// Whom it speaks of: a user id for a member, any name for a service or an admin.
    public let subject: String
    /// What they are.
    public let role: Role
    /// The first moment at which it is no longer valid, in Unix milliseconds.
    public let expiresAtMilliseconds: Int64
    /// The first moment at which it is valid, in Unix milliseconds.
    public let validFromMilliseconds: Int64

    /// Claims.
    public init(subject: String, role: Role, expiresAtMilliseconds: Int64, validFromMilliseconds: Int64 = 0) {
        self.subject = subject
        self.role = role
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.validFromMilliseconds = validFromMilliseconds
    }

    /// Refuses them outside their time.
    public func check(atMilliseconds now: Int64) throws(TokenError) {
        guard now < expiresAtMilliseconds else { throw TokenError(.expired, "the token has expired") }
        guard now >= validFromMilliseconds else { throw TokenError(.notYetValid, "the token is not valid yet") }
    }
}
