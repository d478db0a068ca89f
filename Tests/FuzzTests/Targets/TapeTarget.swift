import Basics
@testable import Service

/// A file of a tape, or a line of one: what is read of it is the same once it is written again.
struct TapeTarget: FuzzTarget {
    init() throws {}

    func seeds() throws -> [[UInt8]] {
        let exchange = Exchange(
            sequence: 1, atMilliseconds: 2, method: "POST", target: "/v1/a?b=c", route: "/v1/{x}", member: "m",
            isChange: true, requestHeaders: ["Accept": "*/*"], requestBody: [0xFF], status: 200,
            headers: ["ETag": "W/\"1\""], body: Array("{}".utf8), microseconds: 3)
        let lines = [ExchangeLine(exchange: exchange).bytes, ExchangeLine(exchange: exchange, bodyOf: 1).bytes]
        let header = TapeHeader(release: "1", settings: "", memberNames: .ids).bytes
        guard let compressor = GzipCompressor(level: 1) else { return lines }
        let blocks = [header, Array(lines.joined(separator: [UInt8(ascii: "\n")]))]
        return lines + [blocks.compactMap { compressor.member(of: $0) }.flatMap(\.self)]
    }

    func take(_ bytes: [UInt8]) throws {
        if let line = ExchangeLine(bytes[...]) { try check(line.exchange) }
        guard let file = try? TapeFile(bytes, path: "f") else { return }
        while let block = try? file.next() {
            for exchange in block { try check(exchange) }
        }
    }

    private func check(_ exchange: Exchange) throws(Violation) {
        let again = ExchangeLine(ExchangeLine(exchange: exchange).bytes[...])
        try require(again?.exchange == exchange, "an exchange that was written is another one")
    }
}
