import Basics
import CatalogStore
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("The catalog's file")
struct SchemaTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/catalog.sqlite" }

    init() throws { directory = try TemporaryDirectory() }

    private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    @Test("a new file, and an empty one, get every table and the version", arguments: [false, true])
    func newFile(existsEmpty: Bool) throws {
        if existsEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
        let catalog = try Catalog(path: path, mode: .writing)
        let database = try Database(path: path, mode: .readOnly)
        #expect(try database.integer("PRAGMA user_version") == Int64(catalog.facts.schemaVersion))
        #expect(try database.text("PRAGMA journal_mode") == "wal")
        #expect(
            try catalog.facts.counts().map(\.table) == [
                "groups", "users", "photos", "favourites", "follows", "memberships", "pools", "posts",
            ])
        #expect(try catalog.facts.counts().allSatisfy { $0.rows == 0 })
        #expect(try catalog.facts.changeCount() == 0)
        // Opening the catalog again changes nothing, and it can be opened for reading.
        _ = try Catalog(path: path, mode: .writing)
        #expect(try Facts(path: path).groups().isEmpty)
    }

    @Test("reading needs a catalog: none, and an empty one, are errors that name the remedy")
    func missing() throws {
        let none = catalogError { _ = try Facts(path: path) }
        #expect(none?.code == .missing && none?.message.contains("coterie import") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
        try Data().write(to: URL(fileURLWithPath: path))
        let empty = catalogError { _ = try Facts(path: path) }
        #expect(empty?.code == .otherFormat && empty?.message.contains("coterie import") == true)
    }

    @Test(
        "a catalog of another program is refused and left as it is, and it is said how it is brought over",
        arguments: [Catalog.Mode.trying, .recording, .writing], [-1, 1])
    func otherProgram(mode: Catalog.Mode, difference: Int) throws {
        let known = try Catalog(path: path, mode: .writing).facts.schemaVersion
        try Database(path: path, mode: .readWrite).execute("PRAGMA user_version = \(known + difference)")
        let before = bytes(path)
        let error = try #require(catalogError { _ = try Catalog(path: path, mode: mode) })
        #expect(error.code == .otherFormat && error.message.contains("format \(known + difference)"))
        #expect(error.message.contains(difference < 0 ? "coterie restore BACKUP" : "upgrade this one"))
        #expect(bytes(path) == before)
    }

    @Test("somebody else's database is refused and left as it is", arguments: [Catalog.Mode.trying, .writing])
    func foreign(mode: Catalog.Mode) throws {
        try Database(path: path, mode: .create).execute("CREATE TABLE groups (x); INSERT INTO groups VALUES (1)")
        let before = bytes(path)
        let error = try #require(catalogError { _ = try Catalog(path: path, mode: mode) })
        #expect(error.code == .otherFormat && error.message.contains("not a catalog"))
        #expect(bytes(path) == before)
    }

    @Test("a file that is no database is refused and left as it is", arguments: [Catalog.Mode.trying, .writing])
    func noDatabase(mode: Catalog.Mode) throws {
        let text = Data(String(repeating: "group_id,user_id\n", count: 500).utf8)
        try text.write(to: URL(fileURLWithPath: path))
        let error = try #require(catalogError { _ = try Catalog(path: path, mode: mode) })
        #expect(error.code == .otherFormat && error.message.contains("not a SQLite database"))
        #expect(error.message.contains(path))
        #expect(bytes(path) == text)
    }

    @Test("a catalog whose reverse index a killed import dropped gets it back when it is opened for writing")
    func droppedIndexes() throws {
        _ = try Catalog(path: path, mode: .writing)
        let database = try Database(path: path, mode: .readWrite)
        try database.execute("DROP INDEX memberships_by_user; DROP INDEX pools_by_photo")
        _ = try Catalog(path: path, mode: .writing)
        #expect(
            try database.integer(
                "SELECT count(*) FROM sqlite_schema WHERE name IN ('memberships_by_user', 'pools_by_photo')") == 2)
    }

    @Test("profiles are read from the reverse index alone")
    func coveringIndex() throws {
        _ = try Catalog(path: path, mode: .writing)
        let plan = try Database(path: path, mode: .readOnly).prepare(
            "EXPLAIN QUERY PLAN SELECT group_key, joined_at FROM memberships WHERE user_key = 1")
        #expect(try plan.step())
        #expect(plan.text(3).contains("COVERING INDEX memberships_by_user"))
    }

    @Test("a second writer is told that the catalog is busy; readers see the state before")
    func busy() throws {
        let catalog = try Catalog(path: path, mode: .writing)
        let writer = try Database(path: path, mode: .readWrite, busyTimeoutSeconds: 0.05)
        try writer.execute("BEGIN IMMEDIATE; UPDATE catalog_state SET value = 99")
        let other = try Database(path: path, mode: .readWrite, busyTimeoutSeconds: 0.05)
        do {
            try other.execute("BEGIN IMMEDIATE")
            Issue.record("two writers at once")
        } catch {
            #expect(error.code == .busy)
        }
        #expect(try catalog.facts.changeCount() == 0)
        try writer.execute("COMMIT")
        #expect(try catalog.facts.changeCount() == 99)
        try other.execute("BEGIN IMMEDIATE")
    }

    @Test("a snapshot shows one state, whatever is written meanwhile")
    func snapshot() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\na\n")
        let reader = try Facts(path: test.path)
        try reader.snapshot { () throws(Failure) in
            let before = try reader.changeCount()
            #expect(throws: Never.self) { try test.importing(.groups, "group_id\nb\n") }
            #expect(try reader.groups().map(\.id) == ["a"])
            #expect(try reader.changeCount() == before)
        }
        #expect(try reader.groups().map(\.id) == ["a", "b"])
    }
}
