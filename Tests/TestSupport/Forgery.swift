import Foundation

/// Invalid tokens, assembled byte by byte.
public enum Forgery {
    /// Bytes in base64url, without padding.
    public static func base64url(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// A part of a token.
    public static func part(_ json: String) -> String { base64url(Array(json.utf8)) }

    /// A token with any header and claims, signed with HMAC and SHA-256 whatever the header says.
    public static func token(header: String, claims: String, secret: [UInt8]) -> String {
        let signed = "\(part(header)).\(part(claims))"
        return "\(signed).\(base64url(SHA256.authenticate(Array(signed.utf8), key: secret)))"
    }
}
