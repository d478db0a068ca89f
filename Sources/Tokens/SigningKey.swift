/// A secret that signs and checks tokens (HMAC with SHA-256).
public struct SigningKey: Sendable, Equatable {
    /// The shortest secret, in bytes, inclusive: the length of the hash (RFC 7518, section 3.2).
    public static let minimumByteCount = 32
    /// The longest secret, in bytes, inclusive: a longer one adds no security.
    public static let maximumByteCount = 512

    /// The id by which the header of a token names the key (`kid`).
    public let id: String
    let secret: [UInt8]

    /// Makes a key.
    ///
    /// - Throws: `TokenError.badKeyFile` unless the secret has 32 to 512 bytes and the id consists of 1 to 64 ASCII
    ///   letters, digits, dots, hyphens and underscores.
    public init(id: String, secret: [UInt8]) throws(TokenError) {
        guard (1...64).contains(id.utf8.count), id.utf8.allSatisfy(Self.mayBeInID) else {
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

    /// Makes a key of 32 random bytes.
    public static func random(id: String) throws(TokenError) -> SigningKey {
        // The system's generator is cryptographically secure: getrandom(2).
        var generator = SystemRandomNumberGenerator()
        return try SigningKey(
            id: id, secret: (0..<minimumByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private static func mayBeInID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
