import TestSupport

@testable import HTTP

/// The bytes of a connection: the requests in them are those that the grammar says, however the bytes arrive.
struct RequestTarget: FuzzTarget {
    init() {}

    func seeds() -> [[UInt8]] {
        [
            "POST /a%2Fb/c?d=e HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\nX-Thing: one, two\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "GET http://t:80/a HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n",
            "\r\nPUT /a HTTP/1.0\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nab"
                + "GET /b HTTP/1.1\r\nHost: t\r\n\r\n",
        ].map { Array($0.utf8) }
    }

    func take(_ bytes: [UInt8]) throws {
        let expected = ReferenceReader().outcomes(bytes)
        let middle = bytes.count / 2
        for pieces in [[bytes], [Array(bytes[..<middle]), Array(bytes[middle...])], bytes.map { [$0] }] {
            let actual = outcomes(pieces)
            try require(actual == expected, "in \(pieces.count) pieces: \(actual), by the grammar: \(expected)")
        }
    }

    private func outcomes(_ pieces: [[UInt8]]) -> [ReferenceReader.Outcome] {
        var reader = RequestReader(headerLimitBytes: 16384, bodyLimitBytes: 65536)
        var outcomes: [ReferenceReader.Outcome] = []
        do throws(HTTPError) {
            for piece in pieces {
                reader.append(piece[...])
                while case .complete(let request, let continuation) = try reader.next() {
                    outcomes.append(.accepted(ReferenceReader.describe(request)))
                    if continuation == .close { return outcomes }
                }
            }
        } catch {
            outcomes.append(.refused)
        }
        return outcomes
    }
}
