import Basics
import Foundation
import Model
import ModelStore
import Redis
import TestSupport
import Testing

@Suite("The Redis store", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RedisStoreTests {
    @Test("keeps the members of a version that was fetched, and needs no server for them")
    func members() throws {
        let subject = try StoreUnderTest(.redis)
        let members = SampleMembers(userCount: 70, groupCount: 150)
        let version = try subject.publish(1, SampleModel.model(groupCount: 150), members: members).version
        #expect(try subject.shared.member(withID: "1@N00", in: version) == members.users[1].member)
        let unknown = try VersionName("x")
        #expect(errorCode { _ = try subject.shared.member(withID: "1@N00", in: unknown) } == .unknownVersion)
        try #require(subject.server).stop()
        let again = try #require(try subject.store.members(of: subject.store.load(version)))
        #expect(try again.member(withID: "0@N00") == members.users[0].member)
        try #require(subject.server).start()
        let other = try subject.publish(2, SampleModel.model(groupCount: 3)).version
        #expect(try subject.shared.member(withID: "1@N00", in: other) == nil)
    }

    @Test("waits once for a server that hangs, however many questions there are, and finds it again")
    func hanging() throws {
        let subject = try StoreUnderTest(.redis)
        let version = try subject.publish(1, SampleModel.model(groupCount: 3)).version
        let server = try #require(subject.server)
        #expect(try subject.store.current() == nil)
        server.pause()
        let begin = ContinuousClock.now
        for _ in 0..<10 {
            #expect(errorCode { _ = try subject.store.current() } == .unavailable)
            #expect(errorCode { _ = try subject.shared.channel.journals() } == .unavailable)
            #expect(errorCode { _ = try subject.store.board?.reports() } == .unavailable)
        }
        // Each question alone would wait for two seconds or five.
        #expect(ContinuousClock.now - begin < .seconds(20))
        server.resume()
        var names: [VersionName]?
        for _ in 0..<600 where names == nil {
            names = try? subject.store.versionNames()
            if names == nil { usleep(50_000) }
        }
        #expect(names == [version])
    }

    @Test("removes all keys of a pruned version, and no others")
    func pruning() throws {
        let subject = try StoreUnderTest(.redis)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        _ = try connection.command("SET", "coterie", "something else")
        let members = SampleMembers(userCount: 300, groupCount: 40)
        try subject.publish(1, SampleModel.model(groupCount: 40), members: members)
        let before = try keyCount(subject)
        try subject.publish(2, SampleModel.model(groupCount: 1500), members: members)
        try subject.publish(3, SampleModel.model(groupCount: 40), members: members)
        #expect(try subject.store.prune(keeping: 1).count == 2)
        #expect(try keyCount(subject) == before)
        #expect(try connection.command("GET", "coterie").text == "something else")
    }

    @Test("lets versions go, and another one serve, on a server whose memory is full")
    func full() throws {
        let subject = try StoreUnderTest(.redis)
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        let versions = try (1...3).map { number in
            try subject.publish(number, SampleModel.model(groupCount: 40)).version
        }
        try subject.store.makeCurrent(versions[2])
        let redis = try #require(subject.store as? RedisStore)
        #expect(!redis.isFull)
        _ = try connection.command("CONFIG", "SET", "maxmemory", "1")
        #expect(redis.isFull)
        #expect(throws: RedisError.self) { try connection.command("SET", "x", "y") }
        #expect(throws: Failure.self) { try subject.publish(4, SampleModel.model(groupCount: 40)) }
        try subject.store.makeCurrent(versions[1])
        #expect(try subject.store.current() == versions[1])
        #expect(try subject.store.prune(keeping: 1) == [versions[0]])
        _ = try connection.command("CONFIG", "SET", "maxmemory", "0")
        try subject.publish(4, SampleModel.model(groupCount: 40))
    }

    @Test("uses at most 14 bytes of the server's memory per neighbour")
    func memory() throws {
        let subject = try StoreUnderTest(.redis)
        // 20,000 full lists of 100, whose neighbours are among 100,000 groups.
        var table = SampleModel.table(groupCount: 20_000, limit: 100, seed: 7, isFull: true)
        for position in table.neighbours.indices {
            let index = (table.neighbours[position].index &* 5 + UInt32(position % 5) + 1) % 100_000
            table.neighbours[position].index = index == position / 100 ? 99_999 : index
        }
        table.offsets += [Int](repeating: table.neighbours.count, count: 80_000)
        let groups = SampleModel.groups(100_000)
        let full = try EncodedModel(groups: groups, tables: [.members: table])
        let empty = try EncodedModel(groups: groups, tables: [:])
        let start = try usedMemory(subject)
        try subject.publish(1, empty)
        let middle = try usedMemory(subject)
        try subject.publish(2, full)
        // The memory of the version without its lists is subtracted.
        let bytes = Double((try usedMemory(subject) - middle) - (middle - start)) / Double(table.neighbours.count)
        print("used_memory: \(bytes) bytes a neighbour")
        #expect(bytes <= 14)
        #expect(bytes > 5)
    }

    @Test("can be read by a few lines of Python", .enabled(if: python != nil, "python3 is not installed"))
    func pythonReader() throws {
        let subject = try StoreUnderTest(.redis)
        let model = try SampleModel.model(groupCount: 400)
        let members = SampleMembers(userCount: 200, groupCount: 400)
        let version = try subject.publish(1, model, members: members).version
        try subject.store.makeCurrent(version)
        let loaded = try subject.store.load(version).model
        var expected = ""
        for relation in RelationTable.standard.requiredRelations {
            for group in 0..<loaded.groupCount {
                for neighbour in loaded.neighbours(of: group, by: relation) {
                    let id = Data(loaded.id(of: Int(neighbour.index)).utf8).map { "\($0)," }.joined()
                    expected +=
                        "\(relation.rawValue) \(group) \(id) \(neighbour.common) \(neighbour.score.bitPattern)\n"
                }
            }
        }
        for user in members.users {
            let ids = user.member.joined.map { joined in
                Data(loaded.id(of: Int(joined.group)).utf8).map { "\($0)," }.joined()
            }
            expected += "joined \(Data(user.id.utf8).map { "\($0)," }.joined()) \(ids.joined(separator: " "))\n"
        }
        let users = members.users.map { Data($0.id.utf8).map { String($0) }.joined(separator: ",") }
        let output = try runPython(
            try documentedReader() + pythonEnding, [String(#require(subject.server).port)] + users)
        #expect(output == expected)
    }

    @Test("can be used again after the server was restarted")
    func restart() throws {
        let subject = try StoreUnderTest(.redis)
        let server = try #require(subject.server)
        let model = try SampleModel.model(groupCount: 60)
        let written = try subject.publish(1, model)
        try subject.store.makeCurrent(written.version)
        server.stop()
        #expect(errorCode { _ = try subject.store.current() } == .unavailable)
        #expect(errorCode { try subject.publish(2, model) } == .unavailable)
        try server.start()
        // This server keeps nothing, so it is empty after a restart.
        #expect(try subject.store.current() == nil)
        #expect(try subject.store.versions().isEmpty)
        try subject.publish(2, model)
        #expect(try encodedAgain(subject.store.load(SampleModel.manifest(2, groupCount: 60).version).model) == model)
    }

    @Test(
        "without the server, opens the cached version that served last, not one that was only loaded to look at"
    )
    func images() throws {
        let subject = try StoreUnderTest(.redis)
        let server = try #require(subject.server)
        let cache = subject.directory.path + "/cache"
        let store = try RedisStore(RedisAddress(server.url), cacheDirectory: cache)
        #expect(try store.lastLoaded() == nil)
        let models = try (1...4).map { try SampleModel.model(groupCount: 10 * $0) }
        let versions = try models.enumerated().map { try subject.publish($0, $1).version }
        for version in versions { _ = try store.load(version) }
        try store.remember(versions[2])
        // Loading an older version only to look at it.
        #expect(try encodedAgain(store.load(versions[0]).model) == models[0])
        _ = try store.load(versions[3])
        server.stop()
        // As after a restart of the daemon.
        let again = try RedisStore(RedisAddress(server.url), cacheDirectory: cache)
        let last = try #require(try again.lastLoaded())
        #expect(last.manifest.version == versions[2])
        #expect(try encodedAgain(last.model) == models[2])
        #expect(try encodedAgain(again.load(versions[3]).model) == models[3])
        #expect(try encodedAgain(again.load(versions[0]).model) == models[0])
        #expect(errorCode { _ = try again.load(versions[1]) } == .unavailable)
        // A damaged image is not served.
        let path = "\(cache)/127.0.0.1:\(server.port):0:coterie:/versions/\(versions[2])/model.coterie"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
        #expect(try again.lastLoaded()?.manifest.version == versions[3])
    }

    @Test("never loads the cached version of another server, database or prefix")
    func imagesOfOthers() throws {
        let subject = try StoreUnderTest(.redis)
        let server = try #require(subject.server)
        let cache = subject.directory.path + "/cache"
        let version = try subject.publish(1, SampleModel.model(groupCount: 10)).version
        _ = try subject.store.load(version)
        #expect(try subject.shared.lastLoaded()?.manifest.version == version)
        for (url, prefix) in [
            ("redis://127.0.0.2:\(server.port)", "coterie:"), ("\(server.url)/1", "coterie:"), (server.url, "a/../b:"),
        ] {
            let other = RedisStore(try RedisAddress(url), cacheDirectory: cache, prefix: prefix)
            #expect(try other.lastLoaded() == nil)
        }
    }

    @Test("fetches a version again if its cached file is damaged or has other content")
    func damagedImage() throws {
        let subject = try StoreUnderTest(.redis)
        let model = try SampleModel.model(groupCount: 80)
        let version = try subject.publish(1, model).version
        _ = try subject.store.load(version)
        let port = try #require(subject.server).port
        let folder = "\(subject.directory.path)/cache/127.0.0.1:\(port):0:coterie:/versions/\(version)"
        for name in ["model.coterie", "manifest.json"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"), options: .atomic)
            #expect(try encodedAgain(subject.store.load(version).model) == model)
        }
        // The server lost everything, and other data was published under the same name.
        subject.server?.stop()
        try subject.server?.start()
        let other = try SampleModel.model(groupCount: 81)
        try subject.publish(1, other)
        #expect(try encodedAgain(subject.store.load(version).model) == other)
    }

    @Test("notifies listeners when the current version changes")
    func announcement() throws {
        let subject = try StoreUnderTest(.redis)
        let version = try subject.publish(1, SampleModel.model(groupCount: 3)).version
        var listener = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        _ = try listener.command("SUBSCRIBE", "coterie:current")
        try subject.store.makeCurrent(version)
        // The answer comes before whatever the client sends next.
        try listener.send(RedisCommand("PING"))
        let parts = ["message", "coterie:current", version.description]
        #expect(try listener.receive().value == .array(parts.map { .bytes(Array($0.utf8)) }))
    }

    private func keyCount(_ subject: StoreUnderTest) throws -> Int64? {
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        guard case .integer(let count) = try connection.command("DBSIZE") else { return nil }
        return count
    }

    private func usedMemory(_ subject: StoreUnderTest) throws -> Int {
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        let lines = try #require(connection.command("INFO", "memory").text).split(separator: "\r\n")
        let line = try #require(lines.first { $0.hasPrefix("used_memory:") })
        return try #require(Int(line.dropFirst("used_memory:".count)))
    }
}

/// Where `python3` is, if it is anywhere.
private let python = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

/// Prints all that the documented reader reads.
private let pythonEnding = """
    def plain(text):
        return "".join("%d," % byte for byte in text)
    for relation in b"photos", b"members":
        for index in range(len(ids)):
            for other, common, score in neighbours(relation, index):
                print(relation.decode(), index, plain(other), common, struct.unpack("I", struct.pack("f", score))[0])
    for user in sys.argv[3:]:
        user = bytes(int(byte) for byte in user.split(","))
        print("joined", plain(user), " ".join(plain(other) for other in joined(user)))
    """

/// The reader in the documentation of `RedisLayout`: what is tested is what people copy.
private func documentedReader() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let source = try String(
        contentsOf: root.appendingPathComponent("Sources/ModelStore/Redis/RedisLayout.swift"), encoding: .utf8)
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "/// ```python"))
    let end = try #require(lines[(start + 1)...].firstIndex(of: "/// ```"))
    return lines[(start + 1)..<end].map { $0.dropFirst(4) + "\n" }.joined()
}

private func runPython(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(python))
    process.arguments = ["-c", program, "127.0.0.1"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
}
