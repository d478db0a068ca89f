import HTTP
import TestSupport
import Testing

@Suite("HTTP server")
struct HTTPServerTests {
    @Test("A request is understood and answered")
    func request() throws {
        let server = try makeServer()
        defer { server.stop() }
        let response = try #require(
            try makeClient(server).request("GET", "/a%2Fb/c?d=e+f", headers: ["USER-AGENT: x"]))
        #expect(response.status == 200)
        #expect(response.text == #"GET ["a/b", "c"] ["d=e f"] "#)
        #expect(response.headers["content-length"] == String(response.body.count))
        #expect(response.headers["x-agent"] == "x")
    }

    @Test("A connection is kept alive", arguments: [1, 3])
    func keepAlive(threads: Int) throws {
        let server = try makeServer { $0.threadCount = threads }
        defer { server.stop() }
        let client = try makeClient(server)
        for number in 0..<50 {
            #expect(client.request("GET", "/\(number)")?.text == #"GET ["\#(number)"] [] "#)
        }
    }

    @Test("A client that asks for it sees the connection end")
    func close() throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        #expect(client.request("GET", "/", headers: ["Connection: close"])?.status == 200)
        #expect(client.waitForEnd())
    }

    @Test("Pipelined requests are answered in order")
    func pipelining() throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        client.send((0..<40).map { "GET /\($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
        for number in 0..<40 {
            #expect(client.receive()?.text == #"GET ["\#(number)"] [] "#)
        }
        #expect(client.unread.isEmpty)
    }

    @Test("HEAD has the header of GET, and no body")
    func head() throws {
        let server = try makeAnsweringServer { request in
            HTTPResponse(status: .ok, body: Array("hello".utf8))
        }
        defer { server.stop() }
        let client = try makeClient(server)
        #expect(client.request("HEAD", "/")?.headers["content-length"] == "5")
        #expect(client.request("GET", "/")?.text == "hello")
        #expect(client.unread.isEmpty)
    }

    @Test(
        "A refused HEAD has the header of the refusal, and no body",
        arguments: [
            "/%zz HTTP/1.1\r\nHost: test\r\n\r\n", "/ HTTP/1.1\r\nHost: test\r\nbad field\r\n\r\n",
            "/ HTTP/1.1\r\n\r\n", "/ HTTP/9.9\r\n\r\n", "/\(String(repeating: "a", count: 20_000))",
            "/ HTTP/1.1\r\nHost: test\r\nContent-Length: 9999999\r\n\r\n",
        ])
    func refusedHead(rest: String) throws {
        let server = try makeServer()
        defer { server.stop() }
        for start in ["HEAD ", "\r\nHEAD "] {
            let client = try makeClient(server)
            client.send(start + rest)
            let response = try #require(client.receive(hasBody: false))
            #expect(response.status >= 400 && response.headers["content-length"] != "0")
            #expect(client.waitForEnd() && client.unread.isEmpty)
        }
        let client = try makeClient(server)
        client.send("GET " + rest)
        #expect(client.receive()?.body.isEmpty == false)
    }

    @Test("A body arrives whole", arguments: [0, 1, 1000, 65536])
    func body(count: Int) throws {
        let server = try makeAnsweringServer { HTTPResponse(status: .ok, body: $0.body) }
        defer { server.stop() }
        let client = try makeClient(server)
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for _ in 0..<2 {
            client.send("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: \(count)\r\n\r\n")
            client.send(body)
            #expect(client.receive()?.body == body)
        }
    }

    @Test("A body in chunks, and one of GET, are read as bodies, never as the next request")
    func chunksAndBodyOfGet() throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        #expect(client.receive()?.text == "POST [] [] abcde")
        client.send("GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nGET /")
        #expect(client.receive()?.text == "GET [] [] GET /")
        #expect(client.request("GET", "/next")?.text == #"GET ["next"] [] "#)
    }

    @Test("Bad addresses are refused", arguments: ["/%00", "/a%zzb", "/%", "/%C3", "/a?b=%00", "a", "*"])
    func badTargets(target: String) throws {
        let server = try makeServer()
        defer { server.stop() }
        let response = try #require(try makeClient(server).request("GET", target))
        #expect(response.status == 400)
        #expect(response.headers["connection"] == "close")
        #expect(response.text.hasPrefix("the address "))
    }

    @Test("A raw NUL does not cut an address short")
    func rawNull() throws {
        let server = try makeServer()
        defer { server.stop() }
        for target in ["/a\0b", "/a?b\0c", "/\0", "/a\0?b"] {
            let client = try makeClient(server)
            #expect(client.request("GET", target)?.status == 400)
        }
    }

    @Test("A client of HTTP/1.0 is told whether its connection is kept")
    func version10() throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        client.send("GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        #expect(client.receive()?.headers["connection"] == "keep-alive")
        client.send("GET /b HTTP/1.0\r\n\r\n")
        let response = client.receive()
        #expect(response?.text == #"GET ["b"] [] "#)
        #expect(response?.headers["connection"] == "close")
        #expect(client.waitForEnd())
    }

    @Test("A client that expects 100 Continue gets it")
    func expectContinue() throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        for _ in 0..<2 {
            client.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
            #expect(client.receive()?.status == 100)
            client.send("hi")
            #expect(client.receive()?.text == "POST [] [] hi")
        }
        // The client is not asked for a body that is refused.
        client.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n")
        #expect(client.receive()?.status == 413)
    }

    @Test("A response has a date, and one without content has no length")
    func fields() throws {
        let server = try makeAnsweringServer { _ in HTTPResponse(status: .noContent) }
        defer { server.stop() }
        let response = try #require(try makeClient(server).request("GET", "/"))
        #expect(response.headers["content-length"] == nil)
        let date = try #require(response.headers["date"])
        #expect(
            date.wholeMatch(of: /(Sun|Mon|Tue|Wed|Thu|Fri|Sat), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
    }

    @Test("A response with a line break in a header field is not sent")
    func badResponse() throws {
        let server = try makeAnsweringServer { _ in HTTPResponse(status: .ok, headers: ["X-A": "b\r\nX-C: d"]) }
        defer { server.stop() }
        let response = try makeClient(server).request("GET", "/")
        #expect(response?.status == 500)
        #expect(response?.headers["x-c"] == nil)
    }

    @Test("Many clients at a time each get their own answers")
    func manyClients() async throws {
        let server = try makeServer()
        defer { server.stop() }
        let port = server.port
        let wrong = await withTaskGroup(of: Int.self) { group in
            for client in 0..<16 {
                group.addTask {
                    guard let connection = SocketClient(port: port) else { return 1 }
                    return (0..<100).count { number in
                        connection.request("GET", "/\(client)/\(number)")?.text
                            != #"GET ["\#(client)", "\#(number)"] [] "#
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
