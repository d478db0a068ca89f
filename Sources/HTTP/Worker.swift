import Basics
import CEpoll
import Glibc
import Synchronization

/// One thread of a server: accepts connections, reads requests, runs the handler and sends responses.
///
/// Everything except `wake` and `deliver` happens on that thread and therefore needs almost no locks.
final class Worker: @unchecked Sendable {
    /// The time that an ending connection waits for the client to close its side.
    private static let endingTimeout = Duration.seconds(2)
    /// The most connections that are accepted before other connections are served again.
    private static let acceptBatch = 8

    /// A response that was made on another thread.
    private struct Delivery {
        let socket: Int32
        let number: UInt64
        let response: HTTPResponse
    }

    let core: ServerCore
    let poller: Poller
    private let deliveries = Mutex<[Delivery]>([])
    private let listener: Int32
    /// The most connections of this worker.
    private let connectionLimit: Int
    /// The interval between checks of deadlines.
    private let interval: Duration

    var connections: [Int32: Connection] = [:]
    /// The connections with unread bytes, which are read after the next wait; other connections then get their turn.
    var waiting: [Connection] = []
    var writer = ResponseWriter()
    /// The buffer into which bytes are received.
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var isAccepting = false
    private(set) var isStopping = false
    private var nextCheck: UInt64 = 0
    private var acceptedCount: UInt64 = 0
    /// The moment before which no connection is accepted, after the system had no room for one.
    private var acceptingPausedUntil: UInt64 = 0

    /// Creates a worker; the listening socket must stay open until `run` has returned.
    init(core: ServerCore, listener: Int32, connectionLimit: Int) throws(Failure) {
        self.core = core
        self.listener = listener
        self.connectionLimit = connectionLimit
        let shortest = min(core.configuration.receiveTimeout, core.configuration.sendTimeout)
        interval = min(max(shortest / 4, .milliseconds(5)), .milliseconds(250))
        poller = try Poller()
    }

    /// Makes `run` notice that the server stops; may be called from any thread.
    func wake() { poller.wake() }

    /// Makes `run` send a response if the connection still exists; may be called from any thread.
    func deliver(_ response: HTTPResponse, toSocket socket: Int32, _ number: UInt64) {
        deliveries.withLock { $0.append(Delivery(socket: socket, number: number, response: response)) }
        wake()
    }

    /// Serves until the server has stopped and the last connection is closed.
    func run() {
        resumeAccepting()
        while !isStopping || !connections.isEmpty {
            for descriptor in poller.wait(milliseconds: waitMilliseconds) {
                if descriptor == listener {
                    acceptConnections()
                } else if let connection = connections[descriptor] {
                    advance(connection)
                }
            }
            sendDelivered()
            readWaiting()
            if !isStopping, let deadline = core.stopDeadline { beginStop(deadline: deadline) }
            checkDeadlines()
            resumeAccepting()
        }
    }

    private var waitMilliseconds: Int32 {
        if !waiting.isEmpty { return 0 }
        if connections.isEmpty && isAccepting { return -1 }
        return Int32(max(interval.nanoseconds / 1_000_000, 1))
    }

    private func sendDelivered() {
        let delivered = deliveries.withLock { deliveries in
            defer { deliveries = [] }
            return deliveries
        }
        for delivery in delivered {
            guard let connection = connections[delivery.socket], connection.number == delivery.number else { continue }
            sendDelivered(delivery.response, on: connection)
        }
    }

    private func readWaiting() {
        let connections = waiting
        waiting.removeAll(keepingCapacity: true)
        for connection in connections where self.connections[connection.socket] === connection {
            connection.hasUnreadBytes = false
            readRequest(on: connection)
        }
    }

    private func checkDeadlines() {
        let now = SystemClock.uptimeNanoseconds
        guard now >= nextCheck else { return }
        nextCheck = now + interval.nanoseconds
        for connection in connections.values.filter({ $0.deadline < now }) { close(connection) }
    }

    /// Answers the requests that have arrived, and closes all connections that await no response.
    private func beginStop(deadline: UInt64) {
        isStopping = true
        stopAccepting()
        for connection in connections.values.map(\.self) {
            if case .receiving = connection.phase, !connection.hasUnreadBytes { receive(on: connection) }
            guard connections[connection.socket] === connection else { continue }
            switch connection.phase {
            case .sending: connection.deadline = min(connection.deadline, deadline)
            case .answering: break
            case .receiving, .ending: close(connection)
            }
        }
    }

    // MARK: Accepting

    private func acceptConnections() {
        for _ in 0..<Self.acceptBatch {
            guard connections.count < connectionLimit else { return stopAccepting() }
            var storage = sockaddr_storage()
            let socket = unsafe shim_accept(listener, &storage)
            guard socket >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    // Whoever waits to be accepted gets the place of the longest idle connection. Without one, the next
                    // attempt waits for the next check: the listener stays readable, and this thread would spin.
                    if closeLongestIdle() { continue }
                    pauseAccepting()
                case EINVAL: stopAccepting()
                default: break
                }
                return
            }
            open(socket, from: storage)
        }
    }

    private func pauseAccepting() {
        acceptingPausedUntil = SystemClock.uptimeNanoseconds + interval.nanoseconds
        stopAccepting()
    }

    private func stopAccepting() {
        guard isAccepting else { return }
        isAccepting = false
        poller.remove(listener)
    }

    private func resumeAccepting() {
        guard !isAccepting, !isStopping, connections.count < connectionLimit,
            SystemClock.uptimeNanoseconds >= acceptingPausedUntil
        else { return }
        isAccepting = poller.add(listener: listener)
    }

    private func open(_ socket: Int32, from storage: sockaddr_storage) {
        let address = core.configuration.connectionLimitPerAddress == 0 ? nil : Self.address(in: storage)
        guard let isBeyondLimit = core.opened(from: address) else {
            Glibc.close(socket)
            return
        }
        let isSurplus = isBeyondLimit && !closeLongestIdle()
        // Each response is sent as a whole, and waiting for more data to send with it would only delay it.
        var yes: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        let configuration = core.configuration
        acceptedCount += 1
        let connection = Connection(
            socket: socket, number: acceptedCount, address: address, isSurplus: isSurplus,
            reader: RequestReader(
                headerLimitBytes: configuration.headerLimitBytes, bodyLimitBytes: configuration.bodyLimitBytes),
            deadline: ServerCore.moment(after: configuration.receiveTimeout))
        connections[socket] = connection
        if !poller.add(socket) { close(connection) }
    }

    /// Closes the connection that has waited longest for a request.
    ///
    /// A client with many connections therefore cannot shut others out.
    ///
    /// - Returns: false if no connection waits.
    private func closeLongestIdle() -> Bool {
        let waiting = connections.values.filter(\.awaitsRequest).sorted { $0.idleSince < $1.idleSince }
        guard let longest = waiting.first(where: { !$0.hasUnreceivedBytes }) else { return false }
        close(longest)
        return true
    }

    /// Returns the bytes of the client's address, without its port.
    private static func address(in storage: sockaddr_storage) -> [UInt8] {
        let range = storage.ss_family == sa_family_t(AF_INET6) ? 8..<24 : 4..<8
        return unsafe withUnsafeBytes(of: storage) { unsafe Array($0[range]) }
    }

    func close(_ connection: Connection) {
        connections[connection.socket] = nil
        core.closed(from: connection.address)
        Glibc.close(connection.socket)
    }

    // MARK: Ending

    /// Sends no more, and waits until the client has closed its side too.
    func end(_ connection: Connection) {
        shutdown(connection.socket, Int32(SHUT_WR))
        guard !isStopping else { return close(connection) }
        connection.phase = .ending
        connection.deadline = ServerCore.moment(after: Self.endingTimeout)
    }
}

extension Worker {
    /// Handles an event on a connection: it can be read or written, or has ended.
    func advance(_ connection: Connection) {
        switch connection.phase {
        case .receiving:
            if !connection.hasUnreadBytes { receive(on: connection) }
        case .answering: close(connection)
        case .sending(let keepsConnection): sendRest(on: connection, keepsConnection: keepsConnection)
        case .ending:
            if receivedCount(on: connection) == 0 { close(connection) }
        }
    }

    func receive(on connection: Connection) {
        guard let count = receivedCount(on: connection) else { return }
        guard count > 0 else { return close(connection) }
        if connection.isIdle {
            connection.isIdle = false
            connection.deadline = ServerCore.moment(after: core.configuration.receiveTimeout)
        }
        connection.reader.append(buffer[..<count])
        readRequest(on: connection)
    }

    /// Receives bytes into `buffer`.
    ///
    /// - Returns: the number of bytes, 0 if the connection has ended, or nil if there is nothing to receive yet.
    private func receivedCount(on connection: Connection) -> Int? {
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(connection.socket, bytes.baseAddress, bytes.count, 0)
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return nil }
        return max(count, 0)
    }

    /// Answers the next request, if it is complete.
    func readRequest(on connection: Connection) {
        do throws(HTTPError) {
            let step = try connection.reader.next()
            if case .incomplete = step { return }
            guard !connection.isSurplus else {
                let limit = core.configuration.connectionLimit
                throw HTTPError(.serviceUnavailable, "\(limit) connections are open already")
            }
            switch step {
            case .incomplete: break
            case .expectsContinue:
                var interim = WrittenResponse(head: Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), body: [])
                if !send(&interim, on: connection) || !interim.isSent { close(connection) }
            case .complete(let request, let continuation):
                switch core.handler(request) {
                case .now(let response): send(response, to: request.method, then: continuation, on: connection)
                case .later(let response): hold(connection, for: response, to: request.method, then: continuation)
                }
            }
        } catch {
            let method = connection.reader.isHead ? HTTPMethod.head : nil
            send(core.refusal(error), to: method, then: .close, on: connection)
        }
    }

    /// Leaves a connection alone until its response has been made on another thread.
    private func hold(
        _ connection: Connection, for response: LaterResponse, to method: HTTPMethod, then continuation: Continuation
    ) {
        connection.phase = .answering(method, then: continuation)
        connection.deadline = .max
        poller.change(connection.socket, to: .end)
        let (socket, number) = (connection.socket, connection.number)
        response.whenFinished { [self] in deliver($0, toSocket: socket, number) }
    }

    /// Sends a response that was made on another thread.
    func sendDelivered(_ response: HTTPResponse, on connection: Connection) {
        guard case .answering(let method, let continuation) = connection.phase else { return }
        poller.change(connection.socket, to: .reading)
        send(response, to: method, then: continuation, on: connection)
    }

    private func send(
        _ response: HTTPResponse, to method: HTTPMethod?, then continuation: Continuation,
        on connection: Connection
    ) {
        // The server may have begun to stop since the request arrived.
        let continuation = core.endsConnections ? .close : continuation
        var written = writer.write(response, to: method, then: continuation)
        let keepsConnection = continuation != .close
        guard send(&written, on: connection) else { return close(connection) }
        guard !written.isSent else { return responded(on: connection, keepsConnection: keepsConnection) }
        connection.unsent = written
        connection.phase = .sending(keepsConnection: keepsConnection)
        connection.deadline = min(
            ServerCore.moment(after: core.configuration.sendTimeout), core.stopDeadline ?? .max)
        poller.change(connection.socket, to: .writing)
    }

    private func sendRest(on connection: Connection, keepsConnection: Bool) {
        guard var unsent = connection.unsent, send(&unsent, on: connection) else { return close(connection) }
        connection.unsent = unsent.isSent ? nil : unsent
        guard unsent.isSent else { return }
        poller.change(connection.socket, to: .reading)
        responded(on: connection, keepsConnection: keepsConnection)
    }

    /// Sends what the system accepts of a response without waiting.
    ///
    /// - Returns: false if the connection has ended.
    private func send(_ response: inout WrittenResponse, on connection: Connection) -> Bool {
        let count = unsafe response.withUnsent { head, body in
            unsafe shim_send(connection.socket, head.baseAddress, head.count, body.baseAddress, body.count)
        }
        guard count >= 0 else { return errno == EAGAIN || errno == EINTR }
        response.sentCount += count
        return true
    }

    /// Prepares a connection for its next request after a response, or ends it.
    private func responded(on connection: Connection, keepsConnection: Bool) {
        guard keepsConnection, !isStopping else { return end(connection) }
        connection.phase = .receiving
        connection.isIdle = connection.reader.isBetweenRequests
        connection.hasUnreadBytes = !connection.isIdle
        if connection.hasUnreadBytes { waiting.append(connection) }
        let timeout: Duration =
            connection.isIdle ? .seconds(core.configuration.idleTimeoutSeconds) : core.configuration.receiveTimeout
        connection.idleSince = SystemClock.uptimeNanoseconds
        connection.deadline = connection.idleSince + timeout.nanoseconds
    }
}
