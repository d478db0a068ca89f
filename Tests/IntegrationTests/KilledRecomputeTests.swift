import Foundation
import Redis
import TestSupport
import Testing

@Suite("A recompute that is killed", .aFewAtATime, .drill)
struct KilledRecomputeTests {
    /// How often a kill that came too late is tried again.
    private static let attempts = 20
    /// The steps after which it is killed: each says when it has ended.
    private static let steps = [
        "read groups", "read photos", "compare by photos", "tags and places", "read members", "compare by members",
        "trends and seasons", "encode", "draw the map",
    ]

    @Test("after any step leaves the current version intact", arguments: StoreKind.available)
    func anyStep(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        try await workspace.succeed("recompute", "--neighbours", "50")
        var current = try await State(workspace)
        for (number, step) in Self.steps.enumerated() {
            let signal = number.isMultiple(of: 2) ? SIGINT : SIGKILL
            var isKilled = false
            for _ in 0..<Self.attempts where !isKilled {
                let command = try workspace.start(["recompute", "--neighbours", "\(51 + number)"])
                while command.isRunning, !command.hasEnded(step: step) { usleep(200) }
                command.send(signal)
                let run = await command.wait()
                // Until it reports that, the version is neither listed nor current.
                isKilled = run.ending == .killed(signal: signal) && !command.hasEnded(step: "publish")
                let after = try await State(workspace)
                if isKilled {
                    #expect(after.serves(as: current), "killed after \(step)")
                } else {
                    #expect(after.serves(as: current) || after.limit == 51 + number)
                }
                current = after
                try endLease(workspace)
            }
            #expect(isKilled, "it always ended before it could be killed after \(step)")
        }
        try await workspace.succeed("recompute", "--neighbours", "99")
        #expect(try await State(workspace).limit == 99)
    }

    @Test("while it writes a folder leaves nothing that the next recompute does not remove")
    func writingFolder() async throws {
        let workspace = try Workspace()
        let directory = workspace.store + "/versions"
        try await workspace.publishSample()
        var before = try await State(workspace)
        func unfinished() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter { !before.versions.contains($0) }
        }
        var isKilled = false
        for _ in 0..<Self.attempts where !isKilled {
            let command = try workspace.start(["recompute", "--neighbours", "60"])
            while command.isRunning, try unfinished().isEmpty { usleep(100) }
            command.send(SIGKILL)
            let run = await command.wait()
            let after = try await State(workspace)
            isKilled =
                try run.ending == .killed(signal: SIGKILL) && after.versions == before.versions
                && !unfinished().isEmpty
            #expect(after.serves(as: before) || (!isKilled && after.limit == 60))
            before = after
        }
        try #require(isKilled, "it always ended before it could be killed")
        try await workspace.succeed("recompute", "--neighbours", "70", "--keep", "1")
        let last = try await State(workspace)
        #expect(last.limit == 70)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == last.versions)
    }

    @Test(
        "while it writes to Redis keeps the current version, and delays the next one by at most half a minute",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func writingRedis() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        try await workspace.succeed("recompute", "--keep", "1")
        var connection = try RedisConnection(to: RedisAddress(workspace.store))
        let keyCount = try connection.command("DBSIZE")
        var isKilled = false
        for _ in 0..<Self.attempts where !isKilled {
            let before = try await State(workspace)
            // Redis refuses all writes after the first key of the new version, so publishing stops in the middle.
            let command = try workspace.start(["recompute", "--neighbours", "60"])
            while command.isRunning, try connection.command("SCARD", "coterie:incoming") != .integer(1) {}
            _ = try connection.command("CLIENT", "PAUSE", "120000", "WRITE")
            let isHeldUp = try connection.command("SCARD", "coterie:incoming") == .integer(1)
            command.send(SIGKILL)
            let run = await command.wait()
            _ = try connection.command("CLIENT", "UNPAUSE")
            // On a busy machine the lease might end before the next attempt.
            let hasLease = try connection.command("PERSIST", "coterie:publisher") == .integer(1)
            isKilled = isHeldUp && hasLease && run.ending == .killed(signal: SIGKILL)
            let after = try await State(workspace)
            #expect(after.serves(as: before) || (!isHeldUp && after.limit == 60))
            if !isKilled { try endLease(workspace) }
        }
        try #require(isKilled, "it always ended before it could be killed")
        let busy = try await workspace.run("recompute")
        #expect(busy.exitCode == CommandRun.ExitCode.tryLater)
        #expect(busy.errors.contains("30 seconds"))
        try endLease(workspace)
        try await workspace.succeed("recompute", "--keep", "1")
        #expect(try await State(workspace).limit == 100)
        // The same content as before: nothing of the killed one is left.
        #expect(try connection.command("DBSIZE") == keyCount)
        #expect(try connection.command("EXISTS", "coterie:incoming") == .integer(0))
    }

    /// What readers see: the current version, that it is intact, and the listed versions.
    private struct State {
        var versions: [String]
        var current: String?
        var limit: Int?
        var members: String
        var photos: String

        init(_ workspace: Workspace) async throws {
            let models: Answers.Models = try await workspace.succeed("models", "--json").json()
            versions = models.versions.map(\.manifest.version)
            current = models.current
            limit = models.versions.first { $0.isCurrent }?.manifest.relations[0].limit
            members = try await workspace.export(by: "members")
            photos = try await workspace.export(by: "photos")
        }

        /// Whether the same version is current and intact; a version that never became current may be listed too.
        func serves(as other: State) -> Bool {
            current == other.current && members == other.members && photos == other.photos
        }
    }

    /// Ends the lease of a killed publisher, which ends by itself within 30 seconds.
    private func endLease(_ workspace: Workspace) throws {
        guard workspace.server != nil else { return }
        var connection = try RedisConnection(to: RedisAddress(workspace.store))
        _ = try connection.command("DEL", "coterie:publisher")
    }
}

extension RunningCommand {
    /// Whether a recompute has said that a step has ended.
    func hasEnded(step: String) -> Bool {
        errors.split(separator: "\n").contains { $0.hasPrefix(step + "  ") }
    }
}
