import Basics
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite("Start and stop of the HTTP server")
struct LifecycleTests {
    @Test("A taken port is named in the error, and is free again after the stop")
    func takenPort() throws {
        let first = try makeServer()
        let error = #expect(throws: Failure.self) { _ = try makeServer { $0.port = first.port } }
        #expect(error?.message.hasPrefix("port \(first.port) of 127.0.0.1 is taken") == true)
        #expect(try makeClient(first).request("GET", "/")?.status == 200)
        first.stop()
        let second = try makeServer { $0.port = first.port }
        #expect(try makeClient(second).request("GET", "/")?.status == 200)
        second.stop()
    }

    @Test(
        "Bad listening addresses are refused",
        arguments: ["localhost", "", "1.2.3", "::g", "127.0.0.1 ", "192.0.2.1", "2001:db8::1"])
    func badAddress(address: String) {
        let error = #expect(throws: Failure.self) { _ = try makeServer { $0.address = address } }
        #expect(error?.message.contains(/is not (a numeric address|an address of this machine)/) == true)
    }

    @Test("A server that is left answers each request, and ends its connection")
    func leave() throws {
        let server = try makeServer()
        let client = try makeClient(server)
        #expect(try #require(client.request("GET", "/")).headers["connection"] == nil)
        server.leave()
        #expect(client.request("GET", "/")?.headers["connection"] == "close")
        #expect(try makeClient(server).request("GET", "/")?.status == 200)
        server.stop()
    }

    @Test("A stop finishes the requests under way, and refuses new connections")
    func stopWhileBusy() async throws {
        let (began, beginning) = AsyncStream.makeStream(of: Void.self)
        let mayFinish = Atomic(false)
        let server = try makeAnsweringServer { request in
            beginning.yield()
            while !mayFinish.load(ordering: .acquiring) { usleepBriefly() }
            return echo(request)
        }
        let client = try makeClient(server)
        client.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
        for await _ in began { break }
        async let stop: Void = onOwnThread { server.stop(waitingAtMost: .seconds(600)) }
        // Refused as soon as the stop has begun; until then accepted, and closed without an answer.
        while SocketClient(port: server.port) != nil { try await Task.sleep(for: .milliseconds(2)) }
        mayFinish.store(true, ordering: .releasing)
        let response = client.receive()
        await stop
        #expect(response?.text == #"GET ["slow"] [] "#)
        #expect(response?.headers["connection"] == "close")
        #expect(client.waitForEnd())
    }

    @Test("A stop waits for clients no longer than its grace")
    func boundedStop() throws {
        let server = try makeServer()
        let client = try makeClient(server)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc")
        #expect(try makeClient(server).request("GET", "/")?.status == 200)
        server.stop(waitingAtMost: .milliseconds(50))
        #expect(client.waitForEnd())
        #expect(SocketClient(port: server.port) == nil)
    }

    @Test("Several threads may stop a server at once")
    func stopTwice() async throws {
        let server = try makeServer()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { server.stop() } }
        }
        server.stop()
        #expect(SocketClient(port: server.port) == nil)
    }

    @Test("A server stops when its last reference is released")
    func letGo() throws {
        var server: HTTPServer? = try makeServer()
        let port = try #require(server?.port)
        #expect(SocketClient(port: port)?.request("GET", "/")?.status == 200)
        server = nil
        #expect(SocketClient(port: port) == nil)
    }

    @Test("Two servers run side by side")
    func two() throws {
        let servers = [try makeServer(), try makeAnsweringServer { _ in HTTPResponse(status: .ok, text: "second") }]
        #expect(servers[0].port != servers[1].port)
        #expect(try makeClient(servers[0]).request("GET", "/a")?.text == #"GET ["a"] [] "#)
        #expect(try makeClient(servers[1]).request("GET", "/a")?.text == "second\n")
        servers[0].stop()
        #expect(try makeClient(servers[1]).request("GET", "/a")?.text == "second\n")
        servers[1].stop()
    }
}
