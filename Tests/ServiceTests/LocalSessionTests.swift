import Dispatch
import SQLite
import TestSupport
import Testing

@testable import Service

@Suite("Sessions that are written after the answer")
struct LocalSessionTests {
    private let folder: TemporaryDirectory
    private let plan = FrozenPlan.sample(seed: 3)
    private let other = FrozenPlan.sample(seed: 4)
    private var path: String { folder.path + "/sessions" }

    init() throws { folder = try TemporaryDirectory() }

    /// - Parameter delay: by default so long that nothing is written by itself.
    private func open(limit: Int = 256, delay: Duration = .seconds(86_400)) throws -> LocalSessions {
        LocalSessions(try SessionFile(path: path), limit: limit, delay: delay)
    }

    /// How many lists the file has, of all members.
    private func writtenCount() throws -> Int64? {
        try Database(path: path, mode: .readOnly).integer("SELECT count(*) FROM sessions")
    }

    /// The list that the file alone gives.
    private func written(_ user: String, _ session: String?, at now: Int64) throws -> FrozenPlan? {
        try SessionFile(path: path).plan(ofUser: user, session: session, at: now)
    }

    @Test("A list is read while it waits, and is in the file after a flush")
    func waiting() throws {
        let sessions = try open()
        sessions.keepLater(plan, ofUser: "ann", session: "s", at: 5)
        #expect(try writtenCount() == 0)
        #expect(try sessions.use("ann", "s", at: 6)?.plan == plan)
        #expect(try sessions.use("ann", nil, at: 6) == nil && sessions.use("bob", "s", at: 6) == nil)
        sessions.flush()
        #expect(try writtenCount() == 1)
        #expect(try written("ann", "s", at: 6) == plan)
        #expect(try sessions.use("ann", "s", at: 6)?.plan == plan)
    }

    @Test("A list is written by itself after its delay")
    func delay() async throws {
        let sessions = try open(delay: .milliseconds(1))
        for (number, user) in ["ann", "bob"].enumerated() {
            sessions.keepLater(plan, ofUser: user, session: nil, at: 5)
            while try writtenCount() != Int64(number + 1) { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(try sessions.use("ann", nil, at: 6)?.plan == plan)
    }

    @Test("Beyond the limit a list is written at once, and so is one that only this machine has")
    func atOnce() throws {
        let sessions = try open(limit: 2)
        for session in ["a", "b", "c"] { sessions.keepLater(plan, ofUser: "ann", session: session, at: 5) }
        #expect(try writtenCount() == 1)
        #expect(try written("ann", "c", at: 6) == plan)
        try sessions.keep(other, ofUser: "ann", session: "a", at: 6)
        #expect(try writtenCount() == 2)
        sessions.flush()
        // What waited for the same session is not written over it.
        #expect(try written("ann", "a", at: 7) == other)
        #expect(try writtenCount() == 3)
    }

    @Test("The use of a list that waits counts, and is written with it")
    func use() throws {
        let (sessions, minute) = (try open(), Int64(60_000))
        sessions.keepLater(plan, ofUser: "ann", session: nil, at: 0)
        #expect(try sessions.use("ann", nil, at: minute - 1)?.isNoted == false)
        #expect(try sessions.use("ann", nil, at: 20 * minute)?.isNoted == true)
        try sessions.noteUse(ofUser: "ann", session: nil, at: 40 * minute)
        #expect(try sessions.use("ann", nil, at: 70 * minute) == nil)
        sessions.flush()
        #expect(try written("ann", nil, at: 70 * minute - 1) == plan)
        #expect(try sessions.use("ann", nil, at: 70 * minute - 1)?.plan == plan)
    }

    @Test("Who is forgotten has no list that waits either, and others keep theirs")
    func forgetting() throws {
        let sessions = try open()
        for user in ["ann", "bob"] {
            for session in [nil, "s"] { sessions.keepLater(plan, ofUser: user, session: session, at: 5) }
        }
        try sessions.forgetAll(ofUser: "ann")
        #expect(try sessions.use("ann", nil, at: 6) == nil && sessions.use("ann", "s", at: 6) == nil)
        sessions.flush()
        #expect(try writtenCount() == 2)
        #expect(try written("bob", "s", at: 6) == plan)
    }

    @Test("While lists are being written, none is missed by a reader, and none comes back that was forgotten")
    func whileWriting() throws {
        let sessions = try open(delay: .zero)
        for number in 0..<300 {
            let user = "user \(number)"
            sessions.keepLater(plan, ofUser: user, session: nil, at: 5)
            #expect(try sessions.use(user, nil, at: 6)?.plan == plan)
            if !number.isMultiple(of: 3) { try sessions.forgetAll(ofUser: user) }
        }
        sessions.flush()
        #expect(try writtenCount() == 100)
    }

    @Test("A copy that cannot be written is given up, and later ones are written")
    func failing() throws {
        let sessions = try open()
        let database = try Database(path: path, mode: .readWrite)
        try database.execute(
            "CREATE TRIGGER full BEFORE INSERT ON sessions BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END")
        sessions.keepLater(plan, ofUser: "ann", session: nil, at: 5)
        sessions.flush()
        try database.execute("DROP TRIGGER full")
        sessions.keepLater(plan, ofUser: "bob", session: nil, at: 5)
        sessions.flush()
        #expect(try writtenCount() == 1)
        #expect(try sessions.use("ann", nil, at: 6) == nil)
    }
}
