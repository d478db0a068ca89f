import Foundation

/// Tokens that no honest maker would make, put together byte by byte; only the signature is libjwt's.
public enum Forgery {
    /// Bytes in base64url, without padding.
    public static func base64url(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// A part of a token.
    public static func part(_ json: String) -> String { base64url(Array(json.utf8)) }

    /// A token with any header and claims, signed as its header says by a program that checks nothing.
    public static func token(header: String, claims: String, secret: [UInt8]) throws -> String {
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
