/// What went wrong in a server, or in a request it received.
public struct HTTPError: Error, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// The address to listen at is not a numeric IPv4 or IPv6 address, or not one of this machine.
        case badAddress
        /// Another process listens there already.
        case addressTaken
        /// The system does not let this process listen there.
        case addressForbidden
        /// A limit of the configuration is out of bounds.
        case badConfiguration
        /// The system lacks something the server needs.
        case startFailed
        /// A request that cannot be understood: answered with 400.
        case badRequest
        /// A request whose body is longer than allowed: answered with 413.
        case bodyTooLarge
        /// A request on a connection beyond those that are served: answered with 503.
        case tooManyConnections
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
