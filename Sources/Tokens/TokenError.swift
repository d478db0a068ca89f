/// Why a token opens nothing, or a file gives no keys.
///
/// No message has the token or a key in it.
public struct TokenError: Error, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// It is longer than any honest token.
        case tooLong
        /// It is not three parts of base64url with JSON objects in them.
        case malformed
        /// Its algorithm is not HS256.
        case wrongAlgorithm
        /// No key bears the id it names.
        case unknownKey
        /// It was not signed with the key it names, or was changed since.
        case badSignature
        /// Its time is over.
        case expired
        /// Its time has not come.
        case notYetValid
        /// It is meant for somebody else.
        case wrongAudience
        /// Somebody else made it.
        case wrongIssuer
        /// A claim is missing, or cannot be what it is.
        case badClaim
        /// The key file cannot be read or written.
        case keyFileFailed
        /// The key file has something else in it than keys that may be used, or anybody may read it.
        case badKeyFile
    }

    /// The kind.
    public let code: Code
    /// What is wrong, and what to do.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
