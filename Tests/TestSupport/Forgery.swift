import Foundation

/// Invalid tokens, assembled byte by byte.
package enum Forgery {
    /// Bytes in base64url, without padding.
    package static func base64url(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// A part of a token.
    package static func part(_ json: String) -> String { base64url(Array(json.utf8)) }

    /// A token with any header and claims, signed with HMAC and SHA-256 whatever the header says.
    package static func token(header: String, claims: String, secret: [UInt8]) -> String {
        token(header: Array(header.utf8), claims: Array(claims.utf8), secret: secret)
    }

    /// The same with any bytes.
    package static func token(header: [UInt8], claims: [UInt8], secret: [UInt8]) -> String {
        let signed = "\(base64url(header)).\(base64url(claims))"
        return "\(signed).\(base64url(SHA256.authenticate(Array(signed.utf8), key: secret)))"
    }

    /// Whether a token has the signature that it must have, in base64url of whatever padding and last bits.
    package static func isGenuine(_ token: String, secret: [UInt8]) -> Bool {
        guard let dot = token.lastIndex(of: ".") else { return false }
        let expected = base64url(SHA256.authenticate(Array(token[..<dot].utf8), key: secret))
        // 32 bytes are 43 letters, of which the last has two bits that mean nothing.
        return token[dot...].dropFirst().prefix(42) == expected.prefix(42)
    }
}
