/// What keeps the daemon from starting, or from learning who is a member of what.
public struct ServiceError: Error, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// The address to listen at is open to other machines.
        case addressRefused
        /// The daemon cannot listen, or a limit is out of bounds.
        case startFailed
        /// Memberships or photos cannot be read right now; trying later may help.
        case directoryFailed
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
