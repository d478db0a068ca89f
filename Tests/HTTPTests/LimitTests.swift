import Basics
import HTTP
import TestSupport
import Testing

@Suite("Limits of the HTTP server")
struct LimitTests {
    @Test(
        "Header fields beyond the limit are refused",
        arguments: [2, 9000])
    func headers(pathBytes: Int) throws {
        let server = try makeServer { $0.headerLimitBytes = 4096 }
        defer { server.stop() }
        let path = "/" + String(repeating: "a", count: pathBytes)
        let request = "GET \(path) HTTP/1.1\r\nHost: test\r\nX-Long: \(String(repeating: "b", count: 9000))\r\n\r\n"
        let client = try makeClient(server)
        // It is answered although the rest never comes.
        client.send(Array(request.utf8.prefix(5000)))
        let status = client.receive()?.status
        #expect(client.waitForEnd())
        #expect(status.map([400, 413, 414, 431].contains) == true, "\(status ?? 0)")
        #expect(try makeClient(server).request("GET", "/")?.status == 200)
    }

    @Test("A body beyond the limit is refused before it is read")
    func announcedBody() throws {
        let server = try makeServer { $0.bodyLimitBytes = 1000 }
        defer { server.stop() }
        for method in ["GET", "POST", "PUT"] {
            let client = try makeClient(server)
            client.send("\(method) / HTTP/1.1\r\nHost: test\r\nContent-Length: 1001\r\n\r\n")
            let response = client.receive()
            #expect(response?.status == 413)
            #expect(response?.text == "the body is longer than 1000 bytes\n")
            // The bytes that follow look like a request, but are none.
            client.send("GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.waitForEnd())
            #expect(client.unread.isEmpty)
        }
    }

    @Test("A body of unknown length is refused once it is beyond the limit")
    func chunkedBody() throws {
        let server = try makeServer { $0.bodyLimitBytes = 1000 }
        defer { server.stop() }
        let client = try makeClient(server)
        client.send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<11 { client.send("64\r\n\(String(repeating: "a", count: 100))\r\n") }
        client.send("0\r\n\r\n")
        #expect(client.receive()?.status == 413)
    }

    @Test(
        "A body whose length is stated twice is refused",
        arguments: ["Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3\r\nTransfer-Encoding: chunked"])
    func ambiguousBody(fields: String) throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        client.send("POST / HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\r\nabc")
        #expect(client.receive()?.status == 400)
        #expect(client.waitForEnd())
    }

    @Test(
        "A client that trickles its request is cut off",
        arguments: ["", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 60000\r\n\r\n"])
    func slowRequest(beginning: String) async throws {
        let server = try makeServer { $0.receiveTimeout = .milliseconds(100) }
        defer { server.stop() }
        let client = try makeClient(server)
        client.send(beginning)
        // Bytes keep coming, so that no idle timeout can be what ends it; without a deadline this runs to the end.
        var count = 0
        while count < 12_000, client.send("a") {
            count += 1
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(count < 12_000)
        #expect(client.waitForEnd())
    }

    @Test("A client that does not read its response is cut off")
    func slowReader() throws {
        let large = [UInt8](repeating: 97, count: 64 << 20)
        let server = try makeServer {
            $0.sendTimeout = .milliseconds(500)
            $0.threadCount = 1
            $0.connectionLimit = 2
            $0.surplusConnectionLimit = 0
        } handler: { request in
            request.segments == ["large"] ? HTTPResponse(status: .ok, body: large) : echo(request)
        }
        defer { server.stop() }
        let client = try makeClient(server)
        client.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
        let neighbour = try makeClient(server)
        #expect(neighbour.request("GET", "/")?.status == 200)
        // There is no room for a third until the first is cut off; nothing of the large response is read until then.
        #expect(try makeClient(server).request("GET", "/")?.status == 200)
        #expect(client.receive() == nil)
    }

    @Test("A client that vanishes during its response makes room at once")
    func vanishedReader() throws {
        let large = [UInt8](repeating: 97, count: 64 << 20)
        let server = try makeServer {
            $0.sendTimeout = .seconds(600)
            $0.receiveTimeout = .seconds(600)
            $0.threadCount = 1
            $0.connectionLimit = 2
            $0.surplusConnectionLimit = 0
        } handler: { request in
            request.segments == ["large"] ? HTTPResponse(status: .ok, body: large) : echo(request)
        }
        defer { server.stop(waitingAtMost: .zero) }
        var client: SocketClient? = try makeClient(server)
        client?.resetAtEnd()
        client?.send("GET /large HTTP/1.1\r\nHost: t\r\n\r\n")
        let neighbour = try makeClient(server)
        #expect(neighbour.request("GET", "/")?.status == 200)
        // The one thread has begun to send the large response by now, and the neighbour is not idle.
        neighbour.send("GET / HTTP/1.1\r\n")
        client = nil
        #expect(try makeClient(server).request("GET", "/")?.status == 200)
    }

    @Test("An idle connection is kept for the configured time")
    func idle() throws {
        let server = try makeServer {
            $0.receiveTimeout = .seconds(1)
            $0.idleTimeoutSeconds = 3600
        }
        defer { server.stop() }
        let client = try makeAnsweredClient(server)
        // The idle connection stays open longer than a request may take to arrive.
        let slow = try makeClient(server)
        slow.send("GET / HTTP/1.1\r\n")
        #expect(slow.waitForEnd())
        #expect(client.request("GET", "/")?.status == 200)
    }

    @Test("Connections beyond the limit wait, and are served when others close")
    func connectionLimit() throws {
        let server = try makeServer {
            $0.threadCount = 1
            $0.connectionLimit = 2
            $0.surplusConnectionLimit = 0
        }
        defer { server.stop() }
        var held = [try makeClient(server), try makeClient(server)]
        for client in held { #expect(client.request("GET", "/")?.status == 200) }
        let third = try makeClient(server)
        third.send("GET /third HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(held[0].request("GET", "/")?.status == 200)
        held.removeAll()
        #expect(third.receive()?.text == #"GET ["third"] [] "#)
    }

    @Test("Connections beyond the limit are refused with 503, until others close")
    func surplusConnections() async throws {
        let server = try makeServer {
            $0.threadCount = 1
            $0.connectionLimit = 2
            $0.surplusConnectionLimit = 2
            $0.receiveTimeout = .seconds(600)
        }
        defer { server.stop() }
        var held = [try makeClient(server), try makeClient(server)]
        for client in held {
            #expect(client.request("GET", "/")?.status == 200)
            // One that has begun a request is not idle.
            client.send("GET / HTTP/1.1\r\n")
        }
        for _ in 0..<20 {
            let client = try makeClient(server)
            let response = client.request("GET", "/")
            #expect(response?.status == 503)
            #expect(response?.headers["connection"] == "close")
            #expect(client.waitForEnd())
        }
        held.removeAll()
        #expect(try await eventually { try makeClient(server).request("GET", "/")?.status == 200 })
    }

    @Test("Beyond the limit, the connection that has been idle for longest makes room; one with a request does not")
    func idleMakesRoom() throws {
        let server = try makeServer {
            $0.threadCount = 1
            $0.connectionLimit = 3
            $0.receiveTimeout = .seconds(60)
            $0.idleTimeoutSeconds = 3600
        }
        defer { server.stop() }
        let busy = try makeClient(server)
        busy.send("GET /busy HTTP/1.1\r\n")
        let silent = try makeClient(server)
        let used = try makeClient(server)
        #expect(used.request("GET", "/")?.status == 200)
        for _ in 0..<50 {
            let client = try makeClient(server)
            #expect(client.request("GET", "/")?.status == 200)
            #expect(used.request("GET", "/")?.status == 200, "it was used after the one before")
        }
        #expect(silent.waitForEnd())
        busy.send("Host: t\r\n\r\n")
        #expect(busy.receive()?.text == #"GET ["busy"] [] "#)
    }

    @Test("Connections beyond the limit of one address are closed, until others close")
    func addressLimit() throws {
        let server = try makeServer { $0.connectionLimitPerAddress = 1 }
        defer { server.stop() }
        var held: [SocketClient] = [try makeClient(server)]
        #expect(held[0].request("GET", "/")?.status == 200)
        let second = try makeClient(server)
        #expect(second.waitForEnd())
        #expect(second.unread.isEmpty)
        #expect(held[0].request("GET", "/")?.status == 200)
        held.removeAll()
        // The server sees that the first is gone in its own time.
        while try makeClient(server).request("GET", "/")?.status != 200 {}
    }

    @Test("Limits out of bounds are refused by name")
    func configuration() {
        func message(_ change: (inout HTTPServer.Configuration) -> Void) -> String? {
            #expect(throws: Failure.self) { _ = try makeServer(configure: change) }?.message
        }
        #expect(message { $0.threadCount = 0 } == "threadCount is 0: it must be from 1 to 256")
        #expect(message { $0.connectionLimit = 1 } == "connectionLimit is 1: it must be from 2 to 65536")
        #expect(message { $0.receiveTimeout = .zero }?.hasPrefix("receiveTimeout is 0.0 seconds") == true)
        #expect(message { $0.bodyLimitBytes = -1 }?.hasPrefix("bodyLimitBytes is -1") == true)
    }
}
