import Foundation
import SQLite
import TestSupport
import Testing

@testable import Service

@Suite("The file of sessions")
struct SessionFileTests {
    private let folder: TemporaryDirectory
    private let plan = FrozenPlan.sample(seed: 8)
    /// More than a day after all that has ended.
    private let now: Int64 = 3 * 86_400_000
    private var path: String { folder.path + "/sessions" }

    init() throws { folder = try TemporaryDirectory() }

    private func open() throws -> SessionFile { try SessionFile(path: path) }

    private func value(_ sql: String) throws -> Int64? { try Database(path: path, mode: .readOnly).integer(sql) }

    /// Adds sessions that have ended, of several pages each, and one that goes on.
    private func fill(_ database: Database) throws {
        try database.execute(
            """
            WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 400)
            INSERT INTO sessions SELECT 'user ' || n, '', 5, randomblob(9000) FROM numbers
            """)
        let insert = try database.prepare("INSERT INTO sessions VALUES ('ann', '', ?, ?)")
        insert.bind(now - 1, at: 1)
        insert.bind(bytes: plan.sealed(ofUser: "ann", session: nil), at: 2)
        try insert.run()
    }

    /// Keeps lists until all that has ended should be gone.
    private func keepLists(in file: SessionFile) throws {
        var before = try value("SELECT count(*) FROM sessions") ?? 0
        for number in 0..<60 {
            _ = try file.keep(plan, ofUser: "bob \(number % 20)", session: nil, at: now)
            let after = try value("SELECT count(*) FROM sessions") ?? 0
            // Whoever keeps a list waits for no more than a few.
            #expect(before - after <= 16)
            before = after
        }
        #expect(before == 21)
        #expect(try file.plan(ofUser: "ann", session: nil, at: now) == plan)
    }

    @Test("As sessions end, a few are forgotten with each new list, and the file shrinks")
    func shrinking() throws {
        let file = try open()
        try fill(Database(path: path, mode: .readWrite))
        let pages = try #require(try value("PRAGMA page_count"))
        try keepLists(in: file)
        #expect(try #require(try value("PRAGMA page_count")) < pages / 10)
    }

    @Test("A log that has grown gives its place on the disk back once it is in the file")
    func logSize() throws {
        let file = try open()
        func logByteCount() throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
        }
        // Another program, whose connection has no limit.
        let other = try Database(path: path, mode: .readWrite)
        try other.execute("INSERT INTO sessions VALUES ('bob', '', \(now), zeroblob(\(8 * SessionFile.logByteLimit)))")
        #expect(try logByteCount() > SessionFile.logByteLimit)
        // The log is in the file by now; the next commit begins it anew.
        _ = try file.keep(plan, ofUser: "ann", session: nil, at: now)
        #expect(try logByteCount() <= SessionFile.logByteLimit)
        #expect(try file.plan(ofUser: "ann", session: nil, at: now) == plan)
    }

    @Test("A file of another program is begun anew, which is logged once, and then shrinks as any other")
    func otherProgram() throws {
        do { _ = try open().keep(plan, ofUser: "ann", session: nil, at: now) }
        let other = try Database(path: path, mode: .readWrite)
        try other.execute(
            "PRAGMA auto_vacuum = NONE; VACUUM; PRAGMA user_version = \(FrozenPlan.format - 1)")
        let lines = Lines()
        let file = try SessionFile(path: path, damaged: DamagedLists(lines.log))
        #expect(try file.plan(ofUser: "ann", session: nil, at: now) == nil)
        #expect(try value("PRAGMA auto_vacuum") == 2)
        _ = try file.keep(plan, ofUser: "ann", session: nil, at: now)
        #expect(
            try SessionFile(path: path, damaged: DamagedLists(lines.log)).plan(ofUser: "ann", session: nil, at: now)
                == plan)
        #expect(lines.all.count == 1 && lines.all.first?.contains("begun anew") == true)
    }
    @Test("A list that waits is in the file soon after, at once if it is asked for, and never if it is forgotten")
    func waiting() throws {
        let waiting = WaitingSessions(try open())
        func isInFile(_ user: String) throws -> Bool {
            try SessionFileReader(path: path)?.count(ofUser: user) == 1
        }
        for user in ["ann", "bob", "cid"] { _ = try waiting.keep(plan, ofUser: user, session: nil, at: now) }
        #expect(try !isInFile("ann") && !isInFile("bob") && !isInFile("cid"))
        try waiting.forgetAll(ofUser: "cid")
        #expect(try waiting.plan(ofUser: "ann", session: nil, at: now) == plan)
        _ = try waiting.keep(plan, ofUser: "dan", session: nil, at: now)
        try waiting.writeWaiting()
        #expect(try isInFile("ann") && isInFile("bob") && !isInFile("cid") && isInFile("dan"))
    }

    @Test("While lists cannot be written, each request learns of it")
    func failing() throws {
        let waiting = WaitingSessions(try open())
        let writer = try Database(path: path, mode: .readWrite)
        _ = try waiting.keep(plan, ofUser: "ann", session: nil, at: now)
        try writer.execute("DROP TABLE sessions")
        #expect(throws: (any Error).self) { try waiting.writeWaiting() }
        #expect(throws: (any Error).self) { _ = try waiting.keep(plan, ofUser: "bob", session: nil, at: now) }
        try writer.execute("CREATE TABLE sessions (user_id, session_id, used_at, plan)")
        _ = try waiting.keep(plan, ofUser: "bob", session: nil, at: now)
        #expect(try SessionFileReader(path: path)?.count(ofUser: "bob") == 1)
        _ = try waiting.keep(plan, ofUser: "cid", session: nil, at: now)
        #expect(try SessionFileReader(path: path)?.count(ofUser: "cid") == 0)
    }
}
