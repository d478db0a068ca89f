import FoundationEssentials

/// Decides which tokens are genuine: everything that libjwt leaves open is checked here.
public struct TokenChecker: Sendable {
    /// The longest token that is looked at, in bytes, inclusive.
    public static let maximumByteCount = 4096
    /// The longest subject, in bytes, inclusive.
    static let maximumSubjectByteCount = 512

    /// Whom tokens must be meant for: their claim `aud`.
    public let audience: String
    /// Who must have made them: their claim `iss`; nil for anybody who has a key.
    public let issuer: String?

    /// A checker.
    public init(audience: String, issuer: String? = nil) {
        self.audience = audience
        self.issuer = issuer
    }

    /// The claims of a token.
    ///
    /// - Parameters:
    ///   - keys: it must be signed with one of them.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `TokenError` with the first thing that is wrong; the signature is checked before any claim.
    public func claims(of token: String, keys: KeySet, atMilliseconds now: Int64) throws(TokenError) -> TokenClaims {
        guard token.utf8.count <= Self.maximumByteCount else {
            throw TokenError(.tooLong, "the token is longer than \(Self.maximumByteCount) bytes")
        }
        // Also so that nothing but these bytes ever reaches C.
        guard Self.hasThreeParts(token) else {
            throw TokenError(.malformed, "the token is not three parts of base64url with dots in between")
        }
        let key = try key(of: token, among: keys)
        guard let genuine = JSONWebToken(reading: token, key: key) else {
            throw TokenError(.badSignature, "the token was not signed with the key \"\(key.id)\", or was changed since")
        }
        try Self.checkAlgorithm(of: genuine)
        guard let json = genuine.claimsJSON else { throw Self.malformed }
        let claims = try checked(Self.decoded(json))
        try claims.check(atMilliseconds: now)
        return claims
    }

    private func key(of token: String, among keys: KeySet) throws(TokenError) -> SigningKey {
        guard let unverified = JSONWebToken(reading: token, key: nil) else { throw Self.malformed }
        try Self.checkAlgorithm(of: unverified)
        // What must be understood and is not (RFC 7515, section 4.1.11).
        guard unverified.headerJSON("crit") == nil else {
            throw TokenError(.malformed, "the token has a header \"crit\", which is not understood")
        }
        let id = unverified.header("kid")
        guard id != nil || unverified.headerJSON("kid") == nil, let key = keys.key(withID: id) else {
            throw TokenError(
                .unknownKey, id == nil ? "the token names no key by its \"kid\"" : "the token names an unknown key")
        }
        return key
    }

    private func checked(_ claims: WrittenClaims) throws(TokenError) -> TokenClaims {
        guard claims.aud?.values.contains(audience) == true else {
            throw TokenError(.wrongAudience, "the token is not meant for \"\(audience)\" (claim \"aud\")")
        }
        if let issuer, claims.iss != issuer {
            throw TokenError(.wrongIssuer, "the token was not made by \"\(issuer)\" (claim \"iss\")")
        }
        guard let subject = claims.sub, (1...Self.maximumSubjectByteCount).contains(subject.utf8.count) else {
            throw TokenError(.badClaim, "the token does not say whom it speaks of (claim \"sub\")")
        }
        guard let role = Role(rawValue: claims.role ?? Role.member.rawValue) else {
            throw TokenError(.badClaim, "the token's role is not one of member, service and admin (claim \"role\")")
        }
        guard let expiry = claims.exp else {
            throw TokenError(.badClaim, "the token does not say when it expires (claim \"exp\")")
        }
        return TokenClaims(
            subject: subject, role: role, expiresAtMilliseconds: Self.milliseconds(ofSeconds: expiry),
            validFromMilliseconds: Self.milliseconds(ofSeconds: claims.nbf ?? 0))
    }

    /// libjwt knows algorithms in any case of letters, and takes all that fit the kind of key.
    private static func checkAlgorithm(of token: borrowing JSONWebToken) throws(TokenError) {
        guard token.header("alg") == "HS256" else {
            throw TokenError(.wrongAlgorithm, "the token's algorithm is not HS256")
        }
    }

    private static func decoded(_ json: String) throws(TokenError) -> WrittenClaims {
        do {
            return try JSONDecoder().decode(WrittenClaims.self, from: Data(json.utf8))
        } catch {
            throw TokenError(.badClaim, "a claim of the token is not of the kind it must be")
        }
    }

    private static var malformed: TokenError { TokenError(.malformed, "the token cannot be read") }

    private static func hasThreeParts(_ token: String) -> Bool {
        var dots = 0
        var partLength = 0
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                guard partLength > 0 else { return false }
                dots += 1
                partLength = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                partLength += 1
            default: return false
            }
        }
        return dots == 2 && partLength > 0
    }

    /// Rounded down; times beyond what can be counted are as far away as can be.
    private static func milliseconds(ofSeconds seconds: Double) -> Int64 {
        Int64(min(max(seconds * 1000, -9e15), 9e15).rounded(.down))
    }
}

/// Claims as they are written; times in Unix seconds, with or without a fraction.
private struct WrittenClaims: Decodable {
    var sub: String?
    var role: String?
    var exp: Double?
    var nbf: Double?
    var iss: String?
    var aud: Audience?

    /// One text, or a list of them.
    struct Audience: Decodable {
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
