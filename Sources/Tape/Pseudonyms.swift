import CCrypto

/// Names for members that only who has the key can tell: the first 8 bytes of HMAC-SHA256 (RFC 2104), in hexadecimal.
///
/// The same member has the same pseudonym on all tapes of a key.
public struct Pseudonyms: Sendable {
    /// The shortest key, in bytes, inclusive.
    public static let keyMinimumByteCount = 16
    private static let byteCount = 8

    private let key: [UInt8]

    /// - Throws: `TapeError.badKey` if the key is too short.
    public init(key: [UInt8]) throws(TapeError) {
        guard key.count >= Self.keyMinimumByteCount else {
            throw TapeError(
                .badKey, "a key for pseudonyms must have \(Self.keyMinimumByteCount) bytes or more: it has \(key.count)"
            )
        }
        self.key = key
    }

    /// The pseudonym of an id: 16 hexadecimal digits.
    public func pseudonym(of id: String) -> String {
        Self.hexadecimal(Self.authenticated(Array(id.utf8), key).prefix(Self.byteCount))
    }

    /// A fingerprint of a text: the same function with a key that everybody knows.
    public static func fingerprint(of text: String) -> String {
        hexadecimal(authenticated(Array(text.utf8), Array("coterie".utf8)).prefix(byteCount))
    }

    private static func authenticated(_ message: [UInt8], _ key: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { output, count in
            var length: UInt32 = 0
            let isDone = unsafe HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, output.baseAddress, &length)
            precondition(unsafe isDone != nil, "the hash cannot be made: there is no memory")
            count = Int(length)
        }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
