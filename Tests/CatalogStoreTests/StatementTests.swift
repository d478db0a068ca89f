import Basics
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("The wrapper of SQLite")
struct StatementTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func database() throws -> Database { try Database(path: directory.path + "/x.sqlite", mode: .create) }

    @Test("values come back as they were bound, absent ones as absent")
    func values() throws {
        let database = try database()
        try database.execute("CREATE TABLE t (i INTEGER, r REAL, x TEXT)")
        let insert = try database.prepare("INSERT INTO t VALUES (?, ?, ?)")
        let rows: [(Int64?, Double?, String?)] = [
            (.max, -0.5, "é🦅"), (.min, .greatestFiniteMagnitude, ""), (nil, nil, nil), (0, 0, "a\0b"),
        ]
        for row in rows {
            insert.bind(row.0, at: 1)
            insert.bind(row.1, at: 2)
            insert.bind(row.2, at: 3)
            try insert.run()
        }
        #expect(database.totalChanges == 4 && database.lastInsertedRowID == 4)
        let select = try database.prepare("SELECT i, r, x FROM t ORDER BY rowid")
        for row in rows {
            #expect(try select.step())
            #expect(select.optionalInteger(0) == row.0 && select.optionalNumber(1) == row.1)
            #expect(select.optionalText(2) == row.2)
        }
        #expect(try !select.step())
        // The statement was reset and can run again.
        #expect(try select.step())
        #expect(select.integer(0) == .max)
    }

    @Test("errors carry the code, the message and the statement")
    func errors() throws {
        let database = try database()
        #expect { try database.prepare("SELECT nonsense") } throws: { error in
            let error = error as? Failure
            return error?.ofDatabase?.primaryCode == 1 && error?.ofDatabase?.sql == "SELECT nonsense"
                && error?.message.contains("nonsense") == true && error?.code == .databaseFailed
        }
        try database.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1)")
        #expect { try database.execute("INSERT INTO t VALUES (1)") } throws: {
            ($0 as? Failure)?.ofDatabase?.primaryCode == 19
        }
        #expect(throws: Failure.self) { try Database(path: directory.path + "/none", mode: .readOnly) }
        #expect(throws: Failure.self) { try Database(path: "/nonexistent/x", mode: .create) }
    }

    @Test("a transaction is kept if its body returns, and undone if it throws")
    func transactions() throws {
        let stop = Failure(.general, "stop")
        let database = try database()
        try database.execute("CREATE TABLE t (x)")
        let kept = try database.transaction { () throws(Failure) in
            try database.execute("INSERT INTO t VALUES (1)")
            return 7
        }
        #expect(kept == 7)
        #expect(throws: stop) {
            try database.transaction { () throws(Failure) in
                try database.execute("INSERT INTO t VALUES (2)")
                throw stop
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
        #expect(try database.integer("SELECT max(x) FROM t WHERE x > ?", 1) == nil)
    }

    @Test("a file that does not change is opened by its very name, whatever is in it")
    func immutable() throws {
        let path = directory.path + "/50% of #1? é.sqlite"
        try Database(path: path, mode: .create).execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)")
        #expect(try Database(path: path, mode: .immutable).integer("SELECT x FROM t") == 7)
    }

    @Test("a check of the whole file finds a page of zeros")
    func wholeness() throws {
        do { try database().execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))") }
        let path = directory.path + "/x.sqlite"
        try Database(path: path, mode: .readOnly).checkWhole()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(count: 4096))
        try file.close()
        #expect { try Database(path: path, mode: .readOnly).checkWhole() } throws: {
            ($0 as? Failure)?.isOfDamagedDatabase == true
        }
    }
}
