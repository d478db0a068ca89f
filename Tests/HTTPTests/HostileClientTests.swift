import Glibc
import HTTP
import TestSupport
import Testing

func usleepBriefly() { usleep(500) }

/// SplitMix64: the same bytes in every run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Hostile clients")
struct HostileClientTests {
    private static let valid = Array(
        "POST /a%2Fb/c?d=e HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\nX-Thing: one, two\r\n\r\nhello".utf8)

    /// A valid request with a few bytes changed, removed, doubled, or replaced by what parsers trip over.
    private func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
        let morsels = [
            "\r", "\n", "\0", "%", "%0", "%00", " ", ":", "\r\n\r\n", "\u{FF}", "-1", "99999999999999999999", "?", "/",
        ]
        var bytes = Self.valid
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
            case 3: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: (morsels.randomElement(using: &generator) ?? "").utf8, at: place)
            }
            if bytes.isEmpty { bytes = [0] }
        }
        return bytes
    }

    @Test("Malformed requests are refused or cut, and never harm the next client", arguments: 0..<4)
    func fuzz(seed: UInt64) throws {
        // Short, because a request that lost its end is only ever cut by its deadline.
        let server = try makeServer { $0.receiveTimeout = .milliseconds(20) }
        defer { server.stop() }
        var generator = SeededGenerator(state: seed)
        var answered = 0
        for round in 0..<150 {
            let client = try makeClient(server)
            let bytes = mutated(&generator)
            client.send(bytes)
            if let response = client.receive() {
                #expect(
                    [200, 400, 413, 431, 505].contains(response.status), "\(String(decoding: bytes, as: UTF8.self))")
                answered += 1
            }
            if round.isMultiple(of: 15) { try expectAnswer(of: server) }
        }
        #expect(answered > 20)
        try expectAnswer(of: server)
    }

    @Test("Bytes that are no HTTP at all are survived")
    func noise() throws {
        let server = try makeServer { $0.receiveTimeout = .milliseconds(50) }
        defer { server.stop() }
        var generator = SeededGenerator(state: 7)
        for count in [1, 10, 1000, 100_000] {
            let client = try makeClient(server)
            client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            #expect(client.waitForEnd())
        }
        try expectAnswer(of: server)
    }

    /// A good request is answered; on a busy machine one may arrive after the short deadline of these servers.
    private func expectAnswer(of server: HTTPServer) throws {
        for _ in 0..<100 {
            if try makeClient(server).request("GET", "/")?.status == 200 { return }
        }
        Issue.record("a good request is not answered any more")
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
