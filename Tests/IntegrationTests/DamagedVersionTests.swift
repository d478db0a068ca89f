import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "A version that is damaged in Redis", .aFewAtATime,
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct DamagedVersionTests {
    private static let list = "/v1/users/laura-100/recommendations?session=none&limit=50"

    private func groups(_ daemon: RunningDaemon) throws -> [String] {
        let answer: Answers.Suggestions = try daemon.answer(Self.list)
        return answer.rows.map(\.groupId)
    }

    @Test("is refused by a daemon, which goes on with the one before and says so, and is served once it is whole")
    func refusal() async throws {
        let workspace = try Workspace(.redis)
        try await workspace.publishSample()
        func current() async throws -> String {
            try #require(try await workspace.succeed("models", "--json").json(Answers.Models.self).current)
        }
        func daemon() async throws -> RunningDaemon {
            try await RunningDaemon(
                workspace, "--journal", workspace.path("journal"),
                settings: [
                    "COTERIE_CATALOG": "none", "COTERIE_CACHE": workspace.path("cache"),
                    // A member's order changes at some moment, which may come between two answers.
                    "COTERIE_LISTS_ROTATION_NOISE": "0", "COTERIE_LISTS_ROTATION_TAIL_NOISE": "0",
                ])
        }
        let first = try await current()
        var running = try await daemon()
        try await running.wait(forVersion: first)
        let listed = try groups(running)
        _ = await running.end()
        try await workspace.succeed("recompute")
        let second = try await current()
        var connection = try RedisConnection(to: RedisAddress(#require(workspace.server).url))
        let shape = "coterie:\(second):shape"
        let buckets = try #require(try connection.command("HGET", shape, "buckets").text)
        _ = try connection.command("RENAME", "coterie:\(second):users:3", "elsewhere")
        for damage in [buckets, "1"] {
            // A bucket is missing; then their number is wrong as well.
            _ = try connection.command("HSET", shape, "buckets", damage)
            running = try await daemon()
            try await running.wait { $0.modelVersion == first && $0.degraded }
            #expect(try groups(running) == listed)
            _ = await running.end()
        }
        _ = try connection.command("RENAME", "elsewhere", "coterie:\(second):users:3")
        _ = try connection.command("HSET", shape, "buckets", buckets)
        running = try await daemon()
        try await running.wait(forVersion: second)
        #expect(!(try groups(running).isEmpty))
    }
}
