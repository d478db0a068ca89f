import Foundation
import Glibc
import TestSupport
import Testing

@testable import Tokens

/// Tokens that no honest maker would make, put together byte by byte; only the signature is libjwt's.
enum Forgery {
    static func base64url(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    static func part(_ json: String) -> String { base64url(Array(json.utf8)) }

    /// A token with any header and claims, signed as its header says by a program that checks nothing.
    static func token(header: String, claims: String, secret: [UInt8]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, part(header), part(claims), Data(secret).base64EncodedString()]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    private static let script = """
        import base64, hashlib, hmac, json, sys
        header, claims, secret = sys.argv[1:]
        pad = lambda text: text + "=" * (-len(text) % 4)
        name = json.loads(base64.urlsafe_b64decode(pad(header))).get("alg", "HS256")[-3:]
        digest = {"384": hashlib.sha384, "512": hashlib.sha512}.get(name, hashlib.sha256)
        signature = hmac.new(base64.b64decode(secret), f"{header}.{claims}".encode(), digest).digest()
        print(f"{header}.{claims}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}", end="")
        """
}

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
