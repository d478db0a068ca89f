import Redis
import Synchronization

/// A connection for short questions, which is kept open between them; one question at a time.
final class RedisLink: Sendable {
    private let address: RedisAddress
    private let patience: Duration
    private let connection = Mutex<RedisConnection?>(nil)

    /// A link; connects when it is first used.
    ///
    /// - Parameter patience: the longest wait for a connection, and for an answer.
    init(to address: RedisAddress, patience: Duration) {
        self.address = address
        self.patience = patience
    }

    /// Asks over the connection that is kept; if that broke since, over a new one.
    func ask(_ command: RedisCommand) throws(StoreError) -> RedisReply {
        do throws(RedisError) {
            return try connection.withLock { connection throws(RedisError) in
                if var kept = connection.take() {
                    do throws(RedisError) {
                        let reply = try kept.command(command)
                        connection = consume kept
                        return reply
                    } catch {
                        if error.leavesConnectionUsable { connection = consume kept }
                        // The server may have been restarted since; all that is asked here may be asked twice.
                        guard error.code == .disconnected else { throw error }
                    }
                }
                var new = try RedisConnection(to: address, connectTimeout: patience, replyTimeout: patience)
                let reply = try new.command(command)
                connection = consume new
                return reply
            }
        } catch {
            throw StoreError(error, at: address)
        }
    }
}
