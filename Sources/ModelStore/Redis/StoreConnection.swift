import Redis
import Synchronization

/// A connection to Redis that throws errors of a store.
struct StoreConnection: ~Copyable {
    private var redis: RedisConnection

    /// Connects and logs in.
    ///
    /// - Parameter replyTimeout: the longest wait for the server to accept or send any bytes.
    /// - Throws: `StoreError.replica` if the server is a replica.
    init(to address: RedisAddress, replyTimeout: Duration = .seconds(30)) throws(StoreError) {
        do throws(RedisError) {
            redis = try RedisConnection(to: address, replyTimeout: replyTimeout)
        } catch {
            throw StoreError(error, at: address)
        }
    }

    /// Sends a command of text and waits for the reply.
    mutating func ask(_ words: String...) throws(StoreError) -> RedisReply {
        var command = RedisCommand()
        for word in words { command.append(word) }
        return try ask(command)
    }

    /// Sends a command and waits for the reply.
    mutating func ask(_ command: RedisCommand) throws(StoreError) -> RedisReply {
        do throws(RedisError) {
            return try redis.command(command)
        } catch {
            throw StoreError(error, at: redis.address)
        }
    }

    /// Sends one of many commands; see `RedisConnection.pipeline`.
    mutating func push(
        _ command: RedisCommand, window: Int, _ take: (borrowing ReceivedReply) throws(StoreError) -> Void
    ) throws(StoreError) {
        let address = redis.address
        try redis.pipeline(command, window: window, adapt: { StoreError($0, at: address) }, take)
    }

    /// Receives all outstanding replies.
    mutating func finish(_ take: (borrowing ReceivedReply) throws(StoreError) -> Void) throws(StoreError) {
        let address = redis.address
        try redis.finishPipeline(adapt: { StoreError($0, at: address) }, take)
    }
}

extension StoreError {
    /// Converts an error of a connection to an error of a store, with advice.
    init(_ error: RedisError, at address: RedisAddress) {
        let (code, advice) = Self.meaning(of: error.code)
        let place = if case .refused = error.code { "\(address) refuses: " } else { "" }
        self.init(code, place + error.message + advice)
    }

    /// Returns the kind of a store's error for that of a connection, and the advice.
    static func meaning(of code: RedisError.Code) -> (code: Code, advice: String) {
        switch code {
        case .badAddress: (.badLocation, "")
        case .unreachable: (.unavailable, "; is the server running, and is this its address?")
        case .replica: (.replica, "; give the address of the primary, or try again when this server is promoted")
        case .timedOut, .disconnected: (.unavailable, "; trying again may help")
        case .refused(let word): meaning(ofRefusal: word)
        }
    }

    private static func meaning(ofRefusal word: String) -> (Code, String) {
        switch word {
        case "OOM": (.writeFailed, "; raise the server's maxmemory, or prune old versions, and publish again")
        case "LOADING": (.unavailable, "; the server is reading its data from disk: try again when it is done")
        case "MISCONF": (.writeFailed, "; the server cannot save to its disk: see its log")
        case "NOAUTH": (.notPermitted, "; give a password: redis://:password@host, or redis://user:password@host")
        case "WRONGPASS": (.notPermitted, "; check the user and the password")
        case "NOPERM": (.notPermitted, "; \"Several daemons\" has the rights that a user of the server needs")
        case "WRONGTYPE": (.corrupt, "; another program uses a key of this name: choose another prefix or database")
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
            (
                .badLocation,
                "; this is a Redis Cluster: a store needs one server, with replicas and Sentinels if you like"
            )
        case PublisherLease.lostWord: (.busy, "; publish again")
        case "BUSY", "TRYAGAIN", "MASTERDOWN": (.unavailable, "; try again later")
        default: (.unavailable, "")
        }
    }
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
    func ask(_ command: RedisCommand) throws(StoreError) -> RedisReply {
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
            throw StoreError(error, at: address)
        }
    }
}
