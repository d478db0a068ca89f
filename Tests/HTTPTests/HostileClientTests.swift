import Glibc
import HTTP
import TestSupport
import Testing

func usleepBriefly() { usleep(500) }

@Suite("Hostile clients")
struct HostileClientTests {
    @Test(
        "Mutated requests are answered as the grammar says, and the first that is refused is the last", arguments: 0..<4
    )
    func fuzz(seed: UInt64) throws {
        let server = try makeServer()
        defer { server.stop() }
        var generator = SeededGenerator(seed: 100 + seed)
        let reference = ReferenceReader()
        var refused = 0
        for round in 0..<150 {
            let client = try makeClient(server)
            let bytes = Mutation.mutated(&generator)
            client.send(bytes)
            // The server sees that an incomplete request will never be complete.
            client.finishSending()
            var responses: [SocketClient.Response] = []
            while let response = client.receive() { responses.append(response) }
            let expected = reference.outcomes(bytes)
            let shown = String(decoding: bytes, as: UTF8.self).debugDescription
            #expect(client.waitForEnd() && client.unread.isEmpty, "\(shown)")
            #expect(responses.map { $0.status == 200 } == expected.map { $0 != .refused }, "\(shown)")
            if expected.last == .refused {
                refused += 1
                #expect([400, 413, 414, 431, 501, 505].contains(responses.last?.status), "\(shown)")
                #expect(responses.last?.headers["connection"] == "close", "\(shown)")
            }
            if round.isMultiple(of: 15) { _ = try makeAnsweredClient(server) }
        }
        #expect(refused > 20 && refused < 140)
    }

    @Test("Bytes that are not HTTP do no harm")
    func noise() throws {
        let server = try makeServer { $0.receiveTimeout = .milliseconds(50) }
        defer { server.stop() }
        var generator = SeededGenerator(seed: 7)
        for count in [1, 10, 1000, 100_000] {
            let client = try makeClient(server)
            client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            #expect(client.waitForEnd())
        }
        _ = try makeAnsweredClient(server)
    }

    @Test("Clients that vanish in the middle of a request or a response raise no signal")
    func vanishing() throws {
        let large = [UInt8](repeating: 97, count: 4 << 20)
        let server = try makeAnsweringServer { _ in HTTPResponse(status: .ok, body: large) }
        defer { server.stop() }
        for beginning in ["G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: t\r\n\r\n"] {
            for isReset in [false, true] {
                for _ in 0..<10 {
                    let client = try makeClient(server)
                    if isReset { client.resetAtEnd() }
                    client.send(beginning)
                }
            }
        }
        #expect(try makeClient(server).request("GET", "/")?.body.count == large.count)
    }
}
