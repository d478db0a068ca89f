import Basics
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

/// Publishers that are killed, by the same signal as `kill -9`, at different points of their work.
@Suite("A publisher that was killed")
struct KilledPublisherTests {
    /// The share of the version that is written when the signal comes; 1 is just before it is verified.
    static let portions = [0.0, 0.4, 0.8, 1.0]
    /// What Redis answers for a key that never ends.
    private static let forever: Int64 = -1

    @Test("leaves the folder as it was", arguments: portions)
    func folder(portion: Double) async throws {
        let directory = try TemporaryDirectory()
        let store = FolderStore(directory.path)
        let (version, model) = try publishFirst(store)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String, portion] in
            try publishAndDie(FolderStore(path), portion: portion)
        }
        try expectIntact(store, version, model)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/versions").count == 2)
        #expect(try store.prune(keeping: 9).isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path + "/versions") == [version.description])
        try expectPublishing(store)
    }

    @Test(
        "leaves Redis as it was, and blocks other publishers only briefly",
        .enabled(if: TemporaryRedis.isInstalled, "no redis-server"),
        arguments: portions)
    func redis(portion: Double) async throws {
        let directory = try TemporaryDirectory()
        let server = try TemporaryRedis()
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path)
        let (version, model) = try publishFirst(store)
        var connection = try RedisConnection(to: RedisAddress(server.url))
        let keyCount = try connection.command("DBSIZE")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = server.url as String, path = directory.path as String, portion] in
            try publishAndDie(RedisStore(RedisAddress(url), cacheDirectory: path), portion: portion)
        }
        #expect(try connection.command("DBSIZE") != keyCount)
        try expectIntact(store, version, model)
        // The lease ends by itself after at most 30 seconds, so that on a busy machine it may be over by now.
        guard case .integer(let milliseconds) = try connection.command("PTTL", "coterie:publisher") else { return }
        #expect(milliseconds <= 30_000 && milliseconds != Self.forever)
        if try connection.command("PERSIST", "coterie:publisher") == .integer(1) {
            #expect(errorCode { _ = try store.prune(keeping: 9) } == .busy)
        }
        // The test does not wait for its end.
        _ = try connection.command("DEL", "coterie:publisher")
        #expect(try store.prune(keeping: 9).isEmpty)
        #expect(try connection.command("DBSIZE") == keyCount)
        try expectPublishing(store)
    }

    @Test("leaves nothing in Redis that the next publisher of the same version would include")
    func sameVersion() async throws {
        try #require(TemporaryRedis.isInstalled)
        let directory = try TemporaryDirectory()
        let server = try TemporaryRedis()
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = server.url as String, path = directory.path as String] in
            try publishAndDie(RedisStore(RedisAddress(url), cacheDirectory: path), portion: 1)
        }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("DEL", "coterie:publisher")
        // This model has fewer groups and no neighbours: any list in Redis is left over from the other one.
        let model = try SampleModel.model(groupCount: 100, relations: [])
        let version = try store.publish(
            model, manifest: SampleModel.manifest(2, groupCount: 100), members: nil
        ) { _, _ in }.version
        #expect(
            try connection.command("EXISTS", "coterie:\(version):members:1", "coterie:\(version):members:2000")
                == .integer(0))
        #expect(try encodedAgain(store.load(version).model) == model)
    }

    private func publishFirst(_ store: some VersionStore) throws -> (VersionName, EncodedModel) {
        let model = try SampleModel.model(groupCount: 50)
        let manifest = try SampleModel.manifest(1, groupCount: 50)
        let version = try store.publish(model, manifest: manifest, members: nil) { _, _ in }.version
        try store.makeCurrent(version)
        return (version, model)
    }

    private func expectIntact(_ store: some VersionStore, _ version: VersionName, _ model: EncodedModel) throws {
        #expect(try store.versions().map(\.version) == [version])
        #expect(try store.current() == version)
        #expect(try encodedAgain(store.load(version).model) == model)
    }

    private func expectPublishing(_ store: some VersionStore) throws {
        let model = try SampleModel.model(groupCount: 20)
        let manifest = try SampleModel.manifest(2, groupCount: 20)
        let written = try store.publish(model, manifest: manifest, members: nil) { _, _ in }
        #expect(try encodedAgain(store.load(written.version).model) == model)
    }
}

/// Publishes the second sample version, and ends this process at once when a portion of it is written.
private func publishAndDie(_ store: some VersionStore, portion: Double) throws {
    let model = try SampleModel.model(groupCount: 3000)
    let manifest = try SampleModel.manifest(2, groupCount: 3000)
    let members = SampleMembers(userCount: 100, groupCount: 300)
    _ = try store.publish(model, manifest: manifest, members: members) { done, total in
        if Double(done) >= portion * Double(total) { kill(getpid(), SIGKILL) }
    }
}
