import Glibc
import Synchronization

/// A response to a request.
///
/// `Date`, `Content-Length` and `Connection` are added when it is sent. In response to HEAD, the body is counted but
/// not sent.
package struct HTTPResponse: Sendable {
    package var status: HTTPStatus
    /// The header fields, except those that are added.
    package var headers: HTTPHeaders
    /// The body, which may be empty.
    package var body: [UInt8]

    package init(status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package init(status: HTTPStatus, text: String) {
        self.init(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array("\(text)\n".utf8))
    }
}

/// The status of a response, by its number.
package struct HTTPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, from 200 to 599 (inclusive).
    package let rawValue: Int

    package init(rawValue: Int) {
        precondition((200...599).contains(rawValue), "\(rawValue) is not the status of a final response")
        self.rawValue = rawValue
    }

    package static let ok = HTTPStatus(rawValue: 200)
    /// Whether a response with this status has no body, not even an empty one (RFC 9110, section 6.4.1).
    var hasNoBody: Bool { self == .noContent || self == .notModified }

    package static let noContent = HTTPStatus(rawValue: 204)
    package static let seeOther = HTTPStatus(rawValue: 303)
    package static let notModified = HTTPStatus(rawValue: 304)
    package static let badRequest = HTTPStatus(rawValue: 400)
    package static let unauthorized = HTTPStatus(rawValue: 401)
    package static let forbidden = HTTPStatus(rawValue: 403)
    package static let notFound = HTTPStatus(rawValue: 404)
    package static let methodNotAllowed = HTTPStatus(rawValue: 405)
    package static let conflict = HTTPStatus(rawValue: 409)
    package static let gone = HTTPStatus(rawValue: 410)
    package static let contentTooLarge = HTTPStatus(rawValue: 413)
    package static let uriTooLong = HTTPStatus(rawValue: 414)
    package static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    package static let tooManyRequests = HTTPStatus(rawValue: 429)
    package static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
    package static let internalServerError = HTTPStatus(rawValue: 500)
    package static let notImplemented = HTTPStatus(rawValue: 501)
    package static let serviceUnavailable = HTTPStatus(rawValue: 503)
    package static let httpVersionNotSupported = HTTPStatus(rawValue: 505)

    /// The number as text.
    package var description: String { String(rawValue) }

    /// The reason phrase (RFC 9110, section 15); empty for a number without a name here.
    package var reasonPhrase: String {
        switch self {
        case .ok: "OK"
        case .noContent: "No Content"
        case .seeOther: "See Other"
        case .notModified: "Not Modified"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .conflict: "Conflict"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .tooManyRequests: "Too Many Requests"
        case .requestHeaderFieldsTooLarge: "Request Header Fields Too Large"
        case .internalServerError: "Internal Server Error"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        case .httpVersionNotSupported: "HTTP Version Not Supported"
        default: ""
        }
    }
}

/// A handler's reply to a request.
package enum HTTPReply: Sendable {
    /// A response that is ready.
    case now(HTTPResponse)
    /// A response that another thread makes; the server's threads serve other connections meanwhile.
    case later(LaterResponse)
}

/// A response that is made on a thread other than the server's.
///
/// The server waits for it without a time limit, even while the server stops. If it is released without being finished,
/// it becomes a response with status 500.
package final class LaterResponse: Sendable {
    private enum State {
        case unfinished
        case awaited(@Sendable (HTTPResponse) -> Void)
        case finished(HTTPResponse)
        case delivered
    }

    private let state = Mutex(State.unfinished)

    package init() {}

    deinit { finish(HTTPResponse(status: .internalServerError, text: "the response was never made")) }

    /// Delivers the response from any thread; a second response is ignored.
    package func finish(_ response: HTTPResponse) {
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

    /// Calls `body` with the response, at once or on the thread that finishes it; may be called only once.
    package func whenFinished(_ body: @escaping @Sendable (HTTPResponse) -> Void) {
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

/// A response as bytes, and the number of those that have been sent.
struct WrittenResponse {
    /// The status line and the header fields, with the empty line after them.
    let head: [UInt8]
    /// The body, which stays where its maker put it: copying a long one would take longer than writing the head.
    let body: [UInt8]
    /// The number of bytes that the system has accepted.
    var sentCount = 0

    /// Whether everything has been sent.
    var isSent: Bool { sentCount == head.count + body.count }

    /// Calls `send` with the bytes that have not been sent, in two pieces.
    @unsafe
    func withUnsent<Result>(_ send: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe head.withUnsafeBytes { head in
            unsafe body.withUnsafeBytes { body in
                unsafe send(
                    UnsafeRawBufferPointer(rebasing: head[min(sentCount, head.count)...]),
                    UnsafeRawBufferPointer(rebasing: body[max(sentCount - head.count, 0)...]))
            }
        }
    }
}

/// A writer that turns responses into bytes.
struct ResponseWriter {
    /// The head of the response written last, whose memory the next one takes over.
    private var head: [UInt8] = []
    private var date = ""
    private var dateSeconds: time_t = -1

    /// Returns the bytes of a response.
    ///
    /// A header field that breaks the grammar is the handler's mistake. A response with status 500 is then written
    /// instead.
    mutating func write(_ response: HTTPResponse, to method: HTTPMethod?, then continuation: Continuation)
        -> WrittenResponse
    {
        guard response.headers.fields.allSatisfy(Self.isValid) else {
            let failure = HTTPResponse(status: .internalServerError, text: "the response could not be written")
            return write(failure, to: method, then: continuation)
        }
        head.removeAll(keepingCapacity: true)
        append("HTTP/1.1 ")
        append(String(response.status.rawValue))
        append(" ")
        append(response.status.reasonPhrase)
        updateDate()
        append("\r\nDate: ")
        append(date)
        if !response.status.hasNoBody {
            append("\r\nContent-Length: ")
            append(String(response.body.count))
        }
        for field in response.headers.fields {
            append("\r\n")
            append(field.name)
            append(": ")
            append(field.value)
        }
        switch continuation {
        case .keepAlive: break
        case .keepAliveVersion10: append("\r\nConnection: keep-alive")
        case .close: append("\r\nConnection: close")
        }
        append("\r\n\r\n")
        let hasBody = method != .head && !response.status.hasNoBody
        return WrittenResponse(head: head, body: hasBody ? response.body : [])
    }

    private mutating func append(_ text: String) {
        unsafe text.utf8Span.span.withUnsafeBufferPointer { unsafe head.append(contentsOf: $0) }
    }

    private static func isValid(_ field: HTTPHeaders.Field) -> Bool {
        MessageSyntax.isToken(field.name.utf8Span.span) && MessageSyntax.isText(field.value.utf8Span.span)
    }

    /// Formats the time as in RFC 9110, section 5.6.7, once a second.
    private mutating func updateDate() {
        let now = time(nil)
        guard now != dateSeconds else { return }
        dateSeconds = now
        var parts = unsafe tm()
        unsafe gmtime_r(&dateSeconds, &parts)
        date = unsafe String(unsafeUninitializedCapacity: 32) { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                unsafe strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
    }
}
