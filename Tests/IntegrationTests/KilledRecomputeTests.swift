import Foundation
import Redis
import TestSupport
import Testing

@Suite("A recompute that is killed", .aFewAtATime)
struct KilledRecomputeTests {
    @Test("at any moment leaves the current version current and whole", arguments: StoreKind.available)
    func anyMoment(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.importSample()
        let clock = ContinuousClock()
        let duration = try await clock.measure { try await workspace.succeed("recompute", "--neighbours", "50") }
        var current = try await State(workspace)
        for step in 1...8 {
            let command = try workspace.start(["recompute", "--neighbours", "\(50 + step)"])
            let moment = clock.now + duration * (Double(step) / 8)
            while command.isRunning, clock.now < moment { usleep(500) }
            command.send(step.isMultiple(of: 2) ? SIGKILL : SIGINT)
            let isPublished = await command.wait().exitCode == CommandRun.ExitCode.success
            let after = try await State(workspace)
            // The signal may also come between the switch and the end of the process.
            #expect(after.serves(as: current) || after.limit == 50 + step)
            if isPublished { #expect(after.limit == 50 + step) }
            current = after
            try endLease(workspace)
        }
        try await workspace.succeed("recompute", "--neighbours", "99")
        #expect(try await State(workspace).limit == 99)
    }

    @Test("while it writes a folder leaves nothing that the next one does not clear away")
    func writingFolder() async throws {
        let workspace = try Workspace()
        let directory = workspace.store + "/versions"
        try await workspace.publishSample()
        let before = try await State(workspace)
        func unfinished() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return names.filter { !before.versions.contains($0) }
        }
        let command = try workspace.start(["recompute", "--neighbours", "60"])
        while command.isRunning, unfinished().isEmpty { usleep(100) }
        command.send(SIGKILL)
        _ = await command.wait()
        let after = try await State(workspace)
        #expect(after.serves(as: before) || after.limit == 60)
        try await workspace.succeed("recompute", "--neighbours", "70", "--keep", "1")
        let last = try await State(workspace)
        #expect(last.limit == 70)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == last.versions)
    }

    @Test(
        "while it writes to Redis leaves the current version, and holds up the next one for at most half a minute",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func writingRedis() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        let before = try await State(workspace)
        var connection = try RedisConnection(to: RedisAddress(workspace.store))
        let keyCount = try connection.command("DBSIZE")
        // Nobody can write any more once the first key of the new version is there: it stops in the midst of it.
        let command = try workspace.start(["recompute", "--neighbours", "60"])
        while command.isRunning, try connection.command("SCARD", "coterie:incoming") != .integer(1) {}
        _ = try connection.command("CLIENT", "PAUSE", "120000", "WRITE")
        let isHeldUp = try connection.command("SCARD", "coterie:incoming") == .integer(1)
        command.send(SIGKILL)
        let run = await command.wait()
        _ = try connection.command("CLIENT", "UNPAUSE")
        // On a busy machine it would end before somebody tries again.
        let hasLease = try connection.command("PERSIST", "coterie:publisher") == .integer(1)
        let after = try await State(workspace)
        #expect(after.serves(as: before) || (!isHeldUp && after.limit == 60))
        if isHeldUp { #expect(run.ending == .killed(signal: SIGKILL)) }
        if isHeldUp && hasLease {
            let busy = try await workspace.run("recompute")
            #expect(busy.exitCode == CommandRun.ExitCode.tryLater)
            #expect(busy.errors.contains("30 seconds"))
        }
        try endLease(workspace)
        try await workspace.succeed("recompute", "--keep", "1")
        #expect(try await State(workspace).limit == 100)
        // The same content as before: nothing of the killed one is left.
        #expect(try connection.command("DBSIZE") == keyCount)
        #expect(try connection.command("EXISTS", "coterie:incoming") == .integer(0))
    }

    /// What readers see: which version is current, that it is whole, and which there are.
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

        /// Whether the same version is current, and says the same; another may be listed that never became current.
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
