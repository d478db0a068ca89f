import Basics
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

/// Servers and disks that fail.
@Suite("A store that is refused")
struct RefusalTests {
    @Test(
        "reports that the server is out of memory, and lists nothing",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func outOfMemory() throws {
        let directory = try TemporaryDirectory()
        let server = try TemporaryRedis("--maxmemory", "6mb", "--maxmemory-policy", "noeviction")
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path)
        let small = try SampleModel.model(groupCount: 20)
        let first = try store.publish(small, manifest: SampleModel.manifest(1, groupCount: 20), members: nil) { _, _ in
        }
        let big = try SampleModel.model(groupCount: 8000, limit: 100)
        let error = #expect(throws: Failure.self) {
            try store.publish(big, manifest: SampleModel.manifest(2, groupCount: 8000), members: nil) { _, _ in }
        }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains("maxmemory") == true)
        #expect(try store.versions() == [first])
        // The written files were removed, so that there is room again.
        var connection = try RedisConnection(to: RedisAddress(server.url))
        #expect(try connection.command("EXISTS", "coterie:incoming", "coterie:publisher") == .integer(0))
        #expect(try encodedAgain(store.load(first.version).model) == small)
    }

    @Test(
        "reports what the server requires", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"),
        arguments: [
            (["--requirepass", "x"], Failure.Code.notPermitted, "password"),
            (["--replicaof", "127.0.0.1", "1"], .replica, "replica"),
        ] as [([String], Failure.Code, String)])
    func refusals(options: [String], code: Failure.Code, word: String) throws {
        let directory = try TemporaryDirectory()
        let server = try TemporaryRedis(options)
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path)
        let model = try SampleModel.model(groupCount: 2)
        let error = #expect(throws: Failure.self) {
            try store.publish(model, manifest: SampleModel.manifest(1, groupCount: 2), members: nil) { _, _ in }
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true)
        #expect(error?.message.contains("\(server.port)") == true)
    }

    @Test("says that another program uses its keys", .enabled(if: TemporaryRedis.isInstalled, "no redis-server"))
    func wrongType() throws {
        let subject = try StoreUnderTest(.redis)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        _ = try connection.command("SET", "coterie:versions", "x")
        #expect(errorCode { _ = try subject.store.versions() } == .corrupt)
        #expect(errorCode { try subject.publish(1, SampleModel.model(groupCount: 2)) } == .corrupt)
    }

    @Test(
        "does not wait long for a server that does not answer",
        .enabled(if: TemporaryRedis.isInstalled, "no redis-server"))
    func paused() throws {
        let subject = try StoreUnderTest(.redis)
        #expect(try subject.store.current() == nil)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        _ = try connection.command("CLIENT", "PAUSE", "60000", "ALL")
        let error = #expect(throws: Failure.self) { try subject.store.current() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("in time") == true)
    }

    @Test("releases its lease when pruning fails", .enabled(if: TemporaryRedis.isInstalled, "no redis-server"))
    func failedPruning() throws {
        let subject = try StoreUnderTest(.redis)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        _ = try connection.command("SET", "coterie:incoming", "x")
        #expect(errorCode { _ = try subject.store.prune(keeping: 1) } == .corrupt)
        #expect(try connection.command("EXISTS", "coterie:publisher") == .integer(0))
    }

    @Test("stops when it loses its lease", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func lostLease() throws {
        let subject = try StoreUnderTest(.redis)
        let url = try #require(subject.server).url
        let model = try SampleModel.model(groupCount: 300)
        let manifest = try SampleModel.manifest(1, groupCount: 300)
        #expect(
            errorCode {
                _ = try subject.store.publish(model, manifest: manifest, members: nil) { _, _ in
                    // As if this process had been suspended for a minute, and another had started.
                    guard var connection = try? RedisConnection(to: RedisAddress(url)) else { return }
                    _ = try? connection.command("SET", "coterie:publisher", "another")
                }
            } == .busy)
        #expect(try subject.store.versions().isEmpty)
        var connection = try RedisConnection(to: RedisAddress(url))
        #expect(try connection.command("GET", "coterie:publisher").text == "another")
    }

    @Test("reports a full disk, and leaves the folder as it was")
    func fullDisk() async throws {
        let directory = try TemporaryDirectory()
        let store = FolderStore(directory.path)
        let model = try SampleModel.model(groupCount: 10)
        let first = try store.publish(model, manifest: SampleModel.manifest(1, groupCount: 10), members: nil) { _, _ in
        }
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            // No file may be longer: the system refuses as it does where a disk is full.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let model = try SampleModel.model(groupCount: 2000)
            let manifest = try SampleModel.manifest(2, groupCount: 2000)
            #expect(
                errorCode { _ = try FolderStore(path).publish(model, manifest: manifest, members: nil) { _, _ in } }
                    == .fileFailed)
        }
        #expect(try store.versions() == [first])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/versions")
        #expect(names == [first.version.description])
    }

    @Test("names the folder that it may not write to", arguments: ["/proc/coterie", "/dev/null/store"])
    func badFolder(path: String) throws {
        let error = #expect(throws: Failure.self) {
            try FolderStore(path).publish(
                SampleModel.model(groupCount: 1), manifest: SampleModel.manifest(1, groupCount: 1), members: nil
            ) { _, _ in }
        }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains(path) == true)
    }

    @Test("names the damaged file", arguments: ["current", "manifest.json", "model.coterie"])
    func damagedFiles(name: String) throws {
        let directory = try TemporaryDirectory()
        let store = FolderStore(directory.path)
        let model = try SampleModel.model(groupCount: 10)
        let version = try store.publish(model, manifest: SampleModel.manifest(1, groupCount: 10), members: nil) {
            _, _ in
        }
        .version
        try store.makeCurrent(version)
        let path = name == "current" ? "\(directory.path)/current" : "\(directory.path)/versions/\(version)/\(name)"
        for content in ["", "../../etc", "{}", String(repeating: "x", count: 5000)] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            let error = #expect(throws: Failure.self) {
                _ = try store.current()
                _ = try store.load(version)
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains(path) == true)
        }
    }
}
