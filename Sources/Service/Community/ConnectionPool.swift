import Synchronization

/// Connections for reading, as many as there are readers at a time.
final class ConnectionPool<Reader, Failure: Error>: Sendable {
    /// A connection that belongs to whoever has taken it from the pool.
    private struct Connection: @unchecked Sendable {
        let reader: Reader
    }

    private let open: @Sendable () throws(Failure) -> Reader
    // Never more than there are requests under way at a time, that is, threads of the server and the batch thread.
    private let idle: Mutex<[Connection]>

    /// A pool with one connection, so that a failure to open one is found at once.
    init(_ open: @escaping @Sendable () throws(Failure) -> Reader) throws(Failure) {
        self.open = open
        idle = Mutex([Connection(reader: try open())])
    }

    /// Runs `body` with a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (Reader) throws(Failure) -> Result) throws(Failure) -> Result {
        let connection = if let kept = idle.withLock({ $0.popLast() }) { kept } else { Connection(reader: try open()) }
        // A connection that failed is dropped: the next one is opened anew.
        let result = try body(connection.reader)
        idle.withLock { $0.append(connection) }
        return result
    }
}
