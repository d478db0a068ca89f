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
        channel = SharedChannel(try #require(subject.store as? RedisStore), timeout: .seconds(60))
    }

    @Test("The first to keep a session's list decides it, until the session has ended")
    func sessions() throws {
        func keep(_ list: String, at now: Int64) throws -> String? {
            let other = try channel.keep(
                Array(list.utf8), ofUser: "ann", session: "s", at: now, lastUse: now - 100...now + 50,
                lifetime: .seconds(1000))
            return other.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try channel.list(ofUser: "ann", session: "s") == nil)
        #expect(try keep("one", at: 1000) == nil)
        #expect(try keep("two", at: 1100) == "one")
        try channel.touch(ofUser: "ann", session: "s", at: 1150, lifetime: .seconds(1000))
        #expect(try keep("two", at: 1250) == "one")
        let found = try #require(try channel.list(ofUser: "ann", session: "s"))
        #expect(found.bytes == Array("one".utf8) && found.usedAt == 1150)
        #expect(try keep("two", at: 1251) == nil)
        #expect(try channel.list(ofUser: "ann", session: "s")?.bytes == Array("two".utf8))
        #expect(try channel.list(ofUser: "bob", session: "s") == nil)
        #expect(try channel.list(ofUser: "ann", session: "t") == nil)
        try channel.forgetSessions(ofUser: "ann")
        #expect(try channel.list(ofUser: "ann", session: "s") == nil)
    }

    @Test("A session that was used in the future has ended")
    func future() throws {
        func keep(_ list: UInt8, at now: Int64) throws -> [UInt8]? {
            try channel.keep(
                [list], ofUser: "ann", session: "s", at: now, lastUse: now - 100...now + 50, lifetime: .seconds(1000))
        }
        #expect(try keep(1, at: 1000) == nil)
        #expect(try keep(2, at: 950) == [1])
        #expect(try keep(2, at: 949) == nil)
        #expect(try keep(3, at: 950) == [2])
    }

    @Test("Of a user's many sessions those used last are kept, whatever another program left")
    func manySessions() throws {
        var connection = try RedisConnection(to: RedisAddress(#require(subject.server).url))
        func count() throws -> RedisReply { try connection.command("HLEN", "coterie:sessions:ann") }
        for number in 0..<100 {
            _ = try connection.command(
                "HSET", "coterie:sessions:ann", "u:old-\(number)", String(number), "p:old-\(number)", "x")
        }
        for number in 0..<100 {
            let now = Int64(number) * 1000 + 1000
            _ = try channel.keep(
                [1], ofUser: "ann", session: "\(number)", at: now, lastUse: 0...now, lifetime: .seconds(1000))
            #expect(try count() == .integer(64))
        }
        #expect(try channel.list(ofUser: "ann", session: "68") != nil)
        #expect(try channel.list(ofUser: "ann", session: "67") == nil)
        // One that goes on needs no room.
        #expect(
            try channel.keep([2], ofUser: "ann", session: "68", at: 1, lastUse: 0...0, lifetime: .seconds(9)) == nil)
        #expect(try count() == .integer(64) && channel.list(ofUser: "ann", session: "69") != nil)
    }
}
