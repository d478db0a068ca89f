import Basics
import CLibJWT
import Glibc

/// A token in the memory of libjwt.
@safe
struct JSONWebToken: ~Copyable {
    private let handle: OpaquePointer

    init() throws(TokenError) {
        var handle: OpaquePointer?
        guard unsafe jwt_new(&handle) == 0, let handle = unsafe handle else { throw Self.outOfMemory }
        unsafe self.handle = handle
    }

    /// Reads a token and, if a key is given, checks its signature.
    ///
    /// libjwt checks only the signature. It accepts every algorithm that the key fits, any times and any claims. The
    /// caller must check these.
    ///
    /// - Returns: nil if libjwt refuses the token.
    init?(reading text: String, key: SigningKey?) {
        var handle: OpaquePointer?
        let outcome =
            if let key {
                unsafe jwt_decode(&handle, text, key.secret, Int32(key.secret.count))
            } else {
                unsafe jwt_decode(&handle, text, nil, 0)
            }
        guard outcome == 0, let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
    }

    deinit { unsafe jwt_free(handle) }

    /// Returns the text of a header parameter, or nil if there is none or it is not text.
    func header(_ name: String) -> String? {
        guard let text = unsafe jwt_get_header(handle, name) else { return nil }
        return unsafe String(cString: text)
    }

    /// Returns a header parameter of any type as JSON, or nil if there is none.
    func headerJSON(_ name: String) -> String? { unsafe Self.taken(jwt_get_headers_json(handle, name)) }

    /// All claims, as one JSON object.
    var claimsJSON: String? { unsafe Self.taken(jwt_get_grants_json(handle, nil)) }

    /// Adds a text claim.
    func add(_ name: String, _ value: String) throws(TokenError) {
        guard unsafe jwt_add_grant(handle, name, value) == 0 else { throw Self.refused(name) }
    }

    /// Adds an integer claim.
    func add(_ name: String, _ value: Int) throws(TokenError) {
        guard unsafe jwt_add_grant_int(handle, name, value) == 0 else { throw Self.refused(name) }
    }

    /// Returns the token in its serialized form, signed with a key.
    func encoded(signedWith key: SigningKey) throws(TokenError) -> String {
        guard unsafe jwt_add_header(handle, "kid", key.id) == 0,
            unsafe jwt_set_alg(handle, JWT_ALG_HS256, key.secret, Int32(key.secret.count)) == 0,
            let text = unsafe Self.taken(jwt_encode_str(handle))
        else { throw Self.outOfMemory }
        return text
    }

    private static func refused(_ claim: String) -> TokenError {
        TokenError(.badClaim, "the claim \"\(claim)\" cannot be written")
    }

    private static var outOfMemory: TokenError { TokenError(.malformed, "the token cannot be made: out of memory") }

    /// Copies a C string, and frees the original.
    private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

/// A secret key that signs and checks tokens (HMAC with SHA-256).
package struct SigningKey: Sendable, Equatable {
    /// The shortest secret, in bytes, inclusive: the length of the hash (RFC 7518, section 3.2).
    package static let minimumByteCount = 32
    /// The longest secret, in bytes, inclusive: a longer one adds no security.
    package static let maximumByteCount = 512

    /// The id in the header parameter `kid` of tokens that the key signed.
    package let id: String
    let secret: [UInt8]

    /// Creates a key.
    ///
    /// - Throws: `TokenError.badKeyFile` unless the secret has 32 to 512 bytes and the id is well-formed. A well-formed
    ///   id has 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
    package init(id: String, secret: [UInt8]) throws(TokenError) {
        guard id.isWord(ofAtMost: 64, with: ".-_") else {
            throw TokenError(
                .badKeyFile, "a key's id must be 1 to 64 ASCII letters, digits, dots, hyphens and underscores")
        }
        guard (Self.minimumByteCount...Self.maximumByteCount).contains(secret.count) else {
            let bounds = "\(Self.minimumByteCount) to \(Self.maximumByteCount)"
            throw TokenError(.badKeyFile, "the key \"\(id)\" has \(secret.count) bytes: it must have \(bounds)")
        }
        self.id = id
        self.secret = secret
    }

    /// Returns a new key of 32 random bytes.
    package static func random(id: String) throws(TokenError) -> SigningKey {
        // The system's generator is cryptographically secure: getrandom(2).
        var generator = SystemRandomNumberGenerator()
        return try SigningKey(
            id: id, secret: (0..<minimumByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}
