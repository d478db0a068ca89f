import Testing

/// A request that must be refused, whatever follows.
struct AttackRequest: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let bytes: [UInt8]

    var testDescription: String { name }

    /// What an attacker wants to have read as a request of its own.
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: t\r\n\r\n"

    private init(_ name: String, _ status: Int = 400, text: String) {
        (self.name, self.status, bytes) = (name, status, Array(text.utf8))
    }

    /// A POST with these header fields besides a good Host.
    private init(_ name: String, _ status: Int = 400, fields: String, body: String? = nil) {
        let body = body ?? Self.smuggled
        self.init(name, status, text: "POST /a HTTP/1.1\r\nHost: t\r\n\(fields)\r\n\r\n\(body)")
    }

    /// A POST with a body in chunks.
    private init(_ name: String, _ status: Int = 400, chunks: String) {
        self.init(name, status, fields: "Transfer-Encoding: chunked", body: chunks + Self.smuggled)
    }

    static let all = lengths + codings + chunks + fields + requestLines

    private static let length = smuggled.utf8.count

    private static let lengths = [
        AttackRequest("space before the colon of Content-Length", fields: "Content-Length : \(length)"),
        AttackRequest("tab before the colon of Content-Length", fields: "Content-Length\t: \(length)"),
        AttackRequest("sign in Content-Length", fields: "Content-Length: +\(length)"),
        AttackRequest("negative Content-Length", fields: "Content-Length: -1"),
        AttackRequest("hexadecimal Content-Length", fields: "Content-Length: 0x10"),
        AttackRequest("list in Content-Length", fields: "Content-Length: 5,5"),
        AttackRequest("empty Content-Length", fields: "Content-Length:"),
        AttackRequest("words in Content-Length", fields: "Content-Length: 5 5"),
        AttackRequest("vertical tab after Content-Length", fields: "Content-Length: 5\u{B}"),
        AttackRequest("digit that is not ASCII in Content-Length", fields: "Content-Length: \u{665}"),
        AttackRequest("Content-Length twice, different", fields: "Content-Length: 5\r\nContent-Length: 6"),
        AttackRequest("Content-Length twice, the same", fields: "Content-Length: 5\r\ncontent-length: 5"),
        AttackRequest("Content-Length beyond the limit", 413, fields: "Content-Length: 65537"),
        AttackRequest("Content-Length beyond 64 bits", 413, fields: "Content-Length: 18446744073709551617"),
        AttackRequest("Content-Length beyond 63 bits", 413, fields: "Content-Length: 9223372036854775808"),
    ]

    private static let codings = [
        AttackRequest("space before the colon of Transfer-Encoding", fields: "Transfer-Encoding : chunked"),
        AttackRequest(
            "Content-Length and Transfer-Encoding", fields: "Content-Length: 5\r\nTransfer-Encoding: chunked"),
        AttackRequest(
            "Transfer-Encoding and Content-Length", fields: "Transfer-Encoding: chunked\r\nContent-Length: 5"),
        AttackRequest("unknown coding before chunked", 501, fields: "Transfer-Encoding: gzip, chunked"),
        AttackRequest(
            "unknown coding in a field before chunked", 501,
            fields: "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"),
        AttackRequest("unknown coding alone", fields: "Transfer-Encoding: gzip"),
        AttackRequest("identity", fields: "Transfer-Encoding: identity"),
        AttackRequest("chunked before another coding", fields: "Transfer-Encoding: chunked, identity"),
        AttackRequest("chunked twice", fields: "Transfer-Encoding: chunked, chunked"),
        AttackRequest("chunked in two fields", fields: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        AttackRequest("almost chunked", fields: "Transfer-Encoding: xchunked"),
        AttackRequest("chunked with a parameter", fields: "Transfer-Encoding: chunked;q=1"),
        AttackRequest("quoted chunked", fields: "Transfer-Encoding: \"chunked\""),
        AttackRequest("empty coding", fields: "Transfer-Encoding: , chunked"),
        AttackRequest("empty Transfer-Encoding", fields: "Transfer-Encoding:"),
        AttackRequest("vertical tab before chunked", fields: "Transfer-Encoding: \u{B}chunked"),
        AttackRequest(
            "chunks in HTTP/1.0",
            text: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"
                + "0\r\n\r\n\(smuggled)"),
    ]

    private static let chunks = [
        AttackRequest("chunk size with a prefix", chunks: "0x0\r\n\r\n"),
        AttackRequest("chunk size with a sign", chunks: "+0\r\n\r\n"),
        AttackRequest("negative chunk size", chunks: "-1\r\n\r\n"),
        AttackRequest("empty chunk size", chunks: "\r\n\r\n"),
        AttackRequest("chunk size with junk", chunks: "0 junk\r\n\r\n"),
        AttackRequest("space before the chunk size", chunks: " 0\r\n\r\n"),
        AttackRequest("space after the chunk size", chunks: "0 \r\n\r\n"),
        AttackRequest("chunk size beyond 64 bits", 413, chunks: "10000000000000000\r\n"),
        AttackRequest("chunk size beyond 63 bits", 413, chunks: "ffffffffffffffff\r\n"),
        AttackRequest("LF alone after the chunk size", chunks: "0\n\r\n"),
        AttackRequest("CR alone after the chunk size", chunks: "0\r\r\n\r\n"),
        AttackRequest("LF in a chunk extension", chunks: "0;a\nb\r\n\r\n"),
        AttackRequest("CR in a chunk extension", chunks: "0;a\rb\r\n\r\n"),
        AttackRequest("NUL in a chunk extension", chunks: "0;a\0b\r\n\r\n"),
        AttackRequest("long chunk extension", chunks: "0;\(String(repeating: "a", count: 300))\r\n\r\n"),
        AttackRequest("chunk longer than its size", chunks: "1\r\nab\r\n0\r\n\r\n"),
        AttackRequest("chunk shorter than its size", chunks: "3\r\nab\r\n0\r\n\r\n"),
        AttackRequest("LF alone after a chunk", chunks: "1\r\na\n0\r\n\r\n"),
        AttackRequest("LF alone after the last chunk", chunks: "0\r\n\n"),
        AttackRequest("bad trailer field", chunks: "0\r\nA : b\r\n\r\n"),
        AttackRequest("trailer field without a colon", chunks: "0\r\nabc\r\n\r\n"),
    ]

    private static let fields = [
        AttackRequest("LF alone after the request line", text: "GET / HTTP/1.1\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("LF alone after a field", text: "GET / HTTP/1.1\r\nHost: t\nA: b\r\n\r\n\(smuggled)"),
        AttackRequest("LF alone after the fields", text: "GET / HTTP/1.1\r\nHost: t\r\n\n\(smuggled)"),
        AttackRequest("LF alone everywhere", text: "GET / HTTP/1.1\nHost: t\n\n\(smuggled)"),
        AttackRequest("CR alone in a value", fields: "A: b\rContent-Length: \(length)"),
        AttackRequest("NUL in a value", fields: "A: b\0c"),
        AttackRequest("control character in a value", fields: "A: b\u{1}c"),
        AttackRequest("DEL in a value", fields: "A: b\u{7F}c"),
        AttackRequest("NUL in a name", fields: "Content-Length\0: \(length)"),
        AttackRequest("space in a name", fields: "Content Length: \(length)"),
        AttackRequest("quote in a name", fields: "\"Content-Length\": \(length)"),
        AttackRequest("letter that is not ASCII in a name", fields: "Content-Lengtħ: \(length)"),
        AttackRequest("empty name", fields: ": \(length)"),
        AttackRequest("no colon", fields: "Content-Length"),
        AttackRequest("folded value", fields: "A: b\r\n c"),
        AttackRequest("value folded with a tab", fields: "Content-Length:\r\n\t\(length)"),
        AttackRequest("white space before the first field", text: "GET / HTTP/1.1\r\n Host: t\r\n\r\n\(smuggled)"),
        AttackRequest("blank line of white space", text: "GET / HTTP/1.1\r\nHost: t\r\n \r\n\r\n\(smuggled)"),
        AttackRequest("no Host", text: "GET / HTTP/1.1\r\nA: b\r\n\r\n\(smuggled)"),
        AttackRequest("two Hosts", fields: "Host: u"),
        AttackRequest("two Hosts, the same", fields: "host: t"),
        AttackRequest("two Hosts in HTTP/1.0", text: "GET / HTTP/1.0\r\nHost: t\r\nHost: u\r\n\r\n\(smuggled)"),
        AttackRequest("two names in Host", text: "GET / HTTP/1.1\r\nHost: t u\r\n\r\n\(smuggled)"),
        AttackRequest("path in Host", text: "GET / HTTP/1.1\r\nHost: t/u\r\n\r\n\(smuggled)"),
        AttackRequest("user in Host", text: "GET / HTTP/1.1\r\nHost: u@t\r\n\r\n\(smuggled)"),
    ]

    private static let requestLines = [
        AttackRequest("two spaces after the method", text: "GET  / HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("two spaces after the target", text: "GET /  HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("tab after the method", text: "GET\t/ HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("tab after the target", text: "GET /\tHTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("space before the method", text: " GET / HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("space after the version", text: "GET / HTTP/1.1 \r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("space in the target", text: "GET /a b HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("NUL in the target", text: "GET /a\0b HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("CR in the target", text: "GET /a\rb HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("no version", text: "GET /\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("version in small letters", text: "GET / http/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("long version", text: "GET / HTTP/1.11\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("short version", text: "GET / HTTP/1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("HTTP/2", 505, text: "GET / HTTP/2.0\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("HTTP/0.9", 505, text: "GET / HTTP/0.9\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("bad method", text: "G(ET / HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("no method", text: "/ HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("two empty lines first", text: "\r\n\r\n\(smuggled)"),
        AttackRequest("absolute form without a host", text: "GET http:///a HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("absolute form with a user", text: "GET http://u@t/a HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("absolute form of another scheme", text: "GET ftp://t/a HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("authority form", text: "CONNECT t:80 HTTP/1.1\r\nHost: t\r\n\r\n\(smuggled)"),
        AttackRequest("absolute form without a Host field", text: "GET http://t/a HTTP/1.1\r\n\r\n\(smuggled)"),
        AttackRequest(
            "long request line", 414, text: "GET /\(String(repeating: "a", count: 16384)) HTTP/1.1\r\nHost: t\r\n\r\n"),
        AttackRequest("long field", 431, fields: "A: \(String(repeating: "a", count: 16384))"),
        AttackRequest(
            "many fields", 431,
            fields: (0..<1000).map { "A\($0): \(String(repeating: "a", count: 16))" }.joined(separator: "\r\n")),
        AttackRequest(
            "long request line without an end", 414, text: "GET /\(String(repeating: "a", count: 20000))"),
    ]
}
