import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite("Request smuggling")
struct SmugglingTests {
    private static let good = "GET /good HTTP/1.1\r\nHost: t\r\n\r\n"

    @Test("A bad request is refused once, and nothing after it is read as a request", arguments: AttackRequest.all)
    func attack(_ attack: AttackRequest) throws {
        let handled = Atomic(0)
        let server = try makeAnsweringServer { request in
            handled.add(1, ordering: .relaxed)
            return echo(request)
        }
        defer { server.stop() }
        let client = try makeClient(server)
        // A good request before it is answered; a good one after it is not.
        client.send(Array(Self.good.utf8) + attack.bytes + Array(AttackRequest.smuggled.utf8))
        #expect(client.receive()?.status == 200)
        let refusal = client.receive()
        #expect(refusal?.status == attack.status, "\(refusal?.text ?? "no response")")
        #expect(refusal?.headers["connection"] == "close")
        #expect(refusal?.headers["content-length"].flatMap { Int($0) } == refusal?.body.count)
        // It stays refused, however long the client goes on.
        client.send(Self.good)
        #expect(client.waitForEnd())
        #expect(client.unread.isEmpty)
        #expect(handled.load(ordering: .relaxed) == 1)
    }

    /// How often the blocks of a header occur: once each.
    @Test("A refusal has one header block")
    func header() throws {
        let server = try makeServer()
        defer { server.stop() }
        let client = try makeClient(server)
        client.send("GET / HTTP/1.1\n\n")
        #expect(client.waitForEnd())
        let text = String(decoding: client.unread, as: UTF8.self)
        for piece in ["HTTP/1.1 400 Bad Request", "Date: ", "Content-Length: ", "Content-Type: ", "Connection: close"] {
            #expect(text.components(separatedBy: piece) == 2, "\(piece)")
        }
    }

    @Test(
        "Unusual requests that RFC 9112 allows are answered",
        arguments: [
            ("GET /a HTTP/1.1\r\nHost: t\r\nContent-Length: 0 \r\n\r\n", "GET /a []"),
            ("POST /a HTTP/1.1\r\nHost: t\r\nContent-Length: \t2 \t\r\n\r\nhi", "POST /a [104, 105]"),
            ("POST /a HTTP/1.1\r\nHost: t\r\nContent-Length:002\r\n\r\nhi", "POST /a [104, 105]"),
            ("POST /a HTTP/1.1\r\nHost: t\r\ntransfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n", "POST /a []"),
            (
                "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "02 ;a=\"b\"\r\nhi\r\n0;c\r\nA: b\r\n\r\n",
                "POST /a [104, 105]"
            ),
            ("\r\nGET /a HTTP/1.1\r\nHost: t\r\n\r\n", "GET /a []"),
            ("GET /a HTTP/1.1\r\nHost:\r\n\r\n", "GET /a []"),
            ("GET /a HTTP/1.1\r\nHost: [::1]:80\r\nA:\r\nB: \u{FF}\t x\r\n\r\n", "GET /a []"),
            ("GET /a HTTP/1.9\r\nHost: t\r\n\r\n", "GET /a []"),
            ("GET http://t:80/a HTTP/1.1\r\nHost: t\r\n\r\n", "GET http://t:80/a []"),
            ("GET HTTP://t?a=b HTTP/1.1\r\nHost: t\r\n\r\n", "GET HTTP://t?a=b []"),
            ("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /a []"),
        ])
    func allowed(text: String, expected: String) throws {
        // And none of its bytes is taken for part of the next request.
        let outcome = outcomes([Array((text + Self.good).utf8)])
        #expect(outcome == ["accepted \(expected)", "accepted GET /good []"])
    }

    @Test("A request means the same however its bytes are cut in two", arguments: AttackRequest.all)
    func splits(_ attack: AttackRequest) {
        let bytes = Array(Self.good.utf8) + attack.bytes
        #expect(outcomes([bytes]) == ["accepted GET /good []", "refused \(attack.status)"])
        // Long requests are cut near their ends only.
        for cut in bytes.indices where bytes.count < 1000 || cut < 100 || cut > bytes.count - 100 {
            #expect(
                outcomes([Array(bytes[..<cut]), Array(bytes[cut...])]).last == "refused \(attack.status)", "\(cut)")
        }
        #expect(outcomes(bytes.map { [$0] }).last == "refused \(attack.status)")
    }

    @Test("A mutated request means what the grammar says, however its bytes are cut", arguments: 0..<4)
    func mutations(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let reference = ReferenceReader()
        var refused = 0
        for _ in 0..<1500 {
            let bytes = Mutation.mutated(&generator)
            let expected = reference.outcomes(bytes).map { outcome in
                switch outcome {
                case .accepted(let text): "accepted \(text)"
                case .refused: "refused"
                }
            }
            let cuts = [0, Int.random(in: 0...bytes.count, using: &generator), bytes.count].sorted()
            let pieces = zip(cuts, cuts.dropFirst()).map { Array(bytes[$0..<$1]) }
            for pieces in [[bytes], pieces, bytes.map { [$0] }] {
                let actual = outcomes(pieces).map { $0.hasPrefix("refused") ? "refused" : $0 }
                #expect(actual == expected, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
            if expected.last == "refused" { refused += 1 }
        }
        // Both kinds occur often.
        #expect(refused > 300 && refused < 1400)
    }

    /// What a reader makes of bytes that arrive in pieces.
    private func outcomes(_ pieces: [[UInt8]]) -> [String] {
        var reader = RequestReader(headerLimitBytes: 16384, bodyLimitBytes: 65536)
        var outcomes: [String] = []
        do throws(HTTPError) {
            for piece in pieces {
                reader.append(piece[...])
                while case .complete(let request, let continuation) = try reader.next() {
                    outcomes.append("accepted \(ReferenceReader.describe(request))")
                    if continuation == .close { return outcomes }
                }
            }
        } catch {
            outcomes.append("refused \(error.status)")
        }
        return outcomes
    }
}

extension String {
    /// How many pieces a separator makes of the text.
    fileprivate func components(separatedBy separator: String) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
