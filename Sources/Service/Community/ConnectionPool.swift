import Synchronization

/// Connections for reading, as many as there are readers at a time.
final class ConnectionPool<Reader, Failure: Error>: Sendable {
    /// A connection that belongs to whoever has taken it from the pool.
    private struct Connection: @unchecked Sendable {
        let reader: Reader
        let generation: Int
    }

    private struct Pool {
        // Never more than there are requests under way at a time, that is, threads that make answers.
        var idle: [Connection]
        var generation = 0
    }

    private let open: @Sendable () throws(Failure) -> Reader
    private let pool: Mutex<Pool>

    /// A pool with one connection, so that a failure to open one is found at once.
    init(_ open: @escaping @Sendable () throws(Failure) -> Reader) throws(Failure) {
        self.open = open
        pool = Mutex(Pool(idle: [Connection(reader: try open(), generation: 0)]))
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (Reader) throws(Failure) -> Result) throws(Failure) -> Result {
        let (kept, generation) = pool.withLock { ($0.idle.popLast(), $0.generation) }
        let connection = if let kept { kept } else { Connection(reader: try open(), generation: generation) }
        // A connection that failed is dropped: the next one is opened anew.
        let result = try body(connection.reader)
        pool.withLock { if $0.generation == connection.generation { $0.idle.append(connection) } }
        return result
    }

    /// Makes all reads from now on use connections that are opened from now on.
    func renew() {
        // Those that are idle are closed after the lock is released.
        _ = pool.withLock { pool in
            defer { pool = Pool(idle: [], generation: pool.generation + 1) }
            return pool.idle
        }
    }
}
