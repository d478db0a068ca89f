/// A failure of a store of model versions.
public struct StoreError: Error, CustomStringConvertible {
    /// What kind of failure it is; callers decide by it whether to try again.
    public enum Code: Sendable, Equatable {
        /// The text is not the location of a store.
        case badLocation
        /// The store cannot be reached or refuses; trying later may help.
        case unavailable
        /// Another process is publishing; trying later helps.
        case busy
        /// There is no such version.
        case unknownVersion
        /// The stored bytes are damaged.
        case corrupt
        /// The version is of a program that is older or newer, with another layout.
        case otherFormat
        /// The file system or the server failed while writing.
        case writeFailed
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
