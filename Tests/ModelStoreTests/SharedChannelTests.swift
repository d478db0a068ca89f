import Foundation
import Model
import Redis
import TestSupport
import Testing

@testable import ModelStore

@Suite(
    "The stream and the sessions that daemons share",
    .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SharedChannelTests {
    private let subject: StoreUnderTest
    private let channel: SharedChannel

    init() throws {
        subject = try StoreUnderTest(.redis)
        channel = try subject.shared.channel
    }

    private func changes(_ range: ClosedRange<Int64>) -> [ChangeStream.Change] {
        range.map { ChangeStream.Change(origin: "one", sequence: $0, body: [0, UInt8($0 & 255), 0xFF]) }
    }

    @Test("Changes arrive in order, from any position, in portions")
    func stream() throws {
        var stream = try channel.changes()
        #expect(try stream.lastPosition() == nil)
        #expect(try stream.read(after: .start, limit: 10).isEmpty)
        try stream.append(changes(1...300))
        var read: [(position: StreamPosition, change: ChangeStream.Change)] = []
        while true {
            let portion = try stream.read(after: read.last?.position ?? .start, limit: 70)
            if portion.isEmpty { break }
            #expect(portion.count == min(70, 300 - read.count))
            read += portion
        }
        #expect(read.map(\.change) == changes(1...300))
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.position < $1.position })
        #expect(zip(read, read.dropFirst()).allSatisfy { $0.position.sortable < $1.position.sortable })
        #expect(try stream.lastPosition() == read.last?.position)
    }

    @Test("A reader that waits gets changes when they come, and nothing if none come")
    func waiting() async throws {
        let channel = channel
        let waiter = Task.detached {
            var stream = try channel.changes()
            return try stream.read(after: .start, limit: 10, waitingAtMost: .seconds(20)).map(\.change)
        }
        var stream = try channel.changes()
        try stream.append(changes(1...1))
        #expect(try await waiter.value == changes(1...1))
        let last = try #require(try stream.lastPosition())
        #expect(try stream.read(after: last, limit: 10, waitingAtMost: .milliseconds(20)).isEmpty)
    }

    @Test("Removing changes keeps all others, and new changes continue the numbering")
    func removing() throws {
        var stream = try channel.changes()
        try stream.append(changes(1...20))
        let all = try stream.read(after: .start, limit: 100)
        try stream.remove(all[..<4].map(\.position) + all[5..<12].map(\.position))
        try stream.remove([])
        #expect(try stream.read(after: .start, limit: 100).map(\.change) == changes(5...5) + changes(13...20))
        #expect(try stream.lastPosition() == all.last?.position)
        try stream.remove(all.map(\.position))
        #expect(try stream.read(after: .start, limit: 100).isEmpty)
        #expect(try stream.lastPosition() == all.last?.position)
    }

    @Test("A malformed entry is an error that names its position")
    func badEntry() throws {
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        _ = try connection.command("XADD", "coterie:changes", "7-1", "a", "b")
        var stream = try channel.changes()
        do {
            _ = try stream.read(after: .start, limit: 1)
            Issue.record("it was read")
        } catch {
            #expect(error.code == .corrupt && error.message.contains("7-1"))
        }
    }

    @Test("The first list stored for a session is its list, until the session has ended")
    func sessions() throws {
        func keep(_ list: String, at now: Int64) throws -> String {
            String(
                decoding: try channel.keep(
                    Array(list.utf8), ofUser: "ann", session: "s", at: now, endedBefore: now - 100,
                    lifetime: .seconds(1000)), as: UTF8.self)
        }
        #expect(try channel.list(ofUser: "ann", session: "s") == nil)
        #expect(try keep("one", at: 1000) == "one")
        #expect(try keep("two", at: 1100) == "one")
        try channel.touch(ofUser: "ann", session: "s", at: 1150, lifetime: .seconds(1000))
        #expect(try keep("two", at: 1250) == "one")
        let found = try #require(try channel.list(ofUser: "ann", session: "s"))
        #expect(found.bytes == Array("one".utf8) && found.usedAt == 1150)
        #expect(try keep("two", at: 1251) == "two")
        #expect(try channel.list(ofUser: "bob", session: "s") == nil)
        #expect(try channel.list(ofUser: "ann", session: "t") == nil)
        try channel.forgetSessions(ofUser: "ann")
        #expect(try channel.list(ofUser: "ann", session: "s") == nil)
    }

    @Test("Sessions that have ended are removed")
    func cleaning() throws {
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        for number in 0..<100 {
            let now = Int64(number) * 1000
            _ = try channel.keep(
                [1], ofUser: "ann", session: "\(number)", at: now, endedBefore: now - 10, lifetime: .milliseconds(5000))
        }
        guard case .integer(let fields) = try connection.command("HLEN", "coterie:sessions:ann") else {
            Issue.record("there is no hash")
            return
        }
        #expect(fields <= 70)
        #expect(try channel.list(ofUser: "ann", session: "99") != nil)
    }
}
