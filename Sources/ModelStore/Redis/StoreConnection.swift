import Basics
import Redis
import Synchronization

/// A connection to Redis that throws errors of a store.
struct StoreConnection: ~Copyable {
    private var redis: RedisConnection

    /// Connects and logs in.
    ///
    /// - Parameter replyTimeout: the longest wait for the server to accept or send any bytes.
    /// - Throws: `Failure.replica` if the server is a replica.
    init(to address: RedisAddress, replyTimeout: Duration = .seconds(30)) throws(Failure) {
        do throws(RedisError) {
            redis = try RedisConnection(to: address, replyTimeout: replyTimeout)
        } catch {
            throw Failure(error, at: address)
        }
    }

    /// Sends a command of text and waits for the reply.
    mutating func ask(_ words: String...) throws(Failure) -> RedisReply {
        var command = RedisCommand()
        for word in words { command.append(word) }
        return try ask(command)
    }

    /// Sends a command and waits for the reply.
    mutating func ask(_ command: RedisCommand) throws(Failure) -> RedisReply {
        do throws(RedisError) {
            return try redis.command(command)
        } catch {
            throw Failure(error, at: redis.address)
        }
    }

    /// Sends one of many commands; see `RedisConnection.pipeline`.
    mutating func push(
        _ command: RedisCommand, window: Int, _ take: (borrowing ReceivedReply) throws(Failure) -> Void
    ) throws(Failure) {
        let address = redis.address
        try redis.pipeline(command, window: window, adapt: { Failure($0, at: address) }, take)
    }

    /// Receives all outstanding replies.
    mutating func finish(_ take: (borrowing ReceivedReply) throws(Failure) -> Void) throws(Failure) {
        let address = redis.address
        try redis.finishPipeline(adapt: { Failure($0, at: address) }, take)
    }
}

extension RedisCommand {
    /// The beginning of a script that runs although the server's memory is full, from Redis 7 on.
    static let evenIfFull = "#!lua flags=allow-oom\n"
}

extension Failure {
    /// Whether a server refused something because its memory is full.
    var isOfFullServer: Bool { (cause as? RedisError)?.code == .refused("OOM") }
}

/// A connection for short commands, which is kept between commands and replaced when it breaks.
final class RedisLink: Sendable {
    private let address: RedisAddress
    private let timeout: Duration
    private let connection = Mutex<RedisConnection?>(nil)

    /// Creates a link, which connects when it is first used.
    ///
    /// - Parameter timeout: the longest wait for a connection, and for each reply.
    init(to address: RedisAddress, timeout: Duration) {
        self.address = address
        self.timeout = timeout
    }

    /// Sends an idempotent command.
    ///
    /// If the kept connection broke or leads to a replica, the command is sent again over a new connection.
    func ask(_ command: RedisCommand) throws(Failure) -> RedisReply {
        do throws(RedisError) {
            return try connection.withLock { connection throws(RedisError) in
                if var kept = connection.take() {
                    do throws(RedisError) {
                        let reply = try kept.command(command)
                        connection = consume kept
                        return reply
                    } catch {
                        // The server may have been restarted, or another server promoted, or the login withdrawn.
                        guard [.disconnected, .replica, .refused("NOAUTH")].contains(error.code) else {
                            if error.leavesConnectionUsable { connection = consume kept }
                            throw error
                        }
                    }
                }
                var new = try RedisConnection(to: address, connectTimeout: timeout, replyTimeout: timeout)
                let reply = try new.command(command)
                connection = consume new
                return reply
            }
        } catch {
            throw Failure(error, at: address)
        }
    }
}
