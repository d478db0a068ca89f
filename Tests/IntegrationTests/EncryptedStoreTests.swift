import Foundation
import TestSupport
import Testing

/// A server that encrypts, which the program reaches through stunnel with the lines that it names itself.
@Suite("A store on a server that encrypts", .aFewAtATime)
struct EncryptedStoreTests {
    private static let tools = ["stunnel4", "openssl"].map(Checkout.tool)

    /// The lines of stunnel's settings in a message.
    private func lines(_ message: String) -> [Substring] {
        Array(
            message.split(separator: "\n").drop { $0 != "foreground = yes" }.prefix {
                $0.contains(" = ") || $0 == "[redis]"
            })
    }

    private func start(_ program: String, _ arguments: [String], log: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        let output = try #require(FileHandle(forWritingAtPath: log))
        (process.standardOutput, process.standardError) = (output, output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        try ChildWatch.begin(process)
        return process
    }

    @Test("The error names stunnel's lines for the server, without the password, and the documents have the same")
    func message() async throws {
        let workspace = try Workspace()
        let settings = ["COTERIE_STORE": "rediss://anna:secret@redis.example.org/2"]
        let run = try await workspace.start(["recompute"], settings: settings).wait()
        #expect(run.exitCode == CommandRun.ExitCode.usage && !run.errors.contains("secret"))
        #expect(run.errors.contains("redis://…127.0.0.1:6380/2"), "\(run.errors)")
        let article = try String(
            contentsOfFile: Checkout.root + "/Sources/coterie/Documentation.docc/ProxiesAndEncryption.md",
            encoding: .utf8)
        let lines = lines(run.errors)
        #expect(lines.count == 9 && article.contains(lines.joined(separator: "\n")), "\(lines)")
    }

    @Test(
        "With these lines everything works, and a server with another certificate is refused",
        .enabled(if: TemporaryRedis.isInstalled && !tools.contains(nil), "redis-server, stunnel4 or openssl is missing")
    )
    func tunnel() async throws {
        let workspace = try Workspace()
        let (stunnel, openssl) = (try #require(Self.tools[0]), try #require(Self.tools[1]))
        for name in ["server", "other"] {
            let made = try start(
                openssl,
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", workspace.path("\(name).key"), "-out",
                    workspace.path("\(name).pem"),
                ], log: workspace.path("openssl.log"))
            made.waitUntilExit()
            try #require(made.terminationStatus == 0, "\(workspace.content(of: "openssl.log") ?? "")")
        }
        let encryptedPort = try TemporaryRedis.freePort()
        let server = try TemporaryRedis(
            "--tls-port", "\(encryptedPort)", "--tls-cert-file", workspace.path("server.pem"), "--tls-key-file",
            workspace.path("server.key"), "--tls-ca-cert-file", workspace.path("server.pem"), "--tls-auth-clients", "no"
        )
        let refusal = try await workspace.start(
            ["recompute"], settings: ["COTERIE_STORE": "rediss://localhost:\(encryptedPort)"]
        ).wait()
        let settings = lines(refusal.errors).joined(separator: "\n")
        try await workspace.importSample()
        for (certificate, isRight) in [("other", false), ("server", true)] {
            let port = try TemporaryRedis.freePort()
            let file = try workspace.write(
                settings.replacing("127.0.0.1:6380", with: "127.0.0.1:\(port)")
                    .replacing("/etc/ssl/certs/ca-certificates.crt", with: workspace.path("\(certificate).pem")) + "\n",
                to: "stunnel.conf")
            let tunnel = try start(stunnel, [file], log: workspace.path("stunnel.log"))
            defer {
                kill(tunnel.processIdentifier, SIGKILL)
                tunnel.waitUntilExit()
            }
            let isUp = await RunningDaemon.poll {
                workspace.content(of: "stunnel.log")?.contains("Configuration successful") == true
                    && SocketClient(port: UInt16(port)) != nil
            }
            try #require(isUp, "\(workspace.content(of: "stunnel.log") ?? "")")
            let store = ["COTERIE_STORE": "redis://127.0.0.1:\(port)"]
            let run = try await workspace.start(["recompute"], settings: store).wait()
            #expect(run.exitCode == (isRight ? CommandRun.ExitCode.success : CommandRun.ExitCode.tryLater))
            guard isRight else { continue }
            let daemon = try await RunningDaemon(
                workspace, "--journal", workspace.path("journal"),
                settings: store.merging(["COTERIE_CATALOG": "none"]) { $1 })
            try await daemon.wait { !$0.degraded }
        }
        _ = server.port
    }
}
