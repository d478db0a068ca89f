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

    @Test("The first to keep a session's list decides it, until the session has ended")
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
