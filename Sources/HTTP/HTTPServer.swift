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
