import Glibc

/// Turns responses into the bytes that are sent.
struct ResponseWriter {
    /// The response written last.
    private(set) var bytes: [UInt8] = []
    private var date = ""
    private var dateSeconds: time_t = -1

    /// Replaces `bytes` with those of a response.
    ///
    /// A response with a header field that breaks the grammar is the handler's mistake: one with status 500 is written
    /// instead.
    mutating func write(_ response: HTTPResponse, to method: HTTPMethod?, then continuation: Continuation) {
        guard response.headers.fields.allSatisfy(Self.isValid) else {
            let failure = HTTPResponse(status: .internalServerError, text: "the response could not be written")
            return write(failure, to: method, then: continuation)
        }
        // A very long response would otherwise stay in memory for good.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
        append("HTTP/1.1 ", String(response.status.rawValue), " ", response.status.reasonPhrase, "\r\n")
        updateDate()
        append("Date: ", date, "\r\n")
        if !response.status.hasNoBody { append("Content-Length: ", String(response.body.count), "\r\n") }
        for field in response.headers.fields { append(field.name, ": ", field.value, "\r\n") }
        switch continuation {
        case .keepAlive: break
        case .keepAliveVersion10: append("Connection: keep-alive\r\n")
        case .close: append("Connection: close\r\n")
        }
        append("\r\n")
        if method != .head && !response.status.hasNoBody { bytes.append(contentsOf: response.body) }
    }

    private mutating func append(_ texts: String...) {
        for text in texts { bytes.append(contentsOf: text.utf8) }
    }

    private static func isValid(_ field: HTTPHeaders.Field) -> Bool {
        MessageSyntax.isToken(field.name.utf8) && field.value.utf8.allSatisfy(MessageSyntax.isText)
    }

    /// Formats the time as RFC 9110, section 5.6.7 wants it, once a second.
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
