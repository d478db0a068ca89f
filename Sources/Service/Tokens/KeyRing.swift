import Basics
import Synchronization

/// The current keys of a file that is read again when it has changed.
///
/// If the file becomes unreadable or invalid, the last good keys stay in use.
package final class KeyRing: Sendable {
    private struct State {
        var keys: KeySet
        var stamp: FileStamp
        var generation = 0
        /// The stamp of a file that could not be used, so that the error is thrown only once.
        var refused: FileStamp?
    }

    private let file: KeyFile
    private let state: Mutex<State>

    package init(_ file: KeyFile) throws(TokenError) {
        self.file = file
        let (keys, stamp) = try file.readWithStamp()
        state = Mutex(State(keys: keys, stamp: stamp))
    }

    /// The keys, and a number that increases whenever they change.
    package var current: (keys: KeySet, generation: Int) {
        state.withLock { ($0.keys, $0.generation) }
    }

    /// Whether the keys are those of the file as it is now.
    var isCurrent: Bool { FileStamp(path: file.path) == state.withLock(\.stamp) }

    /// Reads the file again if it has changed.
    ///
    /// - Parameter isForced: whether the file is read in any case, even if it could not be used before.
    /// - Returns: whether the keys have changed.
    /// - Throws: `TokenError` if the file cannot be used, once for each change of the file.
    package func refresh(isForced: Bool = false) throws(TokenError) -> Bool {
        let stamp = FileStamp(path: file.path)
        let isKnown = state.withLock { stamp == $0.stamp || (stamp != nil && stamp == $0.refused) }
        // A missing file may be about to be replaced.
        guard isForced || (!isKnown && stamp != nil) else { return false }
        do throws(TokenError) {
            let (keys, stamp) = try file.readWithStamp()
            return state.withLock { state in
                let hasChanged = keys != state.keys
                state = State(keys: keys, stamp: stamp, generation: state.generation + (hasChanged ? 1 : 0))
                return hasChanged
            }
        } catch {
            state.withLock { $0.refused = stamp }
            throw error
        }
    }
}

/// The keys in use; a key file holds them as a JSON Web Key Set (RFC 7517) of `oct` keys.
///
/// The first key signs tokens; all keys check them. To rotate keys, add a new key before the others. Remove the old key
/// when all tokens that it signed have expired.
package struct KeySet: Sendable, Equatable {
    /// The most keys a set may have.
    package static let maximumCount = 16

    /// The keys, at least one, with different ids.
    package let keys: [SigningKey]

    /// Creates a set of keys in this order.
    ///
    /// - Throws: `TokenError.badKeyFile` if there are no keys or too many, or if two keys have the same id.
    package init(_ keys: [SigningKey]) throws(TokenError) {
        guard (1...Self.maximumCount).contains(keys.count) else {
            throw TokenError(.badKeyFile, "there are \(keys.count) keys: there must be 1 to \(Self.maximumCount)")
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw TokenError(.badKeyFile, "two keys have the same \"kid\"")
        }
        self.keys = keys
    }

    package init(json: [UInt8]) throws(TokenError) {
        let written: WrittenSet
        do {
            written = try JSON.decoded(WrittenSet.self, from: json)
        } catch {
            // The decoder's own message might quote the file, which is secret.
            throw TokenError(
                .badKeyFile,
                #"it is not a JSON Web Key Set such as {"keys":[{"kty":"oct","kid":"…","k":"…"}]}"#)
        }
        var keys: [SigningKey] = []
        for key in written.keys { keys.append(try key.signingKey()) }
        try self.init(keys)
    }

    /// The key that signs tokens.
    package var signing: SigningKey { keys[0] }

    /// Returns the key with an id, or nil if there is none; a nil id means the only key of the set.
    func key(withID id: String?) -> SigningKey? {
        guard let id else { return keys.count == 1 ? keys[0] : nil }
        return keys.first { $0.id == id }
    }

    /// Returns the set as JSON, with a line feed at the end.
    func json() throws(TokenError) -> [UInt8] {
        do {
            return try JSON.encoded(WrittenSet(keys: keys.map(WrittenKey.init)), isIndented: true)
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
        k = Base64URL.encode(key.secret)
        alg = "HS256"
    }

    func signingKey() throws(TokenError) -> SigningKey {
        guard kty == "oct", alg ?? "HS256" == "HS256" else {
            throw TokenError(.badKeyFile, "the key \"\(kid)\" is not for HS256: its \"kty\" must be \"oct\"")
        }
        guard let secret = Base64URL.decode(k) else {
            throw TokenError(.badKeyFile, "the key \"\(kid)\" is not in base64url")
        }
        return try SigningKey(id: kid, secret: secret)
    }
}
