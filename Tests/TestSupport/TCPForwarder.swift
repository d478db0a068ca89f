import Basics
import Foundation
import Glibc
import Synchronization

/// A port of 127.0.0.1 that leads to another one, and later to a third, as a name or an address that is moved does.
///
/// Connections stay with the port that they were opened to. It ends with this value.
package final class TCPForwarder: Sendable {
    /// Two sockets whose bytes go from one to the other, each way on a thread of its own.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        private let running = Atomic(2)

        init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }

        func start() {
            for (from, to) in [(client, server), (server, client)] {
                Thread.detachNewThread { [self] in
                    copy(from, to)
                    shutdown(to, Int32(SHUT_WR))
                    guard running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
                    close(client)
                    close(server)
                }
            }
        }

        private func copy(_ from: Int32, _ to: Int32) {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(from, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let more = unsafe buffer[sent..<count].withUnsafeBytes {
                        unsafe send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard more > 0 else { return }
                    sent += more
                }
            }
        }
    }

    /// The port.
    package let port: Int
    private let listener: Int32
    private let target: Mutex<Int>

    /// Listens at a free port.
    ///
    /// - Parameter target: the port of 127.0.0.1 to which new connections lead.
    package init(to target: Int) throws {
        self.target = Mutex(target)
        port = try TemporaryRedis.freePort()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe Self.call(listener, port, bind), listen(listener, 64) == 0 else {
            throw TemporaryRedis.Failure(description: "port \(port) cannot be listened at")
        }
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let target = self?.target.withLock({ $0 }) else {
                    if client >= 0 { close(client) }
                    close(listener)
                    return
                }
                let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                guard unsafe Self.call(server, target, connect) else {
                    close(client)
                    close(server)
                    continue
                }
                Pair(client, server).start()
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Leads new connections to another port of 127.0.0.1; those that are open stay where they are.
    package func move(to port: Int) { target.withLock { $0 = port } }

    /// Calls `bind` or `connect` with a port of 127.0.0.1; false if it fails.
    private static func call(
        _ descriptor: Int32, _ port: Int, _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Bool {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
