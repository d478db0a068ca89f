import Foundation
import Model
import Redis
import TestSupport
import Testing

@testable import ModelStore
@testable import Service

@Suite("A version of a newer program in the store")
struct NewerVersionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The manifest of a version as a program with the next layout would write it.
    private static func newer(_ manifest: Manifest) throws -> Manifest {
        var newer = manifest
        newer.version = try SampleModel.manifest(2, groupCount: 9).version
        newer.format = ModelLayout.format + 1
        return newer
    }

    private func publishOne(to store: any VersionStore) throws -> Manifest {
        let manifest = try store.publish(
            SampleModel.model(groupCount: 9), manifest: SampleModel.manifest(1, groupCount: 9), members: nil
        ) { _, _ in }
        try store.makeCurrent(manifest.version)
        return manifest
    }

    /// A daemon goes on with the version that it has, and one that starts takes that as well.
    private func expectGoingOn(_ store: any VersionStore, with version: VersionName, whenCurrent: () throws -> Void)
        throws
    {
        let lines = Lines()
        let running = VersionFollower(store: store, planning: .init(), log: lines.log, now: { 5000 })
        running.poll()
        try whenCurrent()
        running.poll()
        let starting = VersionFollower(store: store, planning: .init(), log: lines.log, now: { 5000 })
        starting.poll()
        for follower in [running, starting] {
            #expect(follower.current.snapshot?.version == version)
            let problem = try #require(follower.current.problem)
            #expect(problem.contains("of a newer program") && problem.contains("upgrade this one"), "\(problem)")
        }
    }

    @Test("In a folder: daemons go on with what they have, and say so")
    func folder() throws {
        let store = FolderStore(directory.path)
        let manifest = try publishOne(to: store)
        try expectGoingOn(store, with: manifest.version) {
            let newer = try Self.newer(manifest)
            let folder = directory.path + "/versions/\(newer.version)"
            try FileManager.default.copyItem(atPath: "\(directory.path)/versions/\(manifest.version)", toPath: folder)
            try FileManager.default.removeItem(atPath: folder + "/manifest.json")
            try Data(ManifestJSON.encode(newer)).write(to: URL(fileURLWithPath: folder + "/manifest.json"))
            try store.makeCurrent(newer.version)
        }
    }

    @Test(
        "In Redis: daemons go on with what they have, and say so",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func redis() throws {
        let server = try TemporaryRedis()
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path)
        let manifest = try publishOne(to: store)
        try expectGoingOn(store, with: manifest.version) {
            let newer = try Self.newer(manifest)
            var connection = try RedisConnection(to: RedisAddress(server.url))
            var command = RedisCommand("SET", "coterie:\(newer.version):manifest")
            command.append(try ManifestJSON.encode(newer))
            _ = try connection.command(command)
            _ = try connection.command(
                "ZADD", "coterie:versions", "\(newer.createdAtMilliseconds)", "\(newer.version)")
            try store.makeCurrent(newer.version)
        }
    }
}
