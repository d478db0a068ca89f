import TestSupport

/// Requests with a few bytes changed.
enum Mutation {
    private static let seeds = [
        "POST /a%2Fb/c?d=e HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\nX-Thing: one, two\r\n\r\nhello",
        "POST /a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3;a=b\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nA: b\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: t\r\nConnection: keep-alive\r\n\r\n",
        "PUT /a HTTP/1.0\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nab",
    ]

    /// Bytes that often break HTTP parsers.
    private static let morsels = [
        "\r", "\n", "\0", "%", "%0", "%00", " ", "\t", ":", "\r\n", "\r\n\r\n", "\u{FF}", "-1", "+", "0x", ",", ";",
        "99999999999999999999", "?", "/", "0\r\n\r\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
        "Host: t\r\n", " \r\n", "\n ", "HTTP/1.1", "Connection: close\r\n",
    ]

    /// One to three requests, with a few bytes of the first ones changed, removed, doubled, or inserted; often with a
    /// good request after them.
    static func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            bytes += Array((seeds.randomElement(using: &generator) ?? "").utf8)
        }
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
            case 3: bytes.removeSubrange(index...)
            default: bytes.insert(contentsOf: (morsels.randomElement(using: &generator) ?? "").utf8, at: index)
            }
        }
        return Bool.random(using: &generator) ? bytes : bytes + Array(AttackRequest.smuggled.utf8)
    }
}
