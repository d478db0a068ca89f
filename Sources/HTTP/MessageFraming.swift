/// The fate of a connection after a response.
enum Continuation {
    /// Another request may follow, as usual.
    case keepAlive
    /// Another request may follow, which an HTTP/1.0 client must be told.
    case keepAliveVersion10
    case close
}

/// The end of a request and the fate of its connection, from the header fields (RFC 9112, sections 3.2, 6 and 9.3).
struct MessageFraming {
    enum Body: Equatable {
        case none
        /// A body of this many bytes, at least one.
        case length(Int)
        case chunked
    }

    let body: Body
    let continuation: Continuation
    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    init(_ headers: HTTPHeaders, isVersion10: Bool, bodyLimitBytes: Int) throws(HTTPError) {
        try Self.checkHost(headers, isVersion10: isVersion10)
        body = try Self.body(headers, isVersion10: isVersion10, limitBytes: bodyLimitBytes)
        continuation = Self.continuation(headers, isVersion10: isVersion10)
        expectsContinue =
            !isVersion10 && body != .none && headers["Expect"].map { HTTPHeaders.isSame($0, "100-continue") } == true
    }

    private static func checkHost(_ headers: HTTPHeaders, isVersion10: Bool) throws(HTTPError) {
        let count = headers.count(of: "Host")
        guard count == 1 || isVersion10 && count == 0 else {
            throw HTTPError(.badRequest, "the request has \(count) header fields Host: it must have one")
        }
        guard MessageSyntax.isHost((headers["Host"] ?? "").utf8) else {
            throw HTTPError(.badRequest, "the header field Host is not a host with or without a port")
        }
    }

    private static func body(
        _ headers: HTTPHeaders, isVersion10: Bool, limitBytes: Int
    ) throws(HTTPError) -> Body {
        let lengthCount = headers.count(of: "Content-Length")
        guard headers["Transfer-Encoding"] == nil else {
            guard lengthCount == 0 else {
                throw HTTPError(.badRequest, "the request has both Content-Length and Transfer-Encoding")
            }
            guard !isVersion10 else { throw HTTPError(.badRequest, "HTTP/1.0 has no Transfer-Encoding") }
            try checkCodings(headers.elements(of: "Transfer-Encoding"))
            return .chunked
        }
        guard let value = headers["Content-Length"] else { return .none }
        guard lengthCount == 1 else {
            throw HTTPError(.badRequest, "the request has \(lengthCount) header fields Content-Length")
        }
        guard let length = MessageSyntax.contentLength(value) else {
            throw HTTPError(.badRequest, "the header field Content-Length is not a number of bytes")
        }
        guard length <= limitBytes else { throw .bodyTooLarge(limitBytes: limitBytes) }
        return length == 0 ? .none : .length(length)
    }

    /// Checks that `chunked` is the last coding, occurs once and is the only one; no other is supported.
    private static func checkCodings(_ codings: [String]) throws(HTTPError) {
        let isChunked = codings.map { HTTPHeaders.isSame($0, "chunked") }
        guard isChunked.last == true, isChunked.count(where: \.self) == 1, !codings.contains("") else {
            throw HTTPError(.badRequest, "the last coding of Transfer-Encoding, and no other, must be chunked")
        }
        guard codings.count == 1 else {
            throw HTTPError(
                .notImplemented, "the transfer coding \"\(codings[0])\" is not understood: use chunked alone")
        }
    }

    private static func continuation(_ headers: HTTPHeaders, isVersion10: Bool) -> Continuation {
        guard headers["Connection"] != nil else { return isVersion10 ? .close : .keepAlive }
        let options = headers.elements(of: "Connection")
        func has(_ option: String) -> Bool { options.contains { HTTPHeaders.isSame($0, option) } }
        if has("close") { return .close }
        guard isVersion10 else { return .keepAlive }
        return has("keep-alive") ? .keepAliveVersion10 : .close
    }
}

extension HTTPError {
    static func bodyTooLarge(limitBytes: Int) -> HTTPError {
        HTTPError(.contentTooLarge, "the body is longer than \(limitBytes) bytes")
    }
}
