import Foundation
import TestSupport
import Testing

/// Machines that do not give a daemon what it is used to: readers of its log, descriptors, a home folder.
@Suite("Daemons on hostile machines", .aFewAtATime)
struct HostileMachineTests {
    /// A daemon whose standard error is a pipe that this process reads, or does not.
    private final class PipedDaemon {
        let process = Process()
        let pipe = Pipe()
        let port: UInt16
        private(set) var log = ""

        init(_ workspace: Workspace, _ options: String...) throws {
            process.executableURL = URL(fileURLWithPath: Checkout.program)
            process.arguments = ["serve", "--port", "0"] + options
            process.environment = workspace.environment
            process.currentDirectoryURL = URL(fileURLWithPath: workspace.folder)
            process.standardInput = FileHandle.nullDevice
            process.standardError = pipe
            try process.run()
            try ChildWatch.begin(process)
            var log = ""
            var found: UInt16?
            while found == nil {
                let bytes = pipe.fileHandleForReading.availableData
                try #require(!bytes.isEmpty, "the daemon did not start: \(log)")
                log += String(decoding: bytes, as: UTF8.self)
                found = log.firstMatch(of: #/"listening at port ([0-9]+) /#).flatMap { UInt16($0.output.1) }
            }
            port = try #require(found)
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        /// Makes requests whose lines in the log are more than any pipe and the daemon's queue hold.
        func fillLog() throws {
            let client = try #require(SocketClient(port: port))
            let path = "/" + String(repeating: "a", count: 600)
            for number in 0..<3000 {
                let answer = try #require(client.request("GET", path), "request \(number) was not answered")
                #expect(answer.status == 404)
            }
        }

        func get(_ target: String) throws -> SocketClient.Response {
            let client = try #require(SocketClient(port: port))
            return try #require(client.request("GET", target))
        }

        /// Reads the log until it has a text.
        func read(until text: String) -> Bool {
            var unread: [UInt8] = []
            while true {
                let bytes = pipe.fileHandleForReading.availableData
                guard !bytes.isEmpty else { return false }
                unread += bytes
                if String(decoding: unread, as: UTF8.self).contains(text) { return true }
                unread = Array(unread.suffix(4096))
            }
        }
    }

    @Test("A log that nobody reads holds up no answer and no end; what was dropped is counted, and told later")
    func unreadLog() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try PipedDaemon(workspace, "--log-requests")
        try daemon.fillLog()
        #expect(try daemon.get("/healthz").status == 200)
        let metrics = try daemon.get("/metrics").text
        let dropped = metrics.firstMatch(of: #/coterie_log_dropped_total ([0-9]+)/#).flatMap { Int($0.output.1) }
        #expect((dropped ?? 0) > 0, "\(metrics)")
        #expect(daemon.read(until: #""linesDropped":"#))
        // Now nobody reads again, and the daemon is to end.
        try daemon.fillLog()
        kill(daemon.process.processIdentifier, SIGTERM)
        let hasEnded = await RunningDaemon.poll { !daemon.process.isRunning }
        #expect(hasEnded && daemon.process.terminationStatus == 0)
    }

    /// The number of descriptors that a process has open.
    private func descriptorCount(_ daemon: RunningDaemon) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.command.process.processIdentifier)/fd")
            .count
    }

    private func limitDescriptors(of daemon: RunningDaemon, to count: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        process.arguments = ["--pid", "\(daemon.command.process.processIdentifier)", "--nofile=\(count):\(count)"]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private static let hasPrlimit = FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")

    @Test(
        "Without descriptors, the longest idle connection gives way, and health checks go on",
        .enabled(if: hasPrlimit, "prlimit is not installed"))
    func noDescriptors() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace, "--threads", "1")
        try await daemon.wait { !$0.degraded }
        try limitDescriptors(of: daemon, to: try descriptorCount(daemon) + 3)
        var idle: [SocketClient] = []
        for _ in 0..<40 {
            let client = try #require(SocketClient(port: daemon.port))
            #expect(client.request("GET", "/healthz")?.status == 200)
            idle.append(client)
        }
        #expect(idle[0].waitForEnd(), "the oldest connection is still open")
        // Connections at work do not give way: the next one waits, and costs nothing meanwhile.
        idle = []
        var busy: [SocketClient] = []
        for _ in 0..<6 {
            let client = try #require(SocketClient(port: daemon.port))
            client.send("GET /healthz HTTP/1.1\r\n")
            busy.append(client)
        }
        // A thread that tries again and again never sleeps, however busy the machine is.
        var looks = 0
        let isAsleep = await RunningDaemon.poll {
            if (try? areThreadsAsleep(of: daemon)) == true { looks += 1 }
            return looks == 10
        }
        #expect(isAsleep, "the daemon tries to accept again and again")
        busy = []
        #expect(try daemon.get("/healthz").status == 200)
    }

    /// Whether all threads of a daemon wait for something.
    private func areThreadsAsleep(of daemon: RunningDaemon) throws -> Bool {
        let folder = "/proc/\(daemon.command.process.processIdentifier)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { thread in
            guard let text = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8) else {
                return true
            }
            return text.split(separator: ")").last?.split(separator: " ").first == "S"
        }
    }

    @Test(
        "A daemon raises its limit on open files, or says how many connections there is room for",
        arguments: [true, false])
    func limits(canRaise: Bool) async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let limit = canRaise ? "ulimit -Sn 100" : "ulimit -Sn 100 && ulimit -Hn 256"
        let script = "\(limit); exec \"$0\" serve --port 0 --connections 300"
        let command = try RunningCommand(
            "/bin/bash", ["-c", script, Checkout.program], environment: workspace.environment, input: nil,
            in: workspace.folder)
        defer { command.send(SIGKILL) }
        let isListening = await RunningDaemon.poll { command.errors.contains("listening at port") }
        try #require(isListening, "\(command.errors)")
        let limits = try String(contentsOfFile: "/proc/\(command.process.processIdentifier)/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        let soft = line?.split(separator: " ").compactMap { Int($0) }.first
        #expect(canRaise ? (soft ?? 0) >= 492 : soft == 256, "\(limits)")
        let isTold = await RunningDaemon.poll {
            canRaise || command.errors.contains("leaves room for 112 connections instead of 300")
        }
        #expect(isTold && canRaise != command.errors.contains("leaves room"), "\(command.errors)")
        command.send(SIGTERM)
        #expect(await command.wait().exitCode == CommandRun.ExitCode.success)
    }

    private static let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    @Test(
        "A user without a home folder can run a daemon, and errors of libraries are sentences",
        .enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: nobody[0]), "it takes root"))
    func noHome() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let files = FileManager.default
        let models = try #require(files.enumerator(atPath: workspace.store))
        for case let name as String in models {
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workspace.store + "/" + name)
        }
        for path in [workspace.folder, workspace.store] {
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: workspace.catalog)
        for (settings, isGood) in [
            (["HOME": "/nonexistent"], true), (["HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent"], false),
        ] {
            let command = try RunningCommand(
                Self.nobody[0], Self.nobody[1...] + [Checkout.program, "serve", "--port", "0"],
                environment: workspace.environment.merging(settings) { $1 }, input: nil, in: workspace.folder)
            defer { command.send(SIGKILL) }
            let isOver = await RunningDaemon.poll {
                command.errors.contains("listening at port") || !command.isRunning
            }
            #expect(isOver && command.isRunning == isGood, "\(command.errors)")
            #expect(!command.errors.contains("CocoaError") && !command.errors.contains("userInfo"), "\(command.errors)")
            if !isGood { #expect(command.errors.contains("cannot make the folder /nonexistent"), "\(command.errors)") }
            command.send(SIGTERM)
            _ = await command.wait()
        }
        try? files.removeItem(atPath: "/var/tmp/coterie-65534")
    }
}
