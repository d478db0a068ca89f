/// Why a request has no answer.
public struct HTTPClientError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The text is not the address of a server.
        case badAddress
        /// The server cannot be reached, or did not answer in time.
        case noAnswer
    }

    /// The kind.
    public let code: Code
    /// What happened, and where.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
