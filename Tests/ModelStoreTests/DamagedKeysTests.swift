import Basics
import Foundation
import Model
import Redis
import TestSupport
import Testing

@testable import ModelStore

/// Every value that a version has in Redis is damaged in turn, and read by a daemon that has nothing of it yet.
@Suite("A damaged store in Redis", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct DamagedKeysTests {
    /// All that lists are made from.
    private struct Content: Equatable {
        var model: EncodedModel
        var members: [PublishedMember?]
    }

    private let subject: StoreUnderTest
    private let version: VersionName
    private let members = SampleMembers(userCount: 70, groupCount: 30)
    private let content: Content

    init() throws {
        subject = try StoreUnderTest(.redis)
        let model = try SampleModel.model(groupCount: 30)
        version = try subject.publish(1, model, members: members).version
        try subject.store.makeCurrent(version)
        content = Content(model: model, members: members.users.map(\.member) + [nil])
    }

    private func connection() throws -> RedisConnection {
        try RedisConnection(to: RedisAddress(#require(subject.server).url))
    }

    /// What a store with an empty cache, or the one of the test, has to say.
    private func load(cache: String? = nil) throws -> Content {
        let folder = try TemporaryDirectory()
        let url = try #require(subject.server).url
        let store = RedisStore(try RedisAddress(url), cacheDirectory: cache ?? folder.path)
        guard let current = try store.current() else { throw Failure(.corrupt, "there is no current version") }
        let loaded = try store.load(current)
        let table = try store.members(of: loaded)
        let ids = members.users.map(\.id) + ["nobody"]
        return Content(
            model: try encodedAgain(loaded.model), members: try ids.map { try table?.member(withID: $0) })
    }

    /// Does something to the store, and checks that it is refused or changes nothing.
    ///
    /// - Returns: whether it was refused.
    @discardableResult
    private func check(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Bool {
        do {
            let found = try load()
            #expect(found == content, "\(what) gives other lists", sourceLocation: sourceLocation)
            return false
        } catch {
            let code = (error as? Failure)?.code
            #expect(code == .corrupt || code == .unknownVersion, "\(what): \(error)", sourceLocation: sourceLocation)
            return true
        }
    }

    private func keys(_ connection: inout RedisConnection, _ type: String) throws -> [String] {
        guard case .array(let replies) = try connection.command("KEYS", "coterie:\(version):*") else { return [] }
        return try replies.compactMap(\.text).sorted().filter { try connection.command("TYPE", $0).text == type }
    }

    private func set(_ words: [String], _ bytes: [[UInt8]], _ connection: inout RedisConnection) throws {
        var command = RedisCommand()
        for word in words { command.append(word) }
        for word in bytes { command.append(word) }
        _ = try connection.command(command)
    }

    @Test("A changed byte of any text, or one that is missing, never gives other lists", arguments: 0..<2)
    func texts(seed: UInt64) throws {
        var connection = try connection()
        var generator = SeededGenerator(seed: seed)
        var refusals = 0
        let keys = try keys(&connection, "string")
        #expect(keys.contains("coterie:\(version):manifest") && keys.contains("coterie:\(version):ids:0"))
        for key in keys {
            guard case .bytes(let intact) = try connection.command("GET", key) else { continue }
            let places = [0, intact.count - 1] + (0..<3).map { _ in Int.random(in: intact.indices, using: &generator) }
            for place in Set(places) {
                var bytes = intact
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                try set(["SET", key], [bytes], &connection)
                if try check("byte \(place) of \(key)") { refusals += 1 }
            }
            try set(["SET", key], [Array(intact.dropLast())], &connection)
            #expect(try check("\(key) cut short"))
            _ = try connection.command("DEL", key)
            #expect(try check("\(key) deleted"))
            try set(["SET", key], [intact], &connection)
        }
        #expect(refusals > keys.count)
        #expect(try load() == content)
    }

    @Test("Every byte of the manifest is checked: nobody may believe that changes are in a version that are not")
    func manifest() throws {
        var connection = try connection()
        let key = "coterie:\(version):manifest"
        guard case .bytes(let intact) = try connection.command("GET", key) else { throw Failure(.corrupt, "none") }
        for place in intact.indices {
            var bytes = intact
            bytes[place] ^= 1 << UInt8(place % 7)
            try set(["SET", key], [bytes], &connection)
            #expect(errorCode { _ = try subject.store.versions() } == .corrupt, "byte \(place)")
        }
    }

    @Test("Who joined what: a user or bucket that is missing, added or moved is found", arguments: 0..<2)
    func buckets(seed: UInt64) throws {
        var connection = try connection()
        var generator = SeededGenerator(seed: seed)
        let keys = try keys(&connection, "string").filter { $0.contains(":users:") }
        #expect(keys.count == 2)
        for key in keys {
            let intact = try bucket(key, &connection)
            let other = try #require(keys.filter { $0 != key }.randomElement(using: &generator))
            let intactOther = try bucket(other, &connection)
            for place in stride(from: 0, to: intact.count, by: Int.random(in: 1...4, using: &generator)) {
                var rest = intact
                let user = rest.remove(at: place)
                try set(["SET", key], [Array(rest.joined())], &connection)
                #expect(try check("a user of \(key) deleted"))
                try set(["SET", other], [Array((intactOther + [user]).joined())], &connection)
                #expect(try check("a user of \(key) moved to \(other)"))
                try set(["SET", other], [Array(intactOther.joined())], &connection)
            }
            try set(
                ["SET", key], [Array((intact + [[3] + Array("new".utf8) + [7, 0, 0, 0, 0, 0, 0, 0]]).joined())],
                &connection)
            #expect(try check("a user added to \(key)"))
            try set(["MSET", key], [Array(intactOther.joined())], &connection)
            try set(["MSET", other], [Array(intact.joined())], &connection)
            #expect(try check("\(key) and \(other) exchanged"))
            try set(["MSET", key], [Array(intact.joined())], &connection)
            try set(["MSET", other], [Array(intactOther.joined())], &connection)
        }
        #expect(try load() == content)
    }

    /// The packed users of a bucket.
    private func bucket(_ key: String, _ connection: inout RedisConnection) throws -> [[UInt8]] {
        guard case .bytes(let bytes) = try connection.command("GET", key) else { return [] }
        var users: [[UInt8]] = []
        var start = 0
        let isSound = PackedUsers.forEach(in: bytes.span) { _, value in
            users.append(Array(bytes[start..<value.upperBound]))
            start = value.upperBound
            return true
        }
        #expect(isSound && start == bytes.count)
        return users
    }

    @Test("A changed, missing or additional number in the shape is refused or changes nothing")
    func shape() throws {
        var connection = try connection()
        let key = "coterie:\(version):shape"
        guard case .array(let words) = try connection.command("HGETALL", key) else { return }
        for place in stride(from: 0, to: words.count, by: 2) {
            let (name, value) = (try #require(words[place].text), try #require(words[place + 1].text))
            for other in ["0", "1", "2", "3", "64", "members", "\(value)0", ""] where other != value {
                _ = try connection.command("HSET", key, name, other)
                try check("\(name) \(other) in place of \(value)")
            }
            _ = try connection.command("HDEL", key, name)
            try check("no \(name)")
            _ = try connection.command("HSET", key, name, value)
        }
        _ = try connection.command("HSET", key, "buckets", "1")
        #expect(try check("another number of buckets"))
        _ = try connection.command("DEL", key)
        #expect(try check("no shape"))
    }

    @Test("What was cached before the damage is served on, and made again when the store is whole")
    func cached() throws {
        var connection = try connection()
        let cache = try TemporaryDirectory()
        #expect(try load(cache: cache.path) == content)
        let bucket = "coterie:\(version):users:0"
        _ = try connection.command("RENAME", bucket, "elsewhere")
        #expect(try load(cache: cache.path) == content)
        // Without the file of members, the damage shows, and nothing wrong is cached.
        let files = try FileManager.default.subpathsOfDirectory(atPath: cache.path).filter { $0.hasSuffix("/members") }
        let file = "\(cache.path)/\(try #require(files.first))"
        try FileManager.default.removeItem(atPath: file)
        for _ in 0..<2 {
            let error = #expect(throws: Failure.self) { try load(cache: cache.path) }
            #expect(error?.code == .corrupt && error?.message.contains("members") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        _ = try connection.command("RENAME", "elsewhere", bucket)
        #expect(try load(cache: cache.path) == content)
        // A file of another manifest is not taken: the version is made again under its name, of other members.
        let table = try Data(contentsOf: URL(fileURLWithPath: file))
        subject.server?.stop()
        try subject.server?.start()
        let others = SampleMembers(userCount: 70, groupCount: 30, seed: 4)
        try subject.publish(1, content.model, members: others)
        try subject.store.makeCurrent(version)
        #expect(try load(cache: cache.path) != content)
        try table.write(to: URL(fileURLWithPath: file), options: .atomic)
        #expect(try load(cache: cache.path).members == others.users.map(\.member) + [nil])
    }

    @Test("A version of an earlier program is listed, and refused with what to do")
    func earlierProgram() throws {
        var manifest = try #require(try subject.store.versions().first)
        manifest.format = ModelLayout.format - 1
        var command = RedisCommand("SET", "coterie:\(version):manifest")
        command.append(try ManifestJSON.encode(manifest))
        var connection = try connection()
        _ = try connection.command(command)
        #expect(try subject.store.versions().count == 1)
        let error = #expect(throws: Failure.self) { try load() }
        #expect(error?.code == .otherFormat && error?.message.contains("recompute") == true)
    }
}
