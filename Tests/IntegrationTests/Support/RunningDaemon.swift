import Foundation
import TestSupport
import Testing

/// `coterie serve` at a free port, killed with this value if it was not ended before.
final class RunningDaemon {
    private let workspace: Workspace
    let command: RunningCommand
    let port: UInt16

    /// Starts a daemon and waits until it listens.
    init(_ workspace: Workspace, _ options: String..., settings: [String: String] = [:]) async throws {
        let command = try workspace.start(["serve", "--port", "0"] + options, settings: settings)
        try ChildWatch.begin(command.process)
        self.workspace = workspace
        self.command = command
        var announced: UInt16?
        _ = await Self.poll {
            announced = Self.port(in: command.errors)
            return announced != nil || !command.isRunning
        }
        port = try #require(announced, "the daemon did not start: \(command.errors)")
    }

    /// A daemon with a journal and a cache of its own, and no catalog.
    static func withoutCatalog(_ workspace: Workspace, _ name: String) async throws -> RunningDaemon {
        try await RunningDaemon(
            workspace, "--journal", workspace.path("journal-\(name)"),
            settings: [
                "COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache-\(name)"),
            ])
    }

    deinit {
        command.send(SIGKILL)
    }

    private static func port(in log: String) -> UInt16? {
        guard let words = log.range(of: "\"listening at port ") else { return nil }
        return UInt16(log[words.upperBound...].prefix { $0 != " " })
    }

    /// The answer to a request over a connection of its own.
    func get(_ target: String, headers: [String] = []) throws -> SocketClient.Response {
        let client = try #require(SocketClient(port: port), "nothing accepts at port \(port): \(command.errors)")
        return try #require(client.request("GET", target, headers: headers), "no answer to \(target)")
    }

    /// The JSON of an answer of status 200.
    func answer<Value: Decodable>(_ target: String, _ type: Value.Type = Value.self) throws -> Value {
        let response = try get(target)
        try #require(response.status == 200, "\(target): \(response.text)")
        return try JSONDecoder().decode(type, from: Data(response.body))
    }

    /// Waits until the daemon serves and says of itself what is wanted.
    @discardableResult
    func wait(until isDone: (Answers.Readiness) -> Bool) async throws -> Answers.Readiness {
        var last: Answers.Readiness?
        let isThere = await Self.poll {
            guard let response = SocketClient(port: port)?.request("GET", "/readyz"), response.status == 200 else {
                return false
            }
            last = try? JSONDecoder().decode(Answers.Readiness.self, from: Data(response.body))
            return last.map(isDone) ?? false
        }
        let readiness = try #require(last, "the daemon is not ready: \(command.errors)")
        #expect(isThere, "still waiting: \(readiness)")
        return readiness
    }

    /// Waits until a version is served.
    @discardableResult
    func wait(forVersion version: String) async throws -> Answers.Readiness {
        try await wait { $0.modelVersion == version && !$0.degraded }
    }

    /// Ends the daemon.
    func end(with signal: Int32 = SIGTERM) async -> CommandRun {
        command.send(signal)
        return await command.wait()
    }

    /// Whether a condition is met by and by.
    static func poll(_ condition: () async throws -> Bool) async rethrows -> Bool { try await eventually(condition) }

    /// Whether the daemon has sent all that it recorded, by and by; the outbox is that of a store in Redis.
    func hasSent() async -> Bool {
        await eventually {
            let lines = (try? get("/metrics").text.split(separator: "\n")) ?? []
            let waiting = ["coterie_outbox_changes ", "coterie_exposures_waiting "].flatMap { name in
                lines.filter { $0.hasPrefix(name) }
            }
            return !waiting.isEmpty && waiting.allSatisfy { $0.hasSuffix(" 0") }
        }
    }

    /// Whether the log has a text, which may come after the answer that tells the same.
    func logs(_ text: String) async -> Bool { await eventually { command.errors.contains(text) } }
}
