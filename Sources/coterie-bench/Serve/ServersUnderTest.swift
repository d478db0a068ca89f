import Basics
import CommandLine
import Foundation
import Glibc

/// The servers that are measured, each with one thread on the same processor.
struct ServersUnderTest {
    /// The processor on which the measured servers run.
    static let serverProcessor = 0
    static let loadProcessor = 1

    let daemon: Child
    let daemonPort: UInt16
    let nginx: Child
    let nginxPort: UInt16

    /// Starts the daemon over a scene, then nginx with one file: the daemon's answer for the first member.
    init(_ scene: ServeScene) throws {
        (daemon, daemonPort) = try Self.startDaemon(scene, folder: scene.folder)
        let answer = try ClientConnection(port: daemonPort).answer(to: scene.request(0))
        guard answer.status == 200 else { throw Failure(.badData, String(decoding: answer.body, as: UTF8.self)) }
        (nginx, nginxPort) = try Self.startNginx(serving: answer.body, in: scene.folder + "/nginx")
    }

    /// Starts a daemon with one thread over the files of a scene, and waits until it has a version.
    ///
    /// - Parameter options: further options of `coterie serve`.
    static func startDaemon(_ scene: ServeScene, _ options: [String] = [], folder: String) throws -> (Child, UInt16) {
        let files = ["--catalog", scene.folder + "/catalog.sqlite", "--store", scene.folder + "/models"]
        // The rate limit is counted but never reached.
        return try startDaemon(of: scene, files + ["--member-rate", "500000"] + options, folder: folder)
    }

    /// Starts a daemon with one thread and the keys of a scene, and waits until it has a version.
    static func startDaemon(of scene: ServeScene, _ options: [String], folder: String) throws -> (Child, UInt16) {
        let words = ["serve", "--port", "0", "--threads", "1", "--keys", scene.folder + "/keys.json"]
        let daemon = try Child([try daemonPath()] + words + options, processor: serverProcessor, folder: folder)
        return (daemon, try port(of: daemon))
    }

    /// Returns the path of the daemon's program.
    static func daemonPath() throws -> String {
        let executable = (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/coterie"
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw Failure(.badData, "there is no coterie beside this program: swift build -c release")
        }
        return executable
    }

    /// Returns the port of a started daemon, once it has a version.
    static func port(of daemon: Child) throws -> UInt16 {
        let port = try daemon.wait {
            daemon.errors.firstMatch(of: #/"listening at port ([0-9]+) /#).flatMap { UInt16($0.output.1) }
        }
        try daemon.wait {
            try ClientConnection(port: port).answer(to: ClientConnection.request("/readyz")).status == 200 ? () : nil
        }
        return port
    }

    private static func startNginx(serving body: [UInt8], in folder: String) throws -> (Child, UInt16) {
        let program = try Child.path(of: "nginx", package: "nginx-light")
        try FileManager.default.createDirectory(atPath: folder + "/www", withIntermediateDirectories: true)
        try Data(body).write(to: URL(fileURLWithPath: folder + "/www/answer.json"))
        let port = try freePort()
        let scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
        let configuration = """
            daemon off; master_process off; pid \(folder)/pid; error_log stderr;
            events { use epoll; worker_connections 1024; }
            http {
                access_log off; sendfile on; tcp_nopush on; keepalive_timeout 65; keepalive_requests 1000000000;
                open_file_cache max=16 inactive=600s; open_file_cache_valid 600s;
                types { application/json json; }
                \(scratch.joined(separator: " "))
                server { listen 127.0.0.1:\(port); root \(folder)/www; }
            }
            """
        try configuration.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
        let nginx = try Child(
            [program, "-e", "stderr", "-p", folder, "-c", folder + "/nginx.conf"], processor: serverProcessor,
            folder: folder)
        let answer = try nginx.wait {
            try? ClientConnection(port: port).answer(to: ClientConnection.request("/answer.json"))
        }
        guard answer.status == 200, answer.body == body else {
            throw Failure(.badData, "nginx does not serve the file")
        }
        return (nginx, port)
    }

    /// Returns a port at which nothing listens.
    static func freePort() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(listener, generic, length) == 0 && getsockname(listener, generic, &length) == 0
            }
        }
        guard isBound else { throw Failure(.badData, "no port is free") }
        return UInt16(bigEndian: address.sin_port)
    }
}
