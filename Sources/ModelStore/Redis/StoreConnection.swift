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
    init(to store: RedisStore, replyTimeout: Duration = .seconds(30)) throws(Failure) {
        let address = store.address
        do throws(RedisError) {
            redis = try store.silence.asking(replyTimeout) { () throws(RedisError) in
                try RedisConnection(to: address, replyTimeout: replyTimeout)
            }
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
    private let silence: ServerSilence
    private let connection = Mutex<RedisConnection?>(nil)

    /// Creates a link, which connects when it is first used.
    ///
    /// - Parameter timeout: the longest wait for a connection, and for each reply.
    init(to address: RedisAddress, timeout: Duration, _ silence: ServerSilence = ServerSilence()) {
        self.address = address
        self.timeout = timeout
        self.silence = silence
    }

    /// Sends an idempotent command.
    ///
    /// If the kept connection broke or leads to a replica, the command is sent again over a new connection.
    func ask(_ command: RedisCommand) throws(Failure) -> RedisReply {
        do throws(RedisError) {
            // Nobody who waits for the connection waits once more for the server.
            try silence.check()
            return try connection.withLock { connection throws(RedisError) in
                try silence.asking(timeout) { () throws(RedisError) in try ask(command, over: &connection) }
            }
        } catch {
            throw Failure(error, at: address)
        }
    }

    private func ask(_ command: RedisCommand, over connection: inout RedisConnection?) throws(RedisError)
        -> RedisReply
    {
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
}

/// The silence of a server that did not answer in time, for all who ask it.
///
/// One of them asks again after a pause. The others fail at once, so that an answer with many questions waits once.
final class ServerSilence: Sendable {
    /// The time for which nobody asks a silent server.
    private static let pause = Duration.seconds(1)

    /// The error of who asked last, and the end of the time in which nobody else asks.
    private let last = Mutex<(error: RedisError, end: ContinuousClock.Instant)?>(nil)

    /// Throws the last error if the server is silent.
    func check() throws(RedisError) {
        if let last = last.withLock({ $0 }), .now < last.end { throw last.error }
    }

    /// Asks the server, unless it is silent.
    ///
    /// - Parameter timeout: the longest wait; an error that comes much earlier is an answer.
    func asking<Reply: ~Copyable>(_ timeout: Duration, _ ask: () throws(RedisError) -> Reply) throws(RedisError)
        -> Reply
    {
        try check()
        let begin = ContinuousClock.now
        last.withLock { $0?.end = begin + timeout + Self.pause }
        do throws(RedisError) {
            let reply = try ask()
            last.withLock { $0 = nil }
            return reply
        } catch {
            let isSilent = ContinuousClock.now - begin >= min(timeout / 2, .seconds(1))
            last.withLock { $0 = isSilent ? (error, .now + Self.pause) : nil }
            throw error
        }
    }
}
