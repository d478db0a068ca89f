/// A server as it describes itself; what it does not tell this user is nil.
public struct RedisServer: Sendable, Equatable {
    /// Whether it is a replica, to which nobody can write, and which may be behind.
    public var isReplica: Bool?
    /// The version, such as `7.0.15`.
    public var version: String?
    /// Whether it is a part of a cluster.
    public var isCluster: Bool?

    /// A server of which nothing is known.
    public init() {}

    /// Reads the answer to a question.
    init(_ reply: RedisReply, to question: Question) {
        guard case .array(let values) = reply else { return }
        switch question {
        case .hello:
            for place in stride(from: 0, to: values.count - 1, by: 2) {
                let value = values[place + 1].text
                switch values[place].text {
                case "role": isReplica = Self.isReplica(value)
                case "version": version = value
                case "mode": isCluster = value == "cluster"
                default: break
                }
            }
        case .role: isReplica = Self.isReplica(values.first?.text)
        }
    }

    /// Whether a role is that of a replica; nil for a role that says nothing, as a Sentinel's.
    private static func isReplica(_ role: String?) -> Bool? {
        switch role {
        case "replica", "slave": true
        case "master": false
        default: nil
        }
    }

    /// The questions that tell what a server is, the better one first.
    enum Question: CaseIterable {
        /// Every user may ask it, of Redis 6.2 or later.
        case hello
        /// Needs a right of its own.
        case role

        var command: RedisCommand {
            switch self {
            case .hello: RedisCommand("HELLO")
            case .role: RedisCommand("ROLE")
            }
        }
    }
}

extension RedisConnection {
    /// How old the knowledge of the server may be when a command is sent.
    static let serverLifetime = Duration.seconds(1)

    /// Asks the server what it is, when a connection opens.
    ///
    /// - Throws: `RedisError.replica` if it is one, unless the connection accepts it.
    mutating func identifyServer() throws(RedisError) {
        var refusal: RedisError?
        for question in RedisServer.Question.allCases {
            do throws(RedisError) {
                try send(question.command)
                let answer = try receive().value
                (state.question, state.server) = (question, RedisServer(answer, to: question))
                break
            } catch {
                // A server or a user without this question. Without a login there is nothing else to ask; and a server
                // that has too many connections says so and hangs up.
                guard error.leavesConnectionUsable, error.code != .refused("NOAUTH") else { throw refusal ?? error }
                refusal = error
            }
        }
        state.asked = .now
        try refuseReplica()
    }

    /// Sends the question what the server is, if the last answer is old.
    ///
    /// - Returns: whether it was sent: then the next reply is for `takeAnswer`.
    mutating func askAgain() throws(RedisError) -> Bool {
        guard let question = state.question, state.asked.duration(to: .now) >= Self.serverLifetime else { return false }
        try send(question.command)
        return true
    }

    /// Receives the answer to `askAgain`.
    ///
    /// - Throws: `RedisError.replica` if the server has become one, unless the connection accepts it.
    mutating func takeAnswer() throws(RedisError) {
        guard let question = state.question else { return }
        do throws(RedisError) {
            state.server = RedisServer(try receive().value, to: question)
        } catch {
            guard error.leavesConnectionUsable else { throw error }
            (state.question, state.server) = (nil, RedisServer())
        }
        state.asked = .now
        try refuseReplica()
    }

    private mutating func refuseReplica() throws(RedisError) {
        if server.isReplica == true, !state.acceptsReplica { throw demoted() }
    }

    /// The error of a server that is a replica; the connection cannot be used after it.
    mutating func demoted() -> RedisError {
        let error = RedisError(.replica, "\(state.peer) is a replica, to which nobody can write, and may be behind")
        state.failure = error
        return error
    }
}
