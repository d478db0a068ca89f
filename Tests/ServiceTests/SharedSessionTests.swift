import Changes
import Foundation
import Model
import ModelStore
import Recommendation
import Redis
import TestSupport
import Testing

@testable import Service

@Suite("Sessions of several daemons", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct SharedSessionTests {
    private static let minute: Int64 = 60_000
    private let server: TemporaryRedis
    private let directory: TemporaryDirectory

    init() throws {
        server = try TemporaryRedis()
        directory = try TemporaryDirectory()
    }

    /// Sessions that wait for the server as long as a busy machine needs.
    private func sessions(
        _ name: String, damaged: DamagedLists = DamagedLists(Lines().log), timeout: Duration = .seconds(60)
    ) throws -> SharedSessions {
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path + "/cache")
        return SharedSessions(
            SharedChannel(store, timeout: timeout), local: try SessionFile(path: "\(directory.path)/\(name)"),
            damaged: damaged)
    }

    private func plan(_ id: String) -> FrozenPlan {
        FrozenPlan(
            recommendationID: id, version: "v", bucket: 0, interests: [], items: [], joined: [], dismissed: [],
            topics: [],
            ids: PackedTexts())
    }

    @Test("The first list of a session is that of all daemons, as long as any of them uses it")
    func first() throws {
        let (one, two) = (try sessions("one"), try sessions("two"))
        #expect(try one.keep(plan("a"), ofUser: "ann", session: nil, at: 0).recommendationID == "a")
        #expect(try two.keep(plan("b"), ofUser: "ann", session: nil, at: 1).recommendationID == "a")
        #expect(try two.keep(plan("b"), ofUser: "ann", session: "own", at: 1).recommendationID == "b")
        let three = try sessions("three")
        for minutes in stride(from: Int64(20), through: 200, by: 20) {
            #expect(try one.plan(ofUser: "ann", session: nil, at: minutes * Self.minute)?.recommendationID == "a")
        }
        // A new session; the others had no request for hours.
        #expect(try three.plan(ofUser: "ann", session: nil, at: 225 * Self.minute)?.recommendationID == "a")
        #expect(try two.plan(ofUser: "ann", session: nil, at: 250 * Self.minute)?.recommendationID == "a")
        #expect(try one.plan(ofUser: "ann", session: nil, at: 281 * Self.minute) == nil)
        #expect(try one.keep(plan("c"), ofUser: "ann", session: nil, at: 281 * Self.minute).recommendationID == "c")
        #expect(try two.plan(ofUser: "ann", session: nil, at: 282 * Self.minute)?.recommendationID == "c")
    }

    @Test("A session that one daemon knows to be in use continues on all, unless it was forgotten")
    func remembered() throws {
        let (one, two) = (try sessions("one"), try sessions("two"))
        let inUse = Sessions(one, .sessions(Lines().log))
        _ = inUse.keep(
            plan("a"), ofUser: "ann", session: nil, at: 0, madeAfter: inUse.removals(ofUser: "ann"))
        // An answer from the cache does this.
        inUse.use(ofUser: "ann", session: nil)?.note(atMilliseconds: Self.minute)
        #expect(try two.plan(ofUser: "ann", session: nil, at: 30 * Self.minute) == nil)
        #expect(inUse.plan(ofUser: "ann", session: nil, at: 31 * Self.minute - 1)?.recommendationID == "a")
        #expect(try two.plan(ofUser: "ann", session: nil, at: 31 * Self.minute - 1)?.recommendationID == "a")
        try inUse.forgetAll(ofUser: "ann")
        #expect(inUse.plan(ofUser: "ann", session: nil, at: 31 * Self.minute) == nil)
        var connection = try RedisConnection(to: RedisAddress(server.url))
        #expect(try connection.command("EXISTS", "coterie:sessions:ann") == .integer(0))
    }

    @Test("A list that was being made while another daemon removed the member is not kept")
    func removedElsewhere() throws {
        func parts(_ name: String) throws -> DeploymentParts {
            let store = RedisStore(try RedisAddress(server.url), cacheDirectory: directory.path + "/cache")
            let (changes, log) = (ChangeClock(), Lines().log)
            return try DeploymentParts(
                .shared(store, journal: "\(directory.path)/journal-\(name)"),
                follower: VersionFollower(store: store, planning: .init(), changes: changes, log: log, now: { 5000 }),
                changes: changes, log: log, now: { 5000 })
        }
        let (one, two) = (try parts("one"), try parts("two"))
        let sessions = try #require(two.sessions)
        let begun = sessions.removals(ofUser: "ann")
        _ = try one.replicator?.journal.apply(.removal(RemovalChange(.account("ann"), atMilliseconds: 5000)))
        for parts in [one, two] {
            var rounds = try ReplicatorRounds(#require(parts.replicator), timeout: .seconds(20))
            while try rounds.exchange() {}
        }
        _ = sessions.keep(plan("a"), ofUser: "ann", session: nil, at: 5000, madeAfter: begun)
        #expect(sessions.plan(ofUser: "ann", session: nil, at: 5000) == nil)
        for parts in [one, two] { parts.close() }
    }

    @Test("Forgetting a session ends it at once on all daemons that have not used it")
    func forgetting() throws {
        let (one, two) = (try sessions("one"), try sessions("two"))
        _ = try one.keep(plan("a"), ofUser: "ann", session: "s", at: 0)
        try one.forgetAll(ofUser: "ann")
        #expect(try one.plan(ofUser: "ann", session: "s", at: 1) == nil)
        #expect(try two.plan(ofUser: "ann", session: "s", at: 1) == nil)
    }

    @Test("Without the server, sessions continue and begin on their own machine")
    func away() throws {
        let (one, two) = (try sessions("one"), try sessions("two"))
        _ = try one.keep(plan("a"), ofUser: "ann", session: "s", at: 0)
        server.stop()
        #expect(try one.plan(ofUser: "ann", session: "s", at: 1)?.recommendationID == "a")
        #expect(try two.plan(ofUser: "ann", session: "s", at: 1) == nil)
        #expect(try two.keep(plan("b"), ofUser: "bob", session: "s", at: 1).recommendationID == "b")
        #expect(try two.plan(ofUser: "bob", session: "s", at: 2)?.recommendationID == "b")
        try two.forgetAll(ofUser: "bob")
        #expect(try two.plan(ofUser: "bob", session: "s", at: 3) == nil)
    }

    @Test("A list that the server has is in the file of the machine soon after, and at once if it is asked for")
    func later() throws {
        let one = try sessions("one")
        func isInFile(_ user: String) throws -> Bool {
            try SessionFileReader(path: directory.path + "/one")?.count(ofUser: user) == 1
        }
        for user in ["ann", "bob", "cid"] { _ = try one.keep(plan("a"), ofUser: user, session: "s", at: 0) }
        #expect(try !isInFile("ann") && !isInFile("bob") && !isInFile("cid"))
        try one.forgetAll(ofUser: "cid")
        #expect(try one.plan(ofUser: "ann", session: "s", at: 1)?.recommendationID == "a")
        #expect(try isInFile("ann"))
        _ = try one.keep(plan("b"), ofUser: "dan", session: "s", at: 0)
        one.writePending()
        #expect(try isInFile("bob") && isInFile("dan") && !isInFile("cid"))
        // However seldom they are written, few wait.
        for number in 0..<300 { _ = try one.keep(plan("c"), ofUser: "user \(number)", session: nil, at: 0) }
        #expect(try isInFile("user 0") && !isInFile("user 299"))
    }

    @Test("While the server does not answer, few requests wait for it, and none for long")
    func hanging() throws {
        let one = try sessions("one", timeout: .milliseconds(250))
        _ = try one.keep(plan("a"), ofUser: "ann", session: "s", at: 0)
        let before = try connectionCount()
        server.pause()
        let begin = ContinuousClock.now
        for number in 0..<50 {
            #expect(try one.plan(ofUser: "ann", session: "other \(number)", at: 1) == nil)
            #expect(try one.plan(ofUser: "ann", session: "s", at: 2)?.recommendationID == "a")
        }
        let pauses = Int((ContinuousClock.now - begin) / .seconds(2))
        server.resume()
        // One request waits for the server, and one more after each pause.
        #expect(try connectionCount() - before - 1 <= 1 + pauses)
        #expect(pauses < 12, "a request waited for long")
    }

    /// The number of connections that the server has accepted, with the one that asks.
    private func connectionCount() throws -> Int {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        let text = try connection.command("INFO", "stats").text ?? ""
        return try #require(text.firstMatch(of: /total_connections_received:([0-9]+)/).flatMap { Int($0.output.1) })
    }

    @Test("A stored list of which any byte is changed is made anew, counted, and then the same everywhere")
    func damaged() throws {
        let (lines, found) = (Lines(), Lines())
        let damaged = DamagedLists(lines.log)
        let (one, two) = (try sessions("one", damaged: damaged), try sessions("two", damaged: DamagedLists(found.log)))
        let intact = plan("a").sealed(ofUser: "ann", session: "s")
        var connection = try RedisConnection(to: RedisAddress(server.url))
        func put(_ bytes: [UInt8]) throws {
            var command = RedisCommand("HSET", "coterie:sessions:ann", "u:s", "5", "p:s")
            command.append(bytes)
            _ = try connection.command(command)
        }
        for index in intact.indices {
            var bytes = intact
            bytes[index] ^= 0xFF
            try put(bytes)
            #expect(try one.plan(ofUser: "ann", session: "s", at: 6) == nil)
            // Removed: another daemon does not come upon it.
            #expect(try connection.command("HEXISTS", "coterie:sessions:ann", "p:s") == .integer(0))
        }
        #expect(damaged.total == UInt64(intact.count) && lines.all.count == 1 && found.all.isEmpty)
        // It may also become damaged between the question and the answer.
        try put(Array(intact.reversed()))
        #expect(try two.keep(plan("b"), ofUser: "ann", session: "s", at: 6).recommendationID == "b")
        #expect(try one.plan(ofUser: "ann", session: "s", at: 7)?.recommendationID == "b")
        #expect(found.all.count == 1)
    }

    @Test("A list of another version of this program stays where it is")
    func otherProgram() throws {
        let (lines, bytes) = (Lines(), FrozenPlan.sealedByAnotherProgram(ofUser: "ann", session: "s"))
        let one = try sessions("one", damaged: DamagedLists(lines.log))
        var connection = try RedisConnection(to: RedisAddress(server.url))
        var command = RedisCommand("HSET", "coterie:sessions:ann", "u:s", "5", "p:s")
        command.append(bytes)
        _ = try connection.command(command)
        #expect(try one.plan(ofUser: "ann", session: "s", at: 6) == nil)
        #expect(try one.keep(plan("a"), ofUser: "ann", session: "s", at: 6).recommendationID == "a")
        #expect(try connection.command("HGET", "coterie:sessions:ann", "p:s") == .bytes(bytes))
        #expect(lines.all.isEmpty)
    }

    @Test("A stored list that cannot be read is ignored")
    func unreadable() throws {
        let one = try sessions("one")
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("HSET", "coterie:sessions:ann", "p:s", "something else", "u:s", "5")
        #expect(try one.plan(ofUser: "ann", session: "s", at: 6) == nil)
        #expect(try one.keep(plan("a"), ofUser: "ann", session: "s", at: 6).recommendationID == "a")
        #expect(try one.plan(ofUser: "ann", session: "s", at: 7)?.recommendationID == "a")
    }
}
