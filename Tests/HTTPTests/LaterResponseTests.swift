import HTTP
import Synchronization
import TestSupport
import Testing

@Suite("Responses that are made on another thread")
struct LaterResponseTests {
    /// The responses that `/later` waits for, in the order in which the requests came.
    private final class Pending: Sendable {
        private let responses = Mutex<[LaterResponse]>([])
        let arrivals: AsyncStream<Void>
        private let arrival: AsyncStream<Void>.Continuation

        init() { (arrivals, arrival) = AsyncStream.makeStream(of: Void.self) }

        func add() -> LaterResponse {
            let response = LaterResponse()
            responses.withLock { $0.append(response) }
            arrival.yield()
            return response
        }

        /// Takes the first of them.
        func take() -> LaterResponse? { responses.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    private let pending = Pending()

    /// A server of one thread.
    private func server() throws -> HTTPServer {
        try makeReplyingServer(configure: { $0.threadCount = 1 }) { [pending] request in
            request.rawPath == "/later" ? .later(pending.add()) : .now(echo(request))
        }
    }

    private func text(_ text: String) -> HTTPResponse { HTTPResponse(status: .ok, text: text) }

    @Test("Other connections of the same thread are served meanwhile, and requests behind it wait")
    func othersGoOn() async throws {
        let server = try server()
        let slow = try makeClient(server)
        // The next request of the connection waits for its turn.
        slow.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\nGET /next HTTP/1.1\r\nHost: t\r\n\r\n")
        for await _ in pending.arrivals { break }
        // A connection that was made before would be closed if the wait took long.
        let quick = try makeClient(server)
        for _ in 0..<50 { #expect(quick.request("GET", "/quick")?.status == 200) }
        #expect(!slow.canReceive(withinMilliseconds: 0))
        pending.take()?.finish(text("late"))
        #expect(slow.receive()?.text == "late\n")
        #expect(slow.receive()?.text == #"GET ["next"] [] "#)
        server.stop()
    }

    @Test("A response that is finished before the server waits for it is sent, and a second one is ignored")
    func finishedAtOnce() throws {
        let server = try makeReplyingServer { request in
            let response = LaterResponse()
            response.finish(echo(request))
            response.finish(HTTPResponse(status: .ok, text: "again"))
            return .later(response)
        }
        let client = try makeClient(server)
        for _ in 0..<3 { #expect(client.request("GET", "/a")?.text == #"GET ["a"] [] "#) }
        #expect(client.request("HEAD", "/a")?.headers["content-length"] == "14")
        #expect(client.request("GET", "/a")?.text == #"GET ["a"] [] "#)
        server.stop()
    }

    @Test("A response that nobody makes has status 500")
    func abandoned() async throws {
        let server = try server()
        let client = try makeClient(server)
        client.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\n")
        for await _ in pending.arrivals { break }
        _ = pending.take()
        #expect(client.receive()?.status == 500)
        #expect(client.request("GET", "/a")?.status == 200)
        server.stop()
    }

    @Test("A client that has gone harms nobody, nor one that takes its socket's number", arguments: [false, true])
    func goneClient(isReset: Bool) async throws {
        let server = try server()
        var gone: SocketClient? = try makeClient(server)
        gone?.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\n")
        var arrivals = pending.arrivals.makeAsyncIterator()
        await arrivals.next()
        if isReset { gone?.resetAtEnd() }
        gone = nil
        let response = pending.take()
        let other = try makeClient(server)
        #expect(other.request("GET", "/a")?.status == 200)
        other.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\n")
        await arrivals.next()
        response?.finish(text("for the one who left"))
        #expect(!other.canReceive(withinMilliseconds: 50))
        pending.take()?.finish(text("for the other"))
        #expect(other.receive()?.text == "for the other\n")
        server.stop()
    }

    @Test("A stop waits for it, and sends it")
    func stop() async throws {
        let server = try server()
        let client = try makeClient(server)
        client.send("GET /later HTTP/1.1\r\nHost: t\r\n\r\nGET /next HTTP/1.1\r\nHost: t\r\n\r\n")
        for await _ in pending.arrivals { break }
        async let stop: Void = onOwnThread { server.stop(waitingAtMost: .seconds(600)) }
        while SocketClient(port: server.port) != nil { try await Task.sleep(for: .milliseconds(2)) }
        pending.take()?.finish(text("late"))
        let response = client.receive()
        await stop
        #expect(response?.text == "late\n")
        #expect(response?.headers["connection"] == "close")
        #expect(client.waitForEnd())
    }
}
