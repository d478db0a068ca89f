import Basics

/// A pool of connections for reading, one for each concurrent reader.
final class ConnectionPool<Reader, Failure: Error>: Sendable {
    /// A connection that only its borrower uses.
    private struct Connection {
        let reader: Reader
        let generation: Int
    }

    private struct Pool {
        // The pool never has more connections than concurrent requests, that is, threads that make answers.
        var idle: [Connection]
        var generation = 0
    }

    private let open: @Sendable () throws(Failure) -> Reader
    private let pool: Locked<Pool>

    /// Creates a pool with one connection, so that a failure to open one is found at once.
    init(_ open: @escaping @Sendable () throws(Failure) -> Reader) throws(Failure) {
        self.open = open
        pool = Locked(Pool(idle: [Connection(reader: try open(), generation: 0)]))
    }

    /// Runs `body` with a connection that no other thread uses meanwhile.
    func read<Result>(_ body: (Reader) throws(Failure) -> Result) throws(Failure) -> Result {
        let (kept, generation) = pool.withLock { ($0.idle.popLast(), $0.generation) }
        let connection = if let kept { kept } else { Connection(reader: try open(), generation: generation) }
        // If `body` throws, its connection is dropped, and the next read opens a new one.
        let result = try body(connection.reader)
        pool.withLock { if $0.generation == connection.generation { $0.idle.append(connection) } }
        return result
    }

    /// Makes all later reads use connections that are opened from now on.
    func renew() {
        // The idle connections are closed after the lock is released.
        _ = pool.withLock { pool in
            defer { pool = Pool(idle: [], generation: pool.generation + 1) }
            return pool.idle
        }
    }
}
