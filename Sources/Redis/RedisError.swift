/// Why something did not work with a Redis server.
public struct RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Equatable {
        /// The text is no address of a server.
        case badAddress
        /// No connection could be made.
        case unreachable
        /// The server did not answer in time; the connection is of no use any more.
        case timedOut
        /// The connection broke; it is of no use any more.
        case disconnected
        /// The server answered something that is no answer to what was asked.
        case unexpectedReply
        /// The server refused a command; the first word of what it said, such as `OOM` or `NOAUTH`.
        case refused(String)
    }

    /// The kind.
    public let code: Code
    /// What happened, and where.
    public let message: String

    /// An error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What a server's error reply says: its first word, if it is in capitals, is the code.
    init(reply text: String) {
        let word = text.prefix { $0 != " " }
        let isCode = !word.isEmpty && word.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
        self.init(.refused(isCode ? String(word) : "ERR"), text)
    }

    /// Whether the connection can go on being used.
    public var leavesConnectionUsable: Bool {
        switch code {
        case .refused, .unexpectedReply: true
        case .badAddress, .unreachable, .timedOut, .disconnected: false
        }
    }

    /// The message.
    public var description: String { message }
}
