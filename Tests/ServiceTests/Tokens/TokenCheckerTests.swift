@testable import Service
import TestSupport
import Testing

@Suite("Tokens")
struct TokenCheckerTests {
    private static let header = #"{"alg":"HS256","typ":"JWT","kid":"a"}"#
    private static let claims = #"{"sub":"ann","aud":"coterie","exp":1795000060}"#

    private func code(
        header: String = header, claims: String = claims, secret: [UInt8] = Sample.secret, keys: KeySet? = nil
    ) throws -> TokenError.Code? {
        try Sample.code(Forgery.token(header: header, claims: claims, secret: secret), keys: keys)
    }

    @Test("A token that Coterie makes is read back", arguments: Role.allCases)
    func roundTrip(role: Role) throws {
        let claims = TokenClaims(
            subject: "zoë \"q\"\n", role: role, expiresAtMilliseconds: Sample.now + 60_000,
            validFromMilliseconds: Sample.now)
        let keys = try Sample.keys("new", "old")
        for key in keys.keys {
            let token = try claims.token(signedWith: key, audience: "coterie", issuer: "site")
            let checker = TokenChecker(audience: "coterie", issuer: "site")
            #expect(try checker.claims(of: token, keys: keys, atMilliseconds: Sample.now) == claims)
        }
    }

    @Test("Scopes are those of the role, words of one text, or texts of a list; others are passed over")
    func scopes() throws {
        let claims = TokenClaims(
            subject: "site", role: .service, scopes: [.lists], expiresAtMilliseconds: Sample.now + 60_000)
        let keys = try Sample.keys("a")
        let token = try claims.token(signedWith: keys.signing, audience: "coterie")
        #expect(try Sample.checker.claims(of: token, keys: keys, atMilliseconds: Sample.now) == claims)
        for (claim, role, scopes) in [
            (#","scope":"mail lists x""#, "service", Set([Scope.lists])),
            (#","scope":["mail","lists"]"#, "service", [.lists]),
            (#","scope":"""#, "service", []), (#","scope":"listsx Lists""#, "service", []), ("", "service", []),
            (#","scope":null"#, "service", []), (#","scope":"lists""#, "member", []),
            (#","scope":"lists""#, "admin", []), (#","scope":"look lists operate""#, "admin", [.look, .operate]),
            (#","scope":"look""#, "service", []),
        ] {
            let text = #"{"sub":"s","role":"\#(role)","aud":"coterie","exp":1795000060\#(claim)}"#
            let token = Forgery.token(header: Self.header, claims: text, secret: Sample.secret)
            #expect(try Sample.checker.claims(of: token, keys: keys, atMilliseconds: Sample.now).scopes == scopes)
        }
        #expect(try code(claims: #"{"sub":"s","aud":"coterie","exp":1795000060,"scope":7}"#) == .badClaim)
    }

    @Test("A token of another maker is accepted, with the role of a member")
    func foreign() throws {
        #expect(try code() == nil)
        #expect(try code(claims: #"{"sub":"ann","aud":["x","coterie"],"exp":1795000000.5,"nbf":1795000000}"#) == nil)
        let token = Forgery.token(header: Self.header, claims: Self.claims, secret: Sample.secret)
        let claims = try Sample.checker.claims(of: token, keys: Sample.keys("a"), atMilliseconds: Sample.now)
        #expect(claims.role == .member)
        #expect(claims.subject == "ann")
    }

    @Test(
        "Times are bounds: exp is exclusive, nbf inclusive",
        arguments: [
            (#""exp":1795000000"#, TokenError.Code.expired), (#""exp":1794999999.999"#, .expired),
            (#""exp":0"#, .expired),
            (#""exp":-1e300"#, .expired), (#""exp":1795000060,"nbf":1795000031"#, .notYetValid),
            (#""nbf":0"#, .badClaim), (#""exp":"1795000060""#, .badClaim),
            (#""exp":null"#, .badClaim), (#""exp":true"#, .badClaim),
        ])
    func times(claims: String, expected: TokenError.Code) throws {
        #expect(try code(claims: #"{"sub":"ann","aud":"coterie",\#(claims)}"#) == expected)
    }

    @Test("A clock that is 30 seconds behind accepts a token, or as far as the leeway says")
    func leeway() throws {
        for (seconds, leeway, expected) in [
            (1, 30, TokenError.Code?.none), (30, 30, nil), (31, 30, .notYetValid), (1, 0, .notYetValid), (90, 90, nil),
        ] {
            let claims = #"{"sub":"ann","aud":"coterie","exp":1795000600,"nbf":\#(1_795_000_000 + seconds)}"#
            let token = Forgery.token(header: Self.header, claims: claims, secret: Sample.secret)
            let checker = TokenChecker(audience: "coterie", leewaySeconds: leeway)
            #expect(try Sample.code(token, checker: checker) == expected, "\(seconds) seconds, leeway \(leeway)")
        }
    }

    @Test(
        "A time in milliseconds, or one that is absurd, is refused, and its claim is named",
        arguments: [
            ("exp", "1795000060000"), ("exp", "1000000000000000000"), ("exp", "1e300"), ("exp", "2112000000"),
            ("nbf", "1795000000000"), ("nbf", "1e300"), ("iat", "1795000000000"), ("iat", "1e18"),
        ])
    func milliseconds(claim: String, value: String) throws {
        let others = claim == "exp" ? "" : #""exp":1795000060,"#
        let claims = #"{"sub":"ann","aud":"coterie",\#(others)"\#(claim)":\#(value)}"#
        let error = try #require(throws: TokenError.self) { try Sample.read(claims) }
        #expect(error.code == .badClaim)
        #expect(error.message.contains("\"\(claim)\" is more than 10 years ahead: milliseconds?"), "\(error)")
    }

    @Test("A token may be valid for as many years as the limit says")
    func years() throws {
        let token = Forgery.token(
            header: Self.header, claims: #"{"sub":"ann","aud":"coterie","exp":2100000000}"#, secret: Sample.secret)
        for (years, expected) in [(9, TokenError.Code.badClaim), (10, nil), (100, nil)] {
            let checker = TokenChecker(audience: "coterie", yearLimit: years)
            #expect(try Sample.code(token, checker: checker) == expected, "\(years) years")
        }
    }

    @Test(
        "A claim of the wrong type is named",
        arguments: ["sub", "role", "iss", "exp", "nbf", "iat", "aud", "scope"])
    func wrongType(claim: String) throws {
        let values = ["sub": "42", "exp": #""1795000060""#, "nbf": #""0""#, "iat": "[]"]
        var claims = ["sub": #""ann""#, "aud": #""coterie""#, "exp": "1795000060"]
        claims[claim] = values[claim] ?? "7"
        let json = "{" + claims.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let error = try #require(throws: TokenError.self) { try Sample.read(json) }
        #expect(error.code == .badClaim && error.message.contains("the claim \"\(claim)\""), "\(error)")
    }

    @Test(
        "Algorithms other than HS256 are refused, however they are signed",
        arguments: ["HS512", "HS384", "hs256", "RS256", "ES256", "HS256 ", ""])
    func algorithms(name: String) throws {
        let code = try code(header: #"{"alg":"\#(name)","typ":"JWT","kid":"a"}"#)
        #expect(code == .wrongAlgorithm || code == .malformed)
    }

    @Test("A stronger algorithm under the same key is another algorithm")
    func strongerAlgorithms() throws {
        // Signed with Python's hmac module; only the algorithm is wrong, and libjwt accepts both.
        let signatures = [
            "HS384": "Lj1KmFrXU7hel14QMlwubhNydbItlry5XqDpqlNiKWST-qzd0xbJvrbRHCLlIJi8",
            "HS512":
                "wzjo2Mu_En1t1_-ngTG4LxsxqU5SJD2bxJa3RRV2moIetsNr1kLbqmuesSz69n9fw5L1xraijyJozsCIK6gvDg",
        ]
        for (name, signature) in signatures {
            let header = #"{"alg":"\#(name)","typ":"JWT","kid":"a"}"#
            let token = "\(Forgery.part(header)).\(Forgery.part(Self.claims)).\(signature)"
            #expect(JSONWebToken(reading: token, key: try Sample.keys("a").signing) != nil)
            #expect(try Sample.code(token) == .wrongAlgorithm)
        }
    }

    @Test("A token without an algorithm, or with \"none\", is refused")
    func unsigned() throws {
        let claims = Forgery.part(Self.claims)
        for algorithm in [#""alg":"none""#, #""alg":"None""#, #""alg":1"#, #""x":1"#] {
            let header = Forgery.part(#"{\#(algorithm),"kid":"a"}"#)
            for signature in ["", "AA"] {
                #expect(try Sample.code("\(header).\(claims).\(signature)") != nil)
            }
        }
    }

    @Test(
        "A token that another key signed is refused",
        arguments: [[UInt8](), [7], [UInt8](repeating: 8, count: 32), [UInt8](repeating: 7, count: 33)])
    func otherKeys(secret: [UInt8]) throws {
        #expect(try code(secret: secret) == .badSignature)
    }

    @Test("A token names its key, unless there is only one")
    func keyIDs() throws {
        let two = try Sample.keys("a", "b")
        #expect(try code(keys: two) == nil)
        #expect(try code(header: #"{"alg":"HS256","kid":"b"}"#, keys: two) == .badSignature)
        for kid in [#""kid":"c""#, #""kid":"""#, #""kid":1"#, #""kid":null"#, #""kid":"../a""#] {
            #expect(try code(header: #"{"alg":"HS256",\#(kid)}"#) == .unknownKey)
        }
        #expect(try code(header: #"{"alg":"HS256"}"#) == nil)
        #expect(try code(header: #"{"alg":"HS256"}"#, keys: two) == .unknownKey)
    }

    @Test(
        "Claims that are missing or wrong are refused",
        arguments: [
            (#""aud":"coterie""#, TokenError.Code.badClaim), (#""sub":"","aud":"coterie""#, .badClaim),
            (#""sub":7,"aud":"coterie""#, .badClaim), (#""sub":null,"aud":"coterie""#, .badClaim),
            (#""sub":"ann""#, .wrongAudience), (#""sub":"ann","aud":"other""#, .wrongAudience),
            (#""sub":"ann","aud":[]"#, .wrongAudience), (#""sub":"ann","aud":"Coterie""#, .wrongAudience),
            (#""sub":"ann","aud":{"coterie":1}"#, .badClaim),
            (#""sub":"ann","aud":"coterie","role":"root""#, .badClaim),
            (#""sub":"ann","aud":"coterie","role":["admin"]"#, .badClaim),
        ])
    func claims(claims: String, expected: TokenError.Code) throws {
        #expect(try code(claims: #"{\#(claims),"exp":1795000060}"#) == expected)
    }

    @Test("A token of another issuer is refused if an issuer is required")
    func issuer() throws {
        let checker = TokenChecker(audience: "coterie", issuer: "site")
        for (claim, expected) in [
            (#","iss":"site""#, TokenError.Code?.none), (#","iss":"other""#, .wrongIssuer), ("", .wrongIssuer),
        ] {
            let claims = #"{"sub":"ann","aud":"coterie","exp":1795000060\#(claim)}"#
            let token = Forgery.token(header: Self.header, claims: claims, secret: Sample.secret)
            #expect(try Sample.code(token, checker: checker) == expected)
        }
    }

    @Test("A token with an unknown critical header is refused")
    func critical() throws {
        #expect(try code(header: #"{"alg":"HS256","kid":"a","crit":["b64"],"b64":false}"#) == .malformed)
    }

    @Test("A token with any single character changed is refused")
    func tampering() throws {
        let token = Forgery.token(header: Self.header, claims: Self.claims, secret: Sample.secret)
        let keys = try Sample.keys("a")
        for index in token.indices {
            var changed = token
            changed.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(
                try Sample.code(changed, keys: keys) != nil,
                "changed at \(token.distance(from: token.startIndex, to: index))")
        }
    }

    @Test("A token that is too long is refused")
    func long() throws {
        let claims = #"{"sub":"ann","aud":"coterie","exp":1795000060,"x":"\#(String(repeating: "x", count: 4096))"}"#
        #expect(try code(claims: claims) == .tooLong)
        #expect(try Sample.code(String(repeating: "a", count: 4097)) == .tooLong)
    }

    @Test(
        "A token of 4096 bytes is accepted, one of 4097 is not",
        arguments: [(4096, nil), (4097, TokenError.Code.tooLong)])
    func longest(length: Int, code: TokenError.Code?) throws {
        // Blanks in the JSON make up the length; base64url skips some lengths, hence the three headers.
        let tokens = (0..<3).map { blanks in
            let header = Self.header + String(repeating: " ", count: blanks)
            let claimsLength = (length - Forgery.part(header).utf8.count - 45) * 3 / 4
            let claims = Self.claims + String(repeating: " ", count: claimsLength - Self.claims.utf8.count)
            return Forgery.token(header: header, claims: claims, secret: Sample.secret)
        }
        #expect(try Sample.code(try #require(tokens.first { $0.utf8.count == length })) == code)
    }

    @Test("Mutated tokens are refused without a crash", arguments: 0..<4)
    func noise(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let token = Forgery.token(header: Self.header, claims: Self.claims, secret: Sample.secret)
        let keys = try Sample.keys("a")
        let morsels = ["", ".", "..", "=", "\0", "\u{FF}", "eyJhbGciOiJub25lIn0", "%00", " ", "\n", "😀"]
        for _ in 0..<500 {
            var bytes = Array(token.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.insert(contentsOf: (morsels.randomElement(using: &generator) ?? "").utf8, at: index)
                case 1: bytes.removeSubrange(index...)
                default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(try text == token || Sample.code(text, keys: keys) != nil)
        }
    }
}

/// Keys and a checker for the tests.
private enum Sample {
    /// A moment in November 2026, in Unix milliseconds.
    static let now: Int64 = 1_795_000_000_000
    static let secret = [UInt8](repeating: 7, count: 32)

    static func keys(_ ids: String...) throws -> KeySet {
        try KeySet(
            ids.enumerated().map { try SigningKey(id: $1, secret: [UInt8](repeating: UInt8(7 + $0), count: 32)) })
    }

    static let checker = TokenChecker(audience: "coterie")

    /// Checks a token with claims.
    static func read(_ claims: String) throws {
        let token = Forgery.token(
            header: #"{"alg":"HS256","typ":"JWT","kid":"a"}"#, claims: claims, secret: secret)
        _ = try checker.claims(of: token, keys: keys("a"), atMilliseconds: now)
    }

    static func code(_ token: String, keys: KeySet? = nil, checker: TokenChecker = checker) throws -> TokenError.Code? {
        let keys = try keys ?? Sample.keys("a")
        do {
            _ = try checker.claims(of: token, keys: keys, atMilliseconds: now)
            return nil
        } catch { return error.code }
    }
}
