import FoundationEssentials

/// Checks tokens: their signature with libjwt, and everything that libjwt does not check.
public struct TokenChecker: Sendable {
    /// The longest token that is accepted, in bytes, inclusive.
    public static let maximumByteCount = 4096
    /// The longest subject, in bytes, inclusive.
    static let maximumSubjectByteCount = 512

    /// The audience that a token must name in its claim `aud`.
    public let audience: String
    /// The issuer that a token must name in its claim `iss`; nil accepts any.
    public let issuer: String?

    /// Makes a checker.
    public init(audience: String, issuer: String? = nil) {
        self.audience = audience
        self.issuer = issuer
    }

    /// Checks a token and reads its claims.
    ///
    /// - Parameters:
    ///   - keys: one of these must have signed the token.
    ///   - now: the time, in Unix milliseconds.
    /// - Throws: `TokenError` for the first check that fails; the signature is checked before any claim.
    public func claims(of token: String, keys: KeySet, atMilliseconds now: Int64) throws(TokenError) -> TokenClaims {
        guard token.utf8.count <= Self.maximumByteCount else {
            throw TokenError(.tooLong, "the token is longer than \(Self.maximumByteCount) bytes")
        }
        // This also keeps any other bytes away from the C library.
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
        let claims = try checked(Self.decoded(json))
        try claims.check(atMilliseconds: now)
        return claims
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

    private func checked(_ claims: WrittenClaims) throws(TokenError) -> TokenClaims {
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
        // Words that are not known are for other services.
        let words = claims.scope?.values.flatMap { $0.split(separator: " ") } ?? []
        return TokenClaims(
            subject: subject, role: role,
            scopes: role == .service ? Set(words.compactMap { Scope(rawValue: String($0)) }) : [],
            expiresAtMilliseconds: Self.milliseconds(ofSeconds: expiry),
            validFromMilliseconds: Self.milliseconds(ofSeconds: claims.nbf ?? 0))
    }

    /// libjwt itself ignores the case of the name, and accepts every algorithm that the key fits.
    private static func checkAlgorithm(of token: borrowing JSONWebToken) throws(TokenError) {
        guard token.header("alg") == "HS256" else {
            throw TokenError(.wrongAlgorithm, "the token's algorithm is not HS256")
        }
    }

    private static func decoded(_ json: String) throws(TokenError) -> WrittenClaims {
        do {
            return try JSONDecoder().decode(WrittenClaims.self, from: Data(json.utf8))
        } catch {
            throw TokenError(.badClaim, "a claim of the token has the wrong type")
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

    /// Rounds down; times too far away for an integer become ±9e15.
    private static func milliseconds(ofSeconds seconds: Double) -> Int64 {
        Int64(min(max(seconds * 1000, -9e15), 9e15).rounded(.down))
    }
}

/// The claims in a token; times in Unix seconds, with or without a fraction.
private struct WrittenClaims: Decodable {
    var sub: String?
    var role: String?
    var exp: Double?
    var nbf: Double?
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
