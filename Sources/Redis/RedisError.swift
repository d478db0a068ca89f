/// A failure of a Redis server, or of the connection to it.
public struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The text is not the address of a server.
        case badAddress
        /// No connection could be opened.
        case unreachable
        /// The server did not answer in time; the connection cannot be used any more.
        case timedOut
        /// The connection broke; it cannot be used any more.
        case disconnected
        /// The reply is not of a type that answers the command.
        case unexpectedReply
        /// The server refused a command; the value is the first word of its message, such as `OOM` or `NOAUTH`.
        case refused(String)
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

    /// Makes an error from a server's error reply: its first word, if in capitals, is the code.
    init(reply text: String) {
        let word = text.prefix { $0 != " " }
        let isCode = !word.isEmpty && word.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
        self.init(.refused(isCode ? String(word) : "ERR"), text)
    }

    /// Whether the connection can still be used.
    public var leavesConnectionUsable: Bool {
        switch code {
        case .refused, .unexpectedReply: true
        case .badAddress, .unreachable, .timedOut, .disconnected: false
        }
    }

    /// The message.
    public var description: String { message }
}
