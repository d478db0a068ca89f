/// Why the daemon cannot start, or cannot answer for a while.
public struct ServiceError: Error, Equatable, CustomStringConvertible {
    /// What failed; if the daemon is running already, trying later may help.
    public enum Code: Sendable, Equatable {
        /// At start: the address to listen at is open to other machines.
        case addressRefused
        /// At start: the daemon cannot listen, cannot open a file, or a limit is out of bounds.
        case startFailed
        /// The catalog cannot be read or written.
        case catalogFailed
        /// The daemon's journal cannot be read or written.
        case journalFailed
        /// Members published with a version cannot be read.
        case publishedMembersFailed
        /// The shared store does not answer.
        case storeFailed
        /// The lists of sessions cannot be read or kept.
        case sessionsFailed
        /// No version is loaded.
        case noVersion
    }

    /// What failed.
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
