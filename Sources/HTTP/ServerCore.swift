import Glibc
import Synchronization

/// What the threads of a server share.
final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let handler: HTTPServer.Handler
    let refusal: HTTPServer.Refusal
    private let connectionCount = Atomic(0)
    private let countsByAddress = Mutex<[[UInt8]: Int]>([:])
    /// When the last response must have been sent; `.max` while the server is not stopping.
    private let stopMoment = Atomic(UInt64.max)

    init(
        configuration: HTTPServer.Configuration, refusal: @escaping HTTPServer.Refusal,
        handler: @escaping HTTPServer.Handler
    ) {
        self.configuration = configuration
        self.refusal = refusal
        self.handler = handler
    }

    /// Nanoseconds of the monotonic clock.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The moment after a duration from now.
    static func moment(after duration: Duration) -> UInt64 { now + duration.nanoseconds }

    /// From now on, every response ends its connection.
    func announceStop(grace: Duration) {
        stopMoment.store(Self.moment(after: grace), ordering: .relaxed)
    }

    /// When the last response must have been sent; nil while the server is not stopping.
    var stopDeadline: UInt64? {
        let moment = stopMoment.load(ordering: .relaxed)
        return moment == .max ? nil : moment
    }

    /// Counts a connection that has been accepted.
    ///
    /// - Parameter address: the client's, if connections are counted by address.
    /// - Returns: nil if its address has too many, else whether there are too many in all.
    func opened(from address: [UInt8]?) -> Bool? {
        if let address {
            let isAllowed = countsByAddress.withLock { counts in
                guard counts[address, default: 0] < configuration.connectionLimitPerAddress else { return false }
                counts[address, default: 0] += 1
                return true
            }
            guard isAllowed else { return nil }
        }
        return connectionCount.add(1, ordering: .relaxed).newValue > configuration.connectionLimit
    }

    /// Counts a connection as closed.
    func closed(from address: [UInt8]?) {
        connectionCount.subtract(1, ordering: .relaxed)
        guard let address else { return }
        countsByAddress.withLock { counts in
            let count = counts[address, default: 1] - 1
            counts[address] = count == 0 ? nil : count
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
