import Glibc
import Synchronization

/// A client's connection and how far its current request has come.
///
/// Only its worker's thread uses it.
final class Connection {
    enum Phase {
        /// A request is awaited, or has arrived in part.
        case receiving
        /// The response to a request of a method is made on another thread; nothing is read meanwhile.
        case answering(HTTPMethod, then: Continuation)
        /// Part of a response is waiting until the client accepts more.
        case sending(keepsConnection: Bool)
        /// The last response has been sent, and no byte that comes now is read as a request.
        ///
        /// If the socket were closed at once, bytes on their way here would make the system reset the connection,
        /// and the client might never see the response (RFC 9112, section 9.6).
        case ending
    }

    let socket: Int32
    /// Tells it from other connections of its worker that had the same socket before.
    let number: UInt64
    /// The address of the client, if connections are counted by address.
    let address: [UInt8]?
    /// Whether too many connections were open when it was opened, and none of them was idle.
    let isSurplus: Bool
    var phase = Phase.receiving
    var reader: RequestReader
    /// The part of the response that has not been sent.
    var unsent: ArraySlice<UInt8> = []
    /// When the connection is closed unless something happens first, in nanoseconds of the monotonic clock.
    var deadline: UInt64
    /// Whether no byte of a request has come since the last response.
    var isIdle = false
    /// When it was opened, or its last response was sent, in nanoseconds of the monotonic clock.
    var idleSince: UInt64
    /// Whether bytes beyond the last request have been received, and may be the next request.
    var hasUnreadBytes = false

    init(
        socket: Int32, number: UInt64, address: [UInt8]?, isSurplus: Bool, reader: RequestReader, deadline: UInt64
    ) {
        self.socket = socket
        self.number = number
        self.address = address
        self.isSurplus = isSurplus
        self.reader = reader
        self.deadline = deadline
        idleSince = ServerCore.now
    }

    /// Whether no byte of the next request has been read.
    var awaitsRequest: Bool {
        guard case .receiving = phase else { return false }
        return !hasUnreadBytes && reader.isBetweenRequests
    }

    /// Whether bytes have come that were not received yet.
    var hasUnreceivedBytes: Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}

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
