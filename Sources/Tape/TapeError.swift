/// Why a tape cannot be written or read.
public struct TapeError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// Another process records into the folder.
        case busy
        /// There is no tape at the path.
        case missing
        /// A file cannot be read or written.
        case fileFailed
        /// A file is no tape, or of a format that this program does not know.
        case notATape
        /// A key for pseudonyms is too short.
        case badKey
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
