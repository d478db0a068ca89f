import Glibc
import Synchronization

/// An HTTP/1.1 server, from `init` until `stop`: threads that wait for their connections with epoll.
///
/// Connections are kept alive and requests may be pipelined. Requests are read strictly by RFC 9112: after a request
/// that breaks its grammar, none of the bytes that follow is read as another request.
public final class HTTPServer: Sendable {
    /// Answers a request; called on the server's threads, several at a time.
    ///
    /// Other connections of the same thread wait meanwhile, and `stop` waits for it: it must return soon. What takes
    /// long is answered with `HTTPReply.later`, for which `stop` waits as well.
    public typealias Handler = @Sendable (HTTPRequest) -> HTTPReply

    /// Answers a request that is refused before it reaches the handler; `HTTPError.status` is the status for it.
    ///
    /// The connection ends afterwards.
    public typealias Refusal = @Sendable (HTTPError) -> HTTPResponse

    /// The address it listens at.
    public let address: String
    /// The port it listens at.
    public let port: UInt16

    private let core: ServerCore
    private let running: Mutex<Running?>

    /// A server that has not been stopped.
    private struct Running: ~Copyable {
        let threads: [WorkerThread]
        let listener: ListeningSocket
    }

    /// Starts to listen and to answer.
    ///
    /// - Parameters:
    ///   - refusal: answers refused requests; by default with a line of text.
    ///   - handler: answers all other requests.
    /// - Throws: `HTTPError`: a limit is out of bounds, or the address is taken, forbidden or not of this machine.
    public init(
        _ configuration: Configuration = Configuration(), refusal: @escaping Refusal = HTTPServer.plainRefusal,
        handler: @escaping Handler
    ) throws(HTTPError) {
        try configuration.validate()
        let listener = try ListeningSocket(address: configuration.address, port: configuration.port)
        address = configuration.address
        port = listener.port
        core = ServerCore(configuration: configuration, refusal: refusal, handler: handler)
        let limit = configuration.connectionLimit + configuration.surplusConnectionLimit
        var workers: [Worker] = []
        for number in 0..<configuration.threadCount {
            // The limits of all workers add up to the limit of the server.
            let share = limit / configuration.threadCount + (number < limit % configuration.threadCount ? 1 : 0)
            workers.append(try Worker(core: core, listener: listener.descriptor, connectionLimit: share))
        }
        running = Mutex(Running(threads: workers.map(WorkerThread.init), listener: listener))
    }

    deinit { stop(waitingAtMost: .zero) }

    /// Stops: accepts no more connections, answers the requests that have arrived, then closes all connections.
    ///
    /// Returns when all is over, also to a second caller. Responses that a client does not accept in time are cut off;
    /// handlers are always waited for.
    ///
    /// - Parameter grace: how long clients may take from now to accept their responses.
    public func stop(waitingAtMost grace: Duration = .seconds(10)) {
        running.withLock { running in
            guard let server = running.take() else { return }
            core.announceStop(grace: grace)
            shutdown(server.listener.descriptor, Int32(SHUT_RDWR))
            for thread in server.threads { thread.wake() }
            for thread in server.threads { thread.join() }
        }
    }

    /// Answers a refused request with a line of text.
    @Sendable
    public static func plainRefusal(_ error: HTTPError) -> HTTPResponse {
        HTTPResponse(status: error.status, text: error.message)
    }
}

/// A thread that runs a worker.
private struct WorkerThread {
    private let worker: Worker
    private let thread: pthread_t

    init(_ worker: Worker) {
        self.worker = worker
        var thread = pthread_t()
        let outcome = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Worker>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(worker).toOpaque())
        precondition(outcome == 0, "cannot start a thread: \(ListeningSocket.reason(outcome))")
        self.thread = thread
    }

    func wake() { worker.wake() }

    /// Waits until the worker has returned.
    func join() { pthread_join(thread, nil) }
}

extension HTTPServer {
    /// Where a server listens, and its limits: there is a bound on everything that a client can make it store or
    /// wait for.
    public struct Configuration: Sendable {
        /// The address to listen at: numeric, IPv4 or IPv6.
        public var address = "127.0.0.1"
        /// The port; 0 takes any free port.
        public var port: UInt16 = 0
        /// Threads that receive requests and run the handler, from 1 to 256.
        public var threadCount = 2
        /// Connections served at a time by all threads together, from `threadCount` to 65536; for one more, the one
        /// that has been idle for longest is closed.
        public var connectionLimit = 1024
        /// Connections beyond `connectionLimit`, if none is idle, that are refused (see `Refusal`) and closed, from 0
        /// to 4096; more wait to be accepted.
        public var surplusConnectionLimit = 64
        /// Connections open at a time from one address, 0 for no limit; more are closed at once.
        public var connectionLimitPerAddress = 0
        /// How long a connection may be idle between two requests, from 1 to 3600 seconds.
        public var idleTimeoutSeconds = 15
        /// How long a request may take to arrive in full, however steadily its bytes trickle in.
        ///
        /// The time starts when a new connection is opened, and for a later request when its first byte arrives.
        public var receiveTimeout = Duration.seconds(10)
        /// How long a client may take to accept a whole response.
        public var sendTimeout = Duration.seconds(30)
        /// The longest request line and header fields together, in bytes, inclusive; from 2 KiB to 1 MiB.
        public var headerLimitBytes = 16 * 1024
        /// The longest body, in bytes, inclusive; from 0 to 64 MiB.
        public var bodyLimitBytes = 64 * 1024

        /// The defaults.
        public init() {}

        /// Checks that every limit is within its bounds.
        func validate() throws(HTTPError) {
            func require(_ value: Int, in bounds: ClosedRange<Int>, _ name: String) throws(HTTPError) {
                guard !bounds.contains(value) else { return }
                let allowed = "from \(bounds.lowerBound) to \(bounds.upperBound)"
                throw HTTPError(.badConfiguration, "\(name) is \(value): it must be \(allowed)")
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
                throw HTTPError(.badConfiguration, "\(name) is \(timeout): it must be from more than zero to an hour")
            }
        }
    }
}

/// What went wrong in a server, or in a request that it received.
public struct HTTPError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The listening address is not a numeric IPv4 or IPv6 address, or this machine does not have it.
        case badAddress
        /// Another process listens there already.
        case addressTaken
        /// The system does not let this process listen there.
        case addressForbidden
        /// A limit of the configuration is out of bounds.
        case badConfiguration
        /// The system lacks a resource that the server needs.
        case startFailed
        /// A request that breaks the grammar of HTTP: answered with 400.
        case badRequest
        /// A request whose body is longer than allowed: answered with 413.
        case bodyTooLarge
        /// A request line that is longer than allowed: answered with 414.
        case targetTooLong
        /// Header fields that are longer than allowed: answered with 431.
        case headersTooLarge
        /// A request whose body has a transfer coding other than `chunked`: answered with 501.
        case unknownTransferCoding
        /// A request of another major version of HTTP than 1: answered with 505.
        case unsupportedVersion
        /// A request on a connection beyond the limit of connections: answered with 503.
        case tooManyConnections
    }

    /// The kind.
    public let code: Code
    /// What happened, where, and what to do.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }

    /// The status that answers a refused request; 500 for errors that no request causes.
    public var status: HTTPStatus {
        switch code {
        case .badRequest: .badRequest
        case .bodyTooLarge: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .unknownTransferCoding: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        case .tooManyConnections: .serviceUnavailable
        case .badAddress, .addressTaken, .addressForbidden, .badConfiguration, .startFailed: .internalServerError
        }
    }
}
