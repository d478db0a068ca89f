import Foundation
import Redis

/// A Redis, and two daemons that share it; used by one thread.
final class SoakServers {
    let daemons: [Child]
    let ports: [UInt16]
    let store: String
    let hidden = HiddenGroups()
    private var redis: Child
    private let redisPort: UInt16
    private let folder: String
    /// How many empty folders Redis has had.
    private var redisFolders = 0

    init(_ community: SoakCommunity) throws {
        folder = community.folder
        redisPort = try ServersUnderTest.freePort()
        store = "redis://127.0.0.1:\(redisPort)"
        redis = try Self.startRedis(port: redisPort, in: folder + "/redis-0")
        try SoakCommunity.coterie(["recompute", "--catalog", community.catalog, "--store", store])
        var daemons: [Child] = []
        var ports: [UInt16] = []
        for number in 0..<2 {
            let place = "\(folder)/daemon-\(number)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let daemon = try Child(
                [
                    SoakCommunity.program, "serve", "--port", "0", "--store", store, "--catalog", community.catalog,
                    "--journal", place + "/journal", "--cache", place + "/cache", "--open-rate", "0",
                ], processor: number, folder: place)
            let port = try daemon.wait {
                daemon.errors.firstMatch(of: #/"listening at port ([0-9]+) /#).flatMap { UInt16($0.output.1) }
            }
            try daemon.wait {
                try ClientConnection(port: port).answer(to: ClientConnection.request("/readyz")).status == 200
                    ? () : nil
            }
            daemons.append(daemon)
            ports.append(port)
        }
        (self.daemons, self.ports) = (daemons, ports)
    }

    /// It writes each change to its folder, so that it has all of them after a restart there.
    private static func startRedis(port: UInt16, in folder: String) throws -> Child {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let redis = try Child(
            [
                try Child.path(of: "redis-server", package: "redis-server"), "--port", "\(port)", "--bind",
                "127.0.0.1", "--save", "", "--appendonly", "yes", "--dir", folder,
            ], processor: ServersUnderTest.serverProcessor, folder: folder)
        try redis.wait { () -> Void? in
            guard let address = try? RedisAddress("redis://127.0.0.1:\(port)"),
                var connection = try? RedisConnection(to: address)
            else { return nil }
            // It answers with an error while it loads.
            return (try? connection.command("DBSIZE")) == nil ? nil : ()
        }
        return redis
    }

    /// Stops Redis, and starts it again a second later.
    func restartRedis(keepingData isKept: Bool) throws {
        redis.stop()
        Thread.sleep(forTimeInterval: 1)
        if !isKept { redisFolders += 1 }
        redis = try Self.startRedis(port: redisPort, in: "\(folder)/redis-\(redisFolders)")
        hidden.noteRedisIsThere()
    }

    /// Whether the daemons answer for several members at once.
    func answersBatches() throws -> Bool {
        let answer = try ClientConnection(port: ports[0]).answer(to: ClientConnection.request("/openapi.json"))
        return String(decoding: answer.body, as: UTF8.self).contains("\"/v1/recommendations\"")
    }

    /// Hides a group through one of the daemons, and shows those again whose time is over.
    func hideAnother(of community: SoakCommunity, showingAgainAfter seconds: Int, _ findings: SoakFindings) throws {
        let daemon = Int.random(in: 0..<ports.count)
        let group = community.groups.randomElement() ?? ""
        if !hidden.all.contains(group) {
            // A version that was made while it was hidden does not have it.
            let status = try decide("PUT", group, daemon)
            if status == 200 { hidden.add(group, by: daemon) }
            findings.note("hide", status)
        }
        for (group, daemon) in hidden.takeOlder(thanSeconds: seconds) {
            findings.note("show", try decide("DELETE", group, daemon))
        }
    }

    private func decide(_ method: String, _ group: String, _ daemon: Int) throws -> Int {
        let request = ClientConnection.request(method, "/v1/admin/groups/\(group)/hidden", json: "")
        return try ClientConnection(port: ports[daemon]).answer(to: request).status
    }
}
