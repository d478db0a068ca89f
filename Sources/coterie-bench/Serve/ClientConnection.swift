import Basics
import CommandLine
import Foundation
import Glibc

/// A connection to an HTTP server on this machine, with one outstanding request at a time.
final class ClientConnection {
    /// A response of the server.
    struct Response {
        let status: Int
        let body: [UInt8]
    }

    let socket: Int32
    private var received: [UInt8] = []
    private var portion = [UInt8](repeating: 0, count: 64 << 10)

    init(port: UInt16) throws(Failure) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 else { throw Failure(.badData, "nothing listens at port \(port)") }
        var yes: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(socket) }

    /// Returns the bytes of a request.
    ///
    /// - Parameters:
    ///   - target: the path and query.
    ///   - method: the method; nil for POST with a body and GET without one.
    ///   - token: the bearer token, or nil for none.
    ///   - json: the body, or nil for none.
    static func request(
        _ target: String, method: String? = nil, token: String? = nil, json: String? = nil
    ) -> [UInt8] {
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let content = json.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
        let line = "\(method ?? (json == nil ? "GET" : "POST")) \(target) HTTP/1.1"
        return Array("\(line)\r\nHost: localhost\r\n\(authorization)\(content)\r\n\(json ?? "")".utf8)
    }

    /// Sends a request and waits for the answer.
    func answer(to request: [UInt8]) throws(Failure) -> Response {
        try send(request)
        while true { if let response = try receive() { return response } }
    }

    /// Sends a request in one call.
    func send(_ request: [UInt8]) throws(Failure) {
        let count = unsafe Glibc.send(socket, request, request.count, Int32(MSG_NOSIGNAL))
        guard count == request.count else { throw Failure(.badData, "a request could not be sent") }
    }

    /// Receives bytes, waiting for the first one.
    ///
    /// - Returns: the response if it is complete, otherwise nil.
    func receive() throws(Failure) -> Response? {
        let count = unsafe recv(socket, &portion, portion.count, 0)
        guard count > 0 else { throw Failure(.badData, "the server ended a connection") }
        received += portion[..<count]
        guard let (head, length) = head() else { return nil }
        let end = head + length
        guard received.count >= end else { return nil }
        let status = Int(String(decoding: received[9..<12], as: UTF8.self)) ?? 0
        let response = Response(status: status, body: Array(received[head..<end]))
        received.removeAll(keepingCapacity: true)
        return response
    }

    /// Returns the start and the length of the body, or nil if the head is not complete.
    private func head() -> (end: Int, bodyLength: Int)? {
        let text = String(decoding: received.prefix(4096), as: UTF8.self)
        guard let end = text.utf8.firstRange(of: "\r\n\r\n".utf8) else { return nil }
        let fields = text[..<end.lowerBound].split(separator: "\r\n").dropFirst()
        let length = fields.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: " ").last ?? "") }
        return length.map { (text.utf8.distance(from: text.startIndex, to: end.upperBound), $0) }
    }
}
