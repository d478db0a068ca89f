/// The answer to a request.
///
/// `Content-Length`, `Date` and `Connection` are added when it is sent; in answer to HEAD the body is
/// counted and left out.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields, but for those that are added.
    public var headers: HTTPHeaders
    /// The body; may be empty.
    public var body: [UInt8]

    /// A response.
    public init(status: HTTPStatus, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response of one line of plain text.
    public init(status: HTTPStatus, text: String) {
        self.init(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array("\(text)\n".utf8))
    }
}
