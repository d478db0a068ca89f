import FoundationEssentials

/// The keys that are in use, as a JSON Web Key Set (RFC 7517) of `oct` keys writes them.
///
/// The first signs; all of them check. To rotate: put a new key first, and take the old one out once the
/// tokens it signed have expired.
public struct KeySet: Sendable, Equatable {
    /// The most keys a set may have.
    public static let maximumCount = 16

    /// The keys, each id once; at least one.
    public let keys: [SigningKey]

    /// Keys in order.
    ///
    /// - Throws: `TokenError.badKeyFile` if there are none or too many, or an id comes twice.
    public init(_ keys: [SigningKey]) throws(TokenError) {
        guard (1...Self.maximumCount).contains(keys.count) else {
            throw TokenError(.badKeyFile, "there are \(keys.count) keys: there must be 1 to \(Self.maximumCount)")
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw TokenError(.badKeyFile, "two keys have the same \"kid\"")
        }
        self.keys = keys
    }

    /// The keys of a key set in JSON.
    public init(json: [UInt8]) throws(TokenError) {
        let written: WrittenSet
        do {
            written = try JSONDecoder().decode(WrittenSet.self, from: Data(json))
        } catch {
            // The decoder's own words may quote what it read, and that is secret.
            throw TokenError(
                .badKeyFile,
                #"it is not a JSON Web Key Set such as {"keys":[{"kty":"oct","kid":"…","k":"…"}]}"#)
        }
        var keys: [SigningKey] = []
        for key in written.keys { keys.append(try key.signingKey()) }
        try self.init(keys)
    }

    /// The key that signs.
    public var signing: SigningKey { keys[0] }

    /// The key of a name; without a name, the only one there is.
    func key(withID id: String?) -> SigningKey? {
        guard let id else { return keys.count == 1 ? keys[0] : nil }
        return keys.first { $0.id == id }
    }

    /// The set in JSON, with a line break at the end.
    func json() throws(TokenError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            return Array(try encoder.encode(WrittenSet(keys: keys.map(WrittenKey.init)))) + [UInt8(ascii: "\n")]
        } catch {
            throw TokenError(.keyFileFailed, "the keys cannot be written as JSON")
        }
    }
}

private struct WrittenSet: Codable {
    var keys: [WrittenKey]
}

private struct WrittenKey: Codable {
    var kty: String
    var kid: String
    var k: String
    var alg: String?

    init(_ key: SigningKey) {
        kty = "oct"
        kid = key.id
        k = Data(key.secret).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
        alg = "HS256"
    }

    func signingKey() throws(TokenError) -> SigningKey {
        guard kty == "oct", alg ?? "HS256" == "HS256" else {
            throw TokenError(.badKeyFile, "the key \"\(kid)\" is not for HS256: its \"kty\" must be \"oct\"")
        }
        let base64 = k.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let secret = Data(base64Encoded: base64 + padding) else {
            throw TokenError(.badKeyFile, "the key \"\(kid)\" is not in base64url")
        }
        return try SigningKey(id: kid, secret: Array(secret))
    }
}
