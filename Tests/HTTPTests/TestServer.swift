import HTTP
import Testing
import TestSupport

/// A server whose answers show what it understood.
func makeServer(
    configure: (inout HTTPServer.Configuration) -> Void = { _ in },
    handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse = { echo($0) }
) throws -> HTTPServer {
    try makeReplyingServer(configure: configure) { .now(handler($0)) }
}

/// A server whose handler may answer later.
func makeReplyingServer(
    configure: (inout HTTPServer.Configuration) -> Void = { _ in }, handler: @escaping HTTPServer.Handler
) throws -> HTTPServer {
    var configuration = HTTPServer.Configuration()
    configure(&configuration)
    return try HTTPServer(configuration, handler: handler)
}

/// Says the method, segments, query and body of a request.
func echo(_ request: HTTPRequest) -> HTTPResponse {
    let query = request.query.map { "\($0.name)=\($0.value)" }
    let body = String(decoding: request.body, as: UTF8.self)
    return HTTPResponse(
        status: .ok, headers: ["Content-Type": "text/plain", "X-Agent": request.headers["user-agent"] ?? "none"],
        body: Array("\(request.method) \(request.segments) \(query) \(body)".utf8))
}

func makeClient(_ server: HTTPServer) throws -> SocketClient {
    try #require(SocketClient(port: server.port))
}

/// A client that has had an answer.
///
/// On a busy machine, a request may come after the short deadline of some servers. Then another client tries.
func makeAnsweredClient(_ server: HTTPServer) throws -> SocketClient {
    let clients = (0..<100).lazy.compactMap { _ in SocketClient(port: server.port) }
    return try #require(clients.first { $0.request("GET", "/")?.status == 200 }, "no request is answered any more")
}

/// A server with answers of its own.
func makeAnsweringServer(_ handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse) throws -> HTTPServer {
    try makeServer(handler: handler)
}
