import Basics
@testable import CatalogStore
import Model
import SQLite
import Similarity
import TestSupport
import Testing

@Suite("Snapshots of a catalog")
struct MatricesTests {
    private let test: CatalogUnderTest

    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.memberships, "group_id,user_id\na,u\nb,u\nb,v\n")
    }

    /// Returns the change count that each connection sees.
    private func changeCounts(_ snapshot: Matrices) throws -> [Int64] {
        try snapshot.connections.map { try $0.withLock { try $0.changeCount() } }
    }

    @Test("Nothing written after it was taken is in any of its connections", arguments: 1...2)
    func later(threads: Int) throws {
        let snapshot = try Matrices(of: test.catalog.facts, threads: threads)
        let before = try test.catalog.facts.changeCount()
        try test.importing(.memberships, "group_id,user_id\nlate,late\n")
        #expect(try test.catalog.facts.changeCount() > before)
        #expect(try changeCounts(snapshot) == Array(repeating: before, count: threads))
        #expect(try snapshot.groups().map(\.id) == ["a", "b"])
        #expect(try snapshot.matrix(.memberships) { _ in }.matrix.entryCount == 3)
        let next = try Matrices(of: test.catalog.facts, threads: threads)
        #expect(try next.matrix(.memberships) { _ in }.matrix.entryCount == 4)
    }

    @Test("A commit while it is taken is in all of its connections, or in none")
    func meanwhile() throws {
        var attempts = 0
        let writer = try Database(path: test.path, mode: .readWrite, busyTimeoutSeconds: 0)
        var written: [Bool] = []
        let snapshot = try Matrices(of: test.catalog.facts, threads: 2) {
            attempts += 1
            let commit = "UPDATE catalog_state SET value = value + 1 WHERE name = 'changes'"
            written.append((try? writer.execute(commit)) != nil)
        }
        // The connections of the first attempt see two states. During the second attempt, nobody can write.
        #expect(attempts == 2 && written == [true, false])
        let counts = try changeCounts(snapshot)
        #expect(counts == Array(repeating: try test.catalog.facts.changeCount(), count: 2))
    }

    @Test("It can be taken while another connection holds the write lock")
    func longWriter() throws {
        let writer = try Database(path: test.path, mode: .readWrite)
        try writer.execute("BEGIN IMMEDIATE; DELETE FROM memberships")
        let snapshot = try Matrices(of: test.catalog.facts, threads: 2)
        #expect(try snapshot.matrix(.memberships) { _ in }.matrix.entryCount == 3)
        try writer.execute("ROLLBACK")
    }

    @Test("When it is released, the write-ahead log can be emptied")
    func ending() throws {
        do {
            let snapshot = try Matrices(of: test.catalog.facts, threads: 2)
            try test.importing(.users, "user_id\nlater\n")
            #expect(try snapshot.catalog.counts().count == 8)
        }
        #expect(try Database(path: test.path, mode: .readWrite, busyTimeoutSeconds: 0).emptyLog())
    }
}
