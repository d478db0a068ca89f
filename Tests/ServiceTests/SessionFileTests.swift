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

    @Test("A list that was being made while the member's lists were removed is not kept")
    func removedMeanwhile() throws {
        let sessions = Sessions(try open(), .sessions(Lines().log))
        func keep(madeAfter begun: ChangeClock.Stamp) -> FrozenPlan? {
            #expect(sessions.keep(plan, ofUser: "ann", session: nil, at: now, madeAfter: begun) == plan)
            return sessions.plan(ofUser: "ann", session: nil, at: now)
        }
        let begun = sessions.removals(ofUser: "ann")
        try sessions.forgetAll(ofUser: "ann")
        #expect(keep(madeAfter: begun) == nil)
        #expect(keep(madeAfter: sessions.removals(ofUser: "ann")) == plan)
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
}
