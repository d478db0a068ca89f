import Basics
import CommandLine
import Foundation
import Glibc
import Model
import ModelStore
import Redis

/// The effect on other members if one member sends requests without pauses, with a store in Redis.
struct HammeredStore {
    /// The number of connections of the one member.
    private static let hammeringConnections = 16
    /// The requests per second of all other members together, and the number of their connections.
    private static let others = (perSecond: 100.0, connections: 8)
    private static let boundMilliseconds = 5.0

    private let scene: ServeScene
    private let redis: Child
    private let daemon: Child
    private let port: UInt16

    /// Starts a Redis server, and a daemon with the usual limits.
    init(_ scene: ServeScene) throws {
        self.scene = scene
        let (folder, redisPort) = (scene.folder + "/hammered", try ServersUnderTest.freePort())
        let url = "redis://127.0.0.1:\(redisPort)"
        let address = try RedisAddress(url)
        redis = try Child.redis(["--port", "\(redisPort)"], at: address, folder: folder)
        try scene.publish(to: RedisStore(address, cacheDirectory: folder + "/shared"))
        let files = ["--catalog", "none", "--cache", folder + "/shared", "--journal", folder + "/journal"]
        (daemon, port) = try ServersUnderTest.startDaemon(of: scene, ["--store", url] + files, folder: folder)
    }

    /// Returns the latency of other members' new lists, with and without the load of one member.
    ///
    /// That member requests new lists and records interactions.
    func row(seconds: Int) throws -> String {
        var session = 2_000_000
        let load = RequestLoad(port: port, connectionCount: Self.others.connections) { generator in
            session += 1
            return scene.request(Int.random(in: 1..<scene.size.members, using: &generator), session: session)
        }
        // One-time work after the daemon's start must not be counted as the effect of the one member.
        _ = try load.run(seconds: 2, perSecond: Self.others.perSecond, seed: 4)
        let alone = try load.run(seconds: Double(seconds), perSecond: Self.others.perSecond, seed: 5)
        let sent = Locked<Int?>(nil)
        let words = try hammer(seconds: seconds + 1)
        let hammering = try WorkThread {
            let text = try? Child.output(of: words, processor: ServersUnderTest.loadProcessor)
            let count = text?.firstMatch(of: #/([0-9]+) requests in /#).flatMap { Int($0.output.1) }
            sent.withLock { $0 = count }
        }
        let outcome = try load.run(seconds: Double(seconds), perSecond: Self.others.perSecond, seed: 3)
        hammering.join()
        guard let requests = sent.withLock(\.self) else { throw Failure(.badData, "wrk failed") }
        return """
            {"benchmark":"serve","row":"hammered","hammeringRequests":\(requests),\
            "requests":\(outcome.latencies.count),"failures":\(alone.failures + outcome.failures),\
            "medianMillisecondsAlone":\(Measuring.fixed(alone.latency(ofPart: 0.5))),\
            "p99MillisecondsAlone":\(Measuring.fixed(alone.latency(ofPart: 0.99))),\
            "medianMilliseconds":\(Measuring.fixed(outcome.latency(ofPart: 0.5))),\
            "p99Milliseconds":\(Measuring.fixed(outcome.latency(ofPart: 0.99))),\
            "longestMilliseconds":\(Measuring.fixed(outcome.latency(ofPart: 1))),"atMost":\(Self.boundMilliseconds)}
            """
    }

    /// Returns a command that sends the first member's requests: a new session and a new interaction in turn.
    private func hammer(seconds: Int) throws -> [String] {
        let script = scene.folder + "/hammer.lua"
        let user = "/v1/users/\(ServeScene.userID(0))"
        try """
        local count = 0
        request = function()
            count = count + 1
            if count % 2 == 0 then return wrk.format("GET", "\(user)/recommendations?session=" .. count) end
            wrk.headers["Content-Type"] = "application/json"
            local click = '"kind":"click","groupId":"\(scene.version.id(of: 0))"'
            local body = '{"interactions":[{"id":"' .. count .. '",' .. click .. '}]}'
            return wrk.format("POST", "\(user)/interactions", nil, body)
        end
        """.write(toFile: script, atomically: false, encoding: .utf8)
        return [
            // The load must not delay timed requests, which are sent from the same processor.
            try Child.path(of: "nice", package: "coreutils"), "-n", "19",
            try Child.path(of: "wrk", package: "wrk"), "-t1", "-c\(Self.hammeringConnections)", "-d\(seconds)s", "-s",
            script, "-H", "Authorization: Bearer \(scene.tokens[0])", "http://127.0.0.1:\(port)",
        ]
    }
}
