import Tokens

/// Keys and a checker that tests share.
enum Sample {
    /// A moment in November 2026, in Unix milliseconds.
    static let now: Int64 = 1_795_000_000_000
    static let secret = [UInt8](repeating: 7, count: 32)

    static func keys(_ ids: String...) throws -> KeySet {
        try KeySet(
            ids.enumerated().map { try SigningKey(id: $1, secret: [UInt8](repeating: UInt8(7 + $0), count: 32)) })
    }

    static let checker = TokenChecker(audience: "coterie")

    static func code(_ token: String, keys: KeySet? = nil, checker: TokenChecker = checker) throws -> TokenError.Code? {
        let keys = try keys ?? Sample.keys("a")
        do {
            _ = try checker.claims(of: token, keys: keys, atMilliseconds: now)
            return nil
        } catch { return error.code }
    }
}
