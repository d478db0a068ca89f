/// A Redis server's description of itself; a value is `nil` if the server does not tell this user.
package struct RedisServer: Sendable, Equatable {
    /// Whether the server is a replica, which accepts no writes and may have old data.
    package var isReplica: Bool?
    /// The version, such as `7.0.15`.
    package var version: String?
    package var isCluster: Bool?

    package init() {}

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

    /// Whether a role is that of a replica, or `nil` for another role, such as a Sentinel's.
    private static func isReplica(_ role: String?) -> Bool? {
        switch role {
        case "replica", "slave": true
        case "master": false
        default: nil
        }
    }

    /// The commands that describe a server, the better one first.
    enum Question: CaseIterable {
        /// `HELLO`, which every user may send to Redis 6.2 or later.
        case hello
        /// `ROLE`, which needs a permission of its own.
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
    /// The age at which the description of the server is asked for again, together with a command.
    static let serverLifetime = Duration.seconds(1)

    /// Asks the server to describe itself, when a connection opens.
    ///
    /// - Throws: `RedisError.replica` if the server is a replica, unless the connection accepts replicas.
    mutating func identifyServer() throws(RedisError) {
        var refusal: RedisError?
        for question in RedisServer.Question.allCases {
            do throws(RedisError) {
                try send(question.command)
                let answer = try receive().value
                (state.question, state.server) = (question, RedisServer(answer, to: question))
                break
            } catch {
                // This server or user lacks the command. Without a login, no other command helps. A server with too
                // many connections says so and hangs up.
                guard error.leavesConnectionUsable, error.code != .refused("NOAUTH") else { throw refusal ?? error }
                refusal = error
            }
        }
        state.asked = .now
        try refuseReplica()
    }

    /// Sends the question again if the last answer is old.
    ///
    /// - Returns: whether it was sent. Then `takeAnswer` must receive the next reply.
    mutating func askAgain() throws(RedisError) -> Bool {
        guard let question = state.question, state.asked.duration(to: .now) >= Self.serverLifetime else { return false }
        try send(question.command)
        return true
    }

    /// Receives the answer to `askAgain`.
    ///
    /// - Throws: `RedisError.replica` if the server became a replica, unless the connection accepts replicas.
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

    /// Returns the error for a replica, and makes the connection unusable.
    mutating func demoted() -> RedisError {
        let error = RedisError(.replica, "\(state.peer) is a replica, to which nobody can write, and may be behind")
        state.failure = error
        return error
    }
}
