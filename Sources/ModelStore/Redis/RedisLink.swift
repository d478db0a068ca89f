import Redis
import Synchronization

/// A connection for short questions that is kept between them, and made anew when it broke.
final class RedisLink: Sendable {
    private let address: RedisAddress
    private let timeout: Duration
    private let connection = Mutex<RedisConnection?>(nil)

    /// - Parameter timeout: the longest wait for a connection, and for each answer.
    init(to address: RedisAddress, timeout: Duration) {
        self.address = address
        self.timeout = timeout
    }

    /// Asks something that may be asked twice.
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
                        // The server may have been restarted since.
                        guard error.code == .disconnected else { throw error }
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
