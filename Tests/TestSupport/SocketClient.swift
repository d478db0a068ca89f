import Glibc

/// A client that sends the very bytes it is told to: what `curl` would never send is what servers must survive.
package final class SocketClient {
    /// A response as it came over the wire.
    package struct Response: Sendable, Equatable {
        /// The number in the status line.
        package var status: Int
        /// The fields, names in lower case; the last counts.
        package var headers: [String: String]
        /// The body.
        package var body: [UInt8]

        /// A response.
        package init(status: Int, headers: [String: String], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects to a port of 127.0.0.1; nil if nothing accepts.
    package init?(port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Only so that a server that never answers fails a test instead of hanging it.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        let patienceSize = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, patienceSize)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, patienceSize)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let outcome = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard outcome == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Sends bytes; false if the server has closed the connection.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends text.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a request, and receives its response; nil if the connection ends before it is whole.
    ///
    /// - Parameters:
    ///   - json: the body; nil to send none.
    ///   - form: the body as the fields of a form; nil to send none.
    package func request(
        _ method: String, _ target: String, headers: [String] = [], json: String? = nil, form: String? = nil
    ) -> Response? {
        var fields = headers.contains { $0.hasPrefix("Host:") } ? headers : ["Host: localhost"] + headers
        if json != nil { fields.append("Content-Type: application/json") }
        if form != nil { fields.append("Content-Type: application/x-www-form-urlencoded") }
        let body = json ?? form
        if let body { fields.append("Content-Length: \(body.utf8.count)") }
        let header = fields.map { "\($0)\r\n" }.joined()
        send("\(method) \(target) HTTP/1.1\r\n\(header)\r\n\(body ?? "")")
        return receive(hasBody: method != "HEAD")
    }

    /// Receives a response; nil if the connection ends before it is whole.
    package func receive(hasBody: Bool = true) -> Response? {
        while headEnd == nil {
            guard receiveMore() else { return nil }
        }
        guard let end = headEnd, var response = Self.parse(head: received[..<end]) else { return nil }
        received.removeFirst(end + 4)
        guard hasBody, let length = response.headers["content-length"].flatMap({ Int($0) }) else { return response }
        while received.count < length {
            guard receiveMore() else { return nil }
        }
        response.body = Array(received.prefix(length))
        received.removeFirst(length)
        return response
    }

    /// Waits until something can be received, be it the end of the connection; false if nothing comes in time.
    package func canReceive(withinMilliseconds milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    /// Receives until the server closes the connection: true once it has, false if it does not.
    package func waitForEnd() -> Bool {
        while receiveMore() {}
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0 || errno != EAGAIN
    }

    /// Ends the client's side: the server receives no more, but can still send.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What has been received and not yet been returned.
    package var unread: [UInt8] { received }

    /// Makes the connection end with a reset when the client closes it.
    package func resetAtEnd() {
        var abrupt = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
    }

    private var headEnd: Int? {
        guard received.count >= 4 else { return nil }
        return (0...(received.count - 4)).first { received[$0..<($0 + 4)].elementsEqual("\r\n\r\n".utf8) }
    }

    private func receiveMore() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        received += chunk.prefix(count)
        return true
    }

    private static func parse(head: ArraySlice<UInt8>) -> Response? {
        // "\r\n" is one Character: lines are cut by bytes.
        let lines = head.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        return Response(status: status, headers: headers, body: [])
    }
}
