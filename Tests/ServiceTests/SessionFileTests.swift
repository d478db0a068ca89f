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

    @Test("A file of an earlier program, which does not shrink, is written anew once, and keeps its sessions")
    func earlierProgram() throws {
        let earlier = try Database(path: path, mode: .create)
        try earlier.execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE sessions (
                user_id TEXT NOT NULL, session_id TEXT NOT NULL, used_at INTEGER NOT NULL, plan BLOB NOT NULL,
                PRIMARY KEY (user_id, session_id)
            );
            CREATE INDEX sessions_by_use ON sessions (used_at)
            """)
        try fill(earlier)
        #expect(try value("PRAGMA auto_vacuum") == 0)
        let pages = try #require(try value("PRAGMA page_count"))
        let file = try open()
        #expect(try value("PRAGMA auto_vacuum") == 2)
        #expect(try file.plan(ofUser: "ann", session: nil, at: now) == plan)
        try keepLists(in: file)
        #expect(try #require(try value("PRAGMA page_count")) < pages / 10)
    }
}
