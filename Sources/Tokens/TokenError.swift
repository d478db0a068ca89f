/// Why a token is refused, or why a key file cannot be used.
///
/// No message contains a token or a key.
public struct TokenError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The token is longer than `TokenChecker.maximumByteCount`.
        case tooLong
        /// The token does not consist of three base64url parts that contain JSON objects.
        case malformed
        /// The algorithm of the token is not HS256.
        case wrongAlgorithm
        /// No key has the id that the token names.
        case unknownKey
        /// The token was not signed with the key that it names, or was changed afterwards.
        case badSignature
        /// The token has expired.
        case expired
        /// The token is not valid yet.
        case notYetValid
        /// The token is for another audience.
        case wrongAudience
        /// The token is of another issuer.
        case wrongIssuer
        /// A claim is missing or invalid.
        case badClaim
        /// The key file cannot be read or written.
        case keyFileFailed
        /// The key file has no usable keys, or is readable by everybody.
        case badKeyFile
    }

    /// The kind.
    public let code: Code
    /// What is wrong, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
