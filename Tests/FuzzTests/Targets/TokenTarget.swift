import Service
import TestSupport

/// Checking of a token: none is accepted but one that was signed, for this service and this time.
///
/// Bytes with a line feed are a header and claims that are signed here, so that what comes behind the signature is
/// reached; other bytes are a token.
struct TokenTarget: FuzzTarget {
    private static let secret = Array("a secret that only the tests know".utf8)
    private static let now: Int64 = 1_795_000_000_000
    private let keys: KeySet

    init() throws { keys = try KeySet([SigningKey(id: "a", secret: Self.secret)]) }

    func seeds() -> [[UInt8]] {
        let header = #"{"alg":"HS256","typ":"JWT","kid":"a"}"#
        let claims = [
            #"{"sub":"ann","aud":"coterie","exp":1795000060}"#,
            #"{"sub":"x","aud":["y","coterie"],"exp":1795000000.5,"nbf":1795000000,"role":"admin","iss":"site"}"#,
        ]
        return claims.map { Array("\(header)\n\($0)".utf8) }
            + claims.map { Array(Forgery.token(header: header, claims: $0, secret: Self.secret).utf8) }
    }

    func take(_ bytes: [UInt8]) throws {
        let parts = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
        let token =
            parts.count == 2
            ? Forgery.token(header: Array(parts[0]), claims: Array(parts[1]), secret: Self.secret)
            : String(decoding: bytes, as: UTF8.self)
        guard
            let claims = try? TokenChecker(audience: "coterie").claims(
                of: token, keys: keys, atMilliseconds: Self.now)
        else { return }
        try require(Forgery.isGenuine(token, secret: Self.secret), "a token without its signature was accepted")
        try require(
            claims.expiresAtMilliseconds > Self.now && claims.validFromMilliseconds <= Self.now + 30_000,
            "a token was accepted at the wrong time")
        try require(!claims.subject.isEmpty, "a token of nobody was accepted")
    }
}
