/// What went wrong in a server, or in a request that it received.
public struct HTTPError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The listening address is not a numeric IPv4 or IPv6 address, or this machine does not have it.
        case badAddress
        /// Another process listens there already.
        case addressTaken
        /// The system does not let this process listen there.
        case addressForbidden
        /// A limit of the configuration is out of bounds.
        case badConfiguration
        /// The system lacks a resource that the server needs.
        case startFailed
        /// A request that breaks the grammar of HTTP: answered with 400.
        case badRequest
        /// A request whose body is longer than allowed: answered with 413.
        case bodyTooLarge
        /// A request line that is longer than allowed: answered with 414.
        case targetTooLong
        /// Header fields that are longer than allowed: answered with 431.
        case headersTooLarge
        /// A request whose body has a transfer coding other than `chunked`: answered with 501.
        case unknownTransferCoding
        /// A request of another major version of HTTP than 1: answered with 505.
        case unsupportedVersion
        /// A request on a connection beyond the limit of connections: answered with 503.
        case tooManyConnections
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

    /// The status that answers a refused request; 500 for errors that no request causes.
    public var status: HTTPStatus {
        switch code {
        case .badRequest: .badRequest
        case .bodyTooLarge: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .unknownTransferCoding: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        case .tooManyConnections: .serviceUnavailable
        case .badAddress, .addressTaken, .addressForbidden, .badConfiguration, .startFailed: .internalServerError
        }
    }
}
