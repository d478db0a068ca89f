package import Basics
import Glibc
import Synchronization

/// An HTTP/1.1 server that runs from `init` until `stop`, with threads that wait for connections with epoll.
///
/// Connections are kept alive, and requests may be pipelined. Requests are read strictly by RFC 9112. After a request
/// that breaks its grammar, no later bytes are read as another request.
package final class HTTPServer: Sendable {
    /// A closure that answers a request; it is called on the server's threads, several at a time.
    ///
    /// A handler must return soon, because other connections of the same thread wait meanwhile. Work that takes long is
    /// answered with `HTTPReply.later`. `stop` waits for handlers and for later responses.
    package typealias Handler = @Sendable (HTTPRequest) -> HTTPReply

    /// A closure that answers a request refused before it reaches the handler.
    ///
    /// `HTTPError.status` is the status for the response. The connection ends afterwards.
    package typealias Refusal = @Sendable (HTTPError) -> HTTPResponse

    /// The address at which the server listens.
    package let address: String
    /// The port at which the server listens.
    package let port: UInt16
    /// The connections that are served at a time; fewer than configured if the limit on open files is too low.
    package let connectionLimit: Int

    private let core: ServerCore
    private let running: Mutex<Running?>

    /// The parts of a server that has not been stopped.
    private struct Running: ~Copyable {
        let workers: [Worker]
        let threads: [WorkThread]
        let listener: ListeningSocket
    }

    /// Starts to listen and to answer requests.
    ///
    /// - Parameters:
    ///   - refusal: the answer to refused requests, by default a line of text.
    ///   - handler: the answer to all other requests.
    /// - Throws: `Failure.general` if a limit is out of bounds, or if the address is taken, forbidden or not of this
    ///   machine.
    package init(
        _ configuration: Configuration = Configuration(), refusal: @escaping Refusal = HTTPServer.plainRefusal,
        handler: @escaping Handler
    ) throws(Failure) {
        try configuration.validate()
        let configuration = configuration.fitting(
            DescriptorLimit.raised(to: configuration.mostConnections + DescriptorLimit.reserve))
        connectionLimit = configuration.connectionLimit
        let listener = try ListeningSocket(address: configuration.address, port: configuration.port)
        address = configuration.address
        port = listener.port
        core = ServerCore(configuration: configuration, refusal: refusal, handler: handler)
        let limit = configuration.mostConnections
        var workers: [Worker] = []
        for number in 0..<configuration.threadCount {
            // The limits of all workers add up to the limit of the server.
            let share = limit / configuration.threadCount + (number < limit % configuration.threadCount ? 1 : 0)
            workers.append(try Worker(core: core, listener: listener.descriptor, connectionLimit: share))
        }
        let threads = workers.map { worker in
            do throws(Failure) { return try WorkThread { worker.run() } } catch { preconditionFailure(error.message) }
        }
        running = Mutex(Running(workers: workers, threads: threads, listener: listener))
    }

    deinit { stop(waitingAtMost: .zero) }

    /// Lets every response end its connection from now on, so that clients connect to another server.
    package func leave() { core.announceLeave() }

    /// Stops: accepts no more connections, answers the requests that have arrived, then closes all connections.
    ///
    /// The call returns when all is done, also for a second caller. Responses that a client does not accept in time are
    /// cut off. Handlers are always waited for.
    ///
    /// - Parameter grace: the time, from now, in which clients may accept their responses.
    package func stop(waitingAtMost grace: Duration = .seconds(10)) {
        running.withLock { running in
            guard let server = running.take() else { return }
            core.announceStop(grace: grace)
            shutdown(server.listener.descriptor, Int32(SHUT_RDWR))
            for worker in server.workers { worker.wake() }
            for thread in server.threads { thread.join() }
        }
    }

    /// Returns a line of text with the error's status, in answer to a refused request.
    @Sendable
    package static func plainRefusal(_ error: HTTPError) -> HTTPResponse {
        HTTPResponse(status: error.status, text: error.message)
    }
}

extension HTTPServer {
    /// The address of a server and its limits.
    ///
    /// Everything that a client can make the server store or wait for has a limit.
    package struct Configuration: Sendable {
        /// The address to listen at: numeric, IPv4 or IPv6.
        package var address = "127.0.0.1"
        /// The port; 0 takes any free port.
        package var port: UInt16 = 0
        /// The number of threads that receive requests and run the handler, from 1 to 256.
        package var threadCount = 2
        /// The most connections that all threads serve together, from `threadCount` to 65536.
        ///
        /// One more connection closes the one that has been idle for longest.
        package var connectionLimit = 1024
        /// The most connections beyond `connectionLimit` that are refused (see `Refusal`) and closed, from 0 to 4096.
        ///
        /// A connection is refused only if none is idle. Further connections wait to be accepted.
        package var surplusConnectionLimit = 64
        /// The most open connections from one address, 0 for no limit; more are closed at once.
        package var connectionLimitPerAddress = 0
        /// The time that a connection may be idle between two requests, from 1 to 3600 seconds.
        ///
        /// It must be longer than that of a load balancer in front (often 60 seconds). Otherwise the balancer may send
        /// a request just when the server closes the connection, and its client gets status 502.
        package var idleTimeoutSeconds = 75
        /// The time in which a request must arrive completely, however slowly its bytes arrive.
        ///
        /// The time starts when a new connection is opened, and for a later request when its first byte arrives.
        package var receiveTimeout = Duration.seconds(10)
        /// The time in which a client must accept a whole response.
        package var sendTimeout = Duration.seconds(30)
        /// The longest request line and header fields together, in bytes, inclusive; from 2 KiB to 1 MiB.
        package var headerLimitBytes = 16 * 1024
        /// The longest body, in bytes, inclusive; from 0 to 64 MiB.
        package var bodyLimitBytes = 64 * 1024

        package init() {}

        /// The most connections that are open at a time.
        var mostConnections: Int { connectionLimit + surplusConnectionLimit }

        /// Returns the same with as many connections as a limit on descriptors has room for.
        func fitting(_ descriptorLimit: Int) -> Self {
            let room = max(DescriptorLimit.connections(mostConnections, under: descriptorLimit), threadCount)
            guard room < mostConnections else { return self }
            var fitting = self
            fitting.surplusConnectionLimit = min(surplusConnectionLimit, room / 8, room - threadCount)
            fitting.connectionLimit = min(connectionLimit, room - fitting.surplusConnectionLimit)
            return fitting
        }

        /// Checks that every limit is within its bounds.
        func validate() throws(Failure) {
            func require(_ value: Int, in bounds: ClosedRange<Int>, _ name: String) throws(Failure) {
                guard !bounds.contains(value) else { return }
                let allowed = "from \(bounds.lowerBound) to \(bounds.upperBound)"
                throw Failure(.general, "\(name) is \(value): it must be \(allowed)")
            }
            try require(threadCount, in: 1...256, "threadCount")
            try require(connectionLimit, in: threadCount...65536, "connectionLimit")
            try require(surplusConnectionLimit, in: 0...4096, "surplusConnectionLimit")
            try require(connectionLimitPerAddress, in: 0...65536, "connectionLimitPerAddress")
            try require(idleTimeoutSeconds, in: 1...3600, "idleTimeoutSeconds")
            try require(headerLimitBytes, in: 2048...(1 << 20), "headerLimitBytes")
            try require(bodyLimitBytes, in: 0...(64 << 20), "bodyLimitBytes")
            for (timeout, name) in [(receiveTimeout, "receiveTimeout"), (sendTimeout, "sendTimeout")] {
                guard timeout <= .zero || timeout > .seconds(3600) else { continue }
                throw Failure(.general, "\(name) is \(timeout): it must be from more than zero to an hour")
            }
        }
    }
}

/// The reason why a request is refused.
package struct HTTPError: Error, Equatable {
    /// The status of the answer.
    package let status: HTTPStatus
    /// An explanation with the place of the mistake and a remedy.
    package let message: String

    package init(_ status: HTTPStatus, _ message: String) { (self.status, self.message) = (status, message) }
}
