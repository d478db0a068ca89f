import Basics
import Glibc
import Synchronization

/// A client's connection and the progress of its current request.
///
/// Only its worker's thread uses it.
final class Connection {
    enum Phase {
        /// The server awaits a request, or has received part of one.
        case receiving
        /// Another thread makes the response to a request with this method; nothing is read meanwhile.
        case answering(HTTPMethod, then: Continuation)
        /// A part of a response waits until the client accepts more.
        case sending(keepsConnection: Bool)
        /// The last response has been sent, and later bytes are not read as a request.
        ///
        /// If the socket were closed at once, bytes still in flight would make the system reset the connection. The
        /// client might then never see the response (RFC 9112, section 9.6).
        case ending
    }

    let socket: Int32
    /// A number that distinguishes it from earlier connections of its worker with the same socket.
    let number: UInt64
    /// The client's address, or nil if connections are not counted by address.
    let address: [UInt8]?
    /// Whether it was opened while too many connections were open and none of them was idle.
    let isSurplus: Bool
    var phase = Phase.receiving
    var reader: RequestReader
    /// The response of which a part has not been sent.
    var unsent: WrittenResponse?
    /// The time at which the connection is closed unless something happens first, in nanoseconds of the monotonic
    /// clock.
    var deadline: UInt64
    /// Whether no byte of a request has arrived since the last response.
    var isIdle = false
    /// The time at which it was opened or its last response was sent, in nanoseconds of the monotonic clock.
    var idleSince: UInt64
    /// Whether bytes beyond the last request have been received, which may be the next request.
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
        idleSince = SystemClock.uptimeNanoseconds
    }

    /// Whether no byte of the next request has been read.
    var awaitsRequest: Bool {
        guard case .receiving = phase else { return false }
        return !hasUnreadBytes && reader.isBetweenRequests
    }

    /// Whether the socket has bytes that have not been received yet.
    var hasUnreceivedBytes: Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }
}

/// The state that the threads of a server share.
final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let handler: HTTPServer.Handler
    let refusal: HTTPServer.Refusal
    private let connectionCount = Atomic(0)
    private let countsByAddress = Mutex<[[UInt8]: Int]>([:])
    /// The time by which the last response must have been sent; `.max` while the server is not stopping.
    private let stopMoment = Atomic(UInt64.max)
    private let isLeaving = Atomic(false)

    init(
        configuration: HTTPServer.Configuration, refusal: @escaping HTTPServer.Refusal,
        handler: @escaping HTTPServer.Handler
    ) {
        self.configuration = configuration
        self.refusal = refusal
        self.handler = handler
    }

    /// Returns the time after a duration from now, in nanoseconds of the monotonic clock.
    static func moment(after duration: Duration) -> UInt64 { SystemClock.uptimeNanoseconds + duration.nanoseconds }

    /// Makes every response from now on end its connection, while new connections are accepted.
    func announceLeave() { isLeaving.store(true, ordering: .relaxed) }

    /// Makes every response from now on end its connection.
    func announceStop(grace: Duration) {
        announceLeave()
        stopMoment.store(Self.moment(after: grace), ordering: .relaxed)
    }

    /// Whether every response ends its connection.
    var endsConnections: Bool { isLeaving.load(ordering: .relaxed) }

    /// The time by which the last response must have been sent, or nil while the server is not stopping.
    var stopDeadline: UInt64? {
        let moment = stopMoment.load(ordering: .relaxed)
        return moment == .max ? nil : moment
    }

    /// Counts a connection that has been accepted.
    ///
    /// - Parameter address: the client's address, or nil if connections are not counted by address.
    /// - Returns: nil if the address has too many connections; otherwise whether there are too many in total.
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
