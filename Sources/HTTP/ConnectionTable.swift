import Dispatch
import Glibc
import Synchronization

/// The open connections, and the watch that cuts those whose deadline has passed.
///
/// The library's own timeout begins anew with every byte, so that a client that sends one a second is never
/// timed out: the deadlines here hold for a whole request.
final class ConnectionTable: Sendable {
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])
    private let queue = DispatchQueue(label: "http-deadlines")
    // Only cancelled after init, which may be done from any thread.
    private nonisolated(unsafe) let watch: any DispatchSourceTimer

    /// Looks for overdue connections at an interval.
    init(interval: Duration) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        unsafe watch = timer
        let nanoseconds = Int(clamping: interval.nanoseconds)
        timer.schedule(deadline: .now() + .nanoseconds(nanoseconds), repeating: .nanoseconds(nanoseconds))
        timer.setEventHandler { [weak self] in self?.cutOverdue(at: Self.now) }
        timer.activate()
    }

    deinit { unsafe watch.cancel() }

    /// Nanoseconds of the monotonic clock.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The moment so long from now.
    static func moment(after duration: Duration) -> UInt64 {
        now + duration.nanoseconds
    }

    /// - Returns: how many there are now.
    func insert(_ connection: Connection) -> Int {
        connections.withLock { connections in
            connections[ObjectIdentifier(connection)] = connection
            return connections.count
        }
    }

    /// To be called before the socket is closed: its number may then be given to another connection.
    func remove(_ connection: Connection) {
        connections.withLock { $0[ObjectIdentifier(connection)] = nil }
    }

    /// Ends the connections whose deadline is before `moment`; the library notices, and closes them.
    func cutOverdue(at moment: UInt64) {
        // Within the lock, so that no socket is closed, and its number reused, in between.
        connections.withLock { connections in
            for connection in connections.values where connection.deadline < moment {
                shutdown(connection.socket, Int32(SHUT_RDWR))
                connection.deadline = .max
            }
        }
    }
}

extension Duration {
    /// The duration in nanoseconds, 0 if it is negative.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
