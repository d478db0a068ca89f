import CMicroHTTPD
import Dispatch
import Glibc
import Synchronization

/// An HTTP/1.1 server, from `init` until `stop`, over libmicrohttpd: a pool of threads that wait with epoll.
///
/// Connections are kept alive and requests may be pipelined. The library answers by itself, in HTML, what is no
/// HTTP (400) and header fields beyond the limit (413, 414 or 431). A client that goes away while a response is sent raises
/// no SIGPIPE: the library's threads block it.
public final class HTTPServer: Sendable {
    /// Answers a request; called on the pool's threads, several at a time.
    ///
    /// Other connections of the same thread wait meanwhile, and `stop` waits for it: it must return soon.
    public typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse

    /// Answers what never became a request: an error of code `badRequest`, `bodyTooLarge` or `tooManyConnections`.
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
    @safe
    private struct Running: ~Copyable, @unchecked Sendable {
        let daemon: OpaquePointer
        let listener: ListeningSocket
    }

    /// Listens, and answers from now on.
    ///
    /// - Parameters:
    ///   - refusal: answers bad requests; by default with a line of text.
    ///   - handler: answers all others.
    /// - Throws: `HTTPError`: a limit out of bounds, an address that is taken, forbidden or none of this machine.
    public init(
        _ configuration: Configuration = Configuration(), refusal: @escaping Refusal = HTTPServer.plainRefusal,
        handler: @escaping Handler
    ) throws(HTTPError) {
        try configuration.validate()
        let listener = try ListeningSocket(address: configuration.address, port: configuration.port)
        address = configuration.address
        port = listener.port
        core = ServerCore(configuration: configuration, refusal: refusal, handler: handler)
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_ITC.rawValue
            | (listener.isVersion6 ? MHD_USE_IPv6.rawValue : 0)
        var settings = unsafe ServerCallbacks.settings(core: core, socket: listener.descriptor, flags: flags)
        guard let daemon = unsafe shim_start_server(&settings) else {
            throw HTTPError(.startFailed, "cannot start the threads of a server at port \(port) of \(address)")
        }
        running = Mutex(unsafe Running(daemon: daemon, listener: listener))
    }

    deinit { stop(waitingAtMost: .zero) }

    /// Stops: takes no new connection, sends the responses to requests that are here, then ends all connections.
    ///
    /// Returns when all is over, also to a caller who comes second. Responses that a client does not accept in
    /// time are cut off; handlers are always waited for.
    ///
    /// - Parameter grace: how long responses may take from now.
    public func stop(waitingAtMost grace: Duration = .seconds(10)) {
        running.withLock { running in
            guard let server = running.take() else { return }
            core.announceStop()
            // The library would close the socket when it stops; after this, closing it is up to the listener.
            _ = unsafe MHD_quiesce_daemon(server.daemon)
            shutdown(server.listener.descriptor, Int32(SHUT_RDWR))
            _ = core.underWay.wait(timeout: .now() + .nanoseconds(Int(clamping: grace.nanoseconds)))
            unsafe MHD_stop_daemon(server.daemon)
        }
    }

    /// Answers a refused request with a line of text.
    @Sendable
    public static func plainRefusal(_ error: HTTPError) -> HTTPResponse {
        let status: HTTPStatus =
            switch error.code {
            case .bodyTooLarge: .contentTooLarge
            case .tooManyConnections: .serviceUnavailable
            default: .badRequest
            }
        return HTTPResponse(status: status, text: error.message)
    }
}
