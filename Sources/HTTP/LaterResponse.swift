import Synchronization

/// What a handler answers a request with.
public enum HTTPReply: Sendable {
    /// The response.
    case now(HTTPResponse)
    /// A response that another thread makes; the server's threads serve other connections meanwhile.
    case later(LaterResponse)
}

/// A response that is made on another thread than those of the server.
///
/// The server waits for it without a time limit, also while it stops. If nobody has a reference to it any more, and it
/// was not finished, it becomes a response of status 500.
public final class LaterResponse: Sendable {
    private enum State {
        case unfinished
        case awaited(@Sendable (HTTPResponse) -> Void)
        case finished(HTTPResponse)
        case delivered
    }

    private let state = Mutex(State.unfinished)

    /// Makes a response that is not finished.
    public init() {}

    deinit { finish(HTTPResponse(status: .internalServerError, text: "the response was never made")) }

    /// Gives the response; a second one is ignored.
    ///
    /// May be called from any thread.
    public func finish(_ response: HTTPResponse) {
        let deliver = state.withLock { state -> (@Sendable (HTTPResponse) -> Void)? in
            switch state {
            case .unfinished:
                state = .finished(response)
                return nil
            case .awaited(let deliver):
                state = .delivered
                return deliver
            case .finished, .delivered: return nil
            }
        }
        deliver?(response)
    }

    /// Calls `body` with the response, at once or on the thread that finishes it; to be called once.
    public func whenFinished(_ body: @escaping @Sendable (HTTPResponse) -> Void) {
        let response = state.withLock { state -> HTTPResponse? in
            guard case .finished(let response) = state else {
                state = .awaited(body)
                return nil
            }
            state = .delivered
            return response
        }
        if let response { body(response) }
    }
}
