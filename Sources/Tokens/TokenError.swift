/// Why a token opens nothing, or a file gives no keys.
///
/// No message has the token or a key in it.
public struct TokenError: Error, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Sendable, Equatable, CaseIterable {
        /// It is longer than any honest token.
        case tooLong = "too_long"
        /// It is not three parts of base64url with JSON objects in them.
        case malformed
        /// Its algorithm is not HS256.
        case wrongAlgorithm = "wrong_algorithm"
        /// No key bears the id it names.
        case unknownKey = "unknown_key"
        /// It was not signed with the key it names, or was changed since.
        case badSignature = "bad_signature"
        /// Its time is over.
        case expired
        /// Its time has not come.
        case notYetValid = "not_yet_valid"
        /// It is meant for somebody else.
        case wrongAudience = "wrong_audience"
        /// Somebody else made it.
        case wrongIssuer = "wrong_issuer"
        /// A claim is missing, or cannot be what it is.
        case badClaim = "bad_claim"
        /// The key file cannot be read or written.
        case keyFileFailed = "key_file_failed"
        /// The key file has something else in it than keys that may be used, or anybody may read it.
        case badKeyFile = "bad_key_file"
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
