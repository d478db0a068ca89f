import Basics
import Foundation
import Synchronization

/// A Redis server on a free port of 127.0.0.1 that keeps nothing, and that ends with this value or with the test.
package final class TemporaryRedis: Sendable {
    /// Why a server could not be started.
    package struct Failure: Error, CustomStringConvertible {
        /// What the server wrote to its log.
        package let description: String
    }

    /// Whether there is a server to start.
    package static let isInstalled = executable != nil

    private static let executable: String? = ["/usr/bin", "/usr/local/bin", "/bin"]
        .map { $0 + "/redis-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The port it listens on.
    package let port: Int
    private let directory: TemporaryDirectory
    private let options: [String]
    private let running = Mutex<Process?>(nil)

    /// Starts a server.
    ///
    /// - Parameter options: further settings, such as `--maxmemory 10mb`, word by word.
    package convenience init(_ options: String...) throws { try self.init(options) }

    /// Starts a server with settings, word by word.
    package init(_ options: [String]) throws {
        directory = try TemporaryDirectory()
        self.options = options
        var tried = 0
        while true {
            let port = try Self.freePort()
            do {
                running.withLock { $0 = nil }
                let started = try Self.start(port: port, options: options, directory: directory.path)
                running.withLock { $0 = started }
                self.port = port
                return
            } catch  where tried < 3 {
                tried += 1  // Another process was quicker to take the port.
            }
        }
    }

    deinit { stop() }

    /// Its address: `redis://127.0.0.1:PORT`.
    package var url: String { "redis://127.0.0.1:\(port)" }

    /// Kills the server; nothing it held survives.
    package func stop() {
        guard let server = running.withLock({ $0.take() }) else { return }
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
    }

    /// Suspends the server, which then accepts connections but does not answer, until `resume`.
    package func pause() { running.withLock { server in _ = server.map { kill($0.processIdentifier, SIGSTOP) } } }

    /// Resumes the server after `pause`.
    package func resume() { running.withLock { server in _ = server.map { kill($0.processIdentifier, SIGCONT) } } }

    /// Starts it again after `stop`, empty, on the same port.
    package func start() throws {
        let started = try Self.start(port: port, options: options, directory: directory.path)
        running.withLock { $0 = started }
    }

    private static func start(port: Int, options: [String], directory: String) throws -> Process {
        guard let executable else { throw Failure(description: "redis-server is not installed") }
        let log = "\(directory)/log"
        try? FileManager.default.removeItem(atPath: log)
        let server = Process()
        server.executableURL = URL(fileURLWithPath: executable)
        server.arguments =
            ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
            + ["--dir", directory, "--logfile", log] + options
        server.standardInput = FileHandle.nullDevice
        server.standardOutput = FileHandle.nullDevice
        server.standardError = FileHandle.nullDevice
        try server.run()
        try ChildWatch.begin(server)
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline, server.isRunning {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            if text.contains("Ready to accept connections") { return server }
            usleep(5_000)
        }
        kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        throw Failure(description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "no log")
    }

    /// The ports that `freePort` has given away.
    private static let given = Mutex<Set<UInt16>>([])

    /// A port of 127.0.0.1 at which nothing listens, and which nobody else gets before it is used.
    ///
    /// It is below those that Linux gives to whoever asks for any port, such as the daemons of other tests.
    package static func freePort() throws -> Int {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 10_000..<32_000)
            if given.withLock({ $0.insert(port).inserted }), isFree(port) { return Int(port) }
        }
        throw Failure(description: "no port from 10000 to 31999 is free")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
