import Basics
import CatalogStore
import Foundation
import SQLite
import TestSupport
import Testing

@Suite("The log of imports and recomputes")
struct WorkLogTests {
    private let folder: TemporaryDirectory
    private var catalog: String { "\(folder.path)/catalog.sqlite" }

    init() throws { folder = try TemporaryDirectory() }

    private func runs() throws -> [WorkLog.Run] { try WorkLog.runs(beside: catalog) }

    @Test("A job is seen while it runs, with its progress, and afterwards, with its outcome")
    func life() throws {
        #expect(try runs().isEmpty)
        let log = WorkLog("import users", beside: catalog) { 5000 }
        log.advance(to: "reading", done: 10, total: 40, unit: "bytes", remainingSeconds: 2.5)
        let running = try #require(try runs().first)
        #expect(running.job == "import users" && running.step == "reading" && running.startedAtMilliseconds == 5000)
        #expect(running.done == 10 && running.total == 40 && running.unit == "bytes" && running.remainingSeconds == 2.5)
        #expect(running.endedAtMilliseconds == nil && !running.isLost)
        log.end("users: 1 row", notes: ["one", "two"])
        let ended = try #require(try runs().first)
        #expect(ended.outcome == "users: 1 row" && ended.notes == ["one", "two"] && !ended.hasFailed)
        #expect(ended.endedAtMilliseconds == 5000 && ended.remainingSeconds == nil)
        #expect(try FileManager.default.attributesOfItem(atPath: catalog + "-work")[.posixPermissions] as? Int == 0o600)
    }

    @Test("A job whose process is gone without an end is told from one that runs")
    func lost() throws {
        _ = WorkLog("recompute", beside: catalog) { 0 }
        let child = Process()
        child.executableURL = URL(filePath: "/bin/true")
        try child.run()
        child.waitUntilExit()
        try Database(path: catalog + "-work", mode: .readWrite).execute(
            "UPDATE runs SET process = \(child.processIdentifier)")
        #expect(try #require(try runs().first).isLost)
        try Database(path: catalog + "-work", mode: .readWrite).execute("UPDATE runs SET host = 'elsewhere'")
        #expect(try !#require(try runs().first).isLost)
    }

    @Test("Values of rows are not kept, as they may belong to members")
    func values() throws {
        let log = WorkLog("import users", beside: catalog) { 0 }
        log.end(
            "1 rejected", hasFailed: true,
            notes: [
                "users.tsv, line 2: user_id \"ann\" is too long: \"coterie check\" says \"ann\"",
                "line 3: there is no user bob",
            ])
        let run = try #require(try runs().first)
        #expect(run.hasFailed)
        // The command that a message names stays.
        let first = "users.tsv, line 2: user_id “…” is too long: \"coterie check\" says “…”"
        #expect(run.notes == [first, "line 3: there is no such user"])
        let bytes = try Data(contentsOf: URL(filePath: catalog + "-work"))
        for name in ["ann", "bob"] { #expect(bytes.range(of: Data(name.utf8)) == nil) }
    }

    @Test("The newest jobs are kept, and long texts are cut")
    func bounds() throws {
        for number in 0..<(WorkLog.runLimit + 7) {
            let log = WorkLog("job \(number)", beside: catalog) { Int64(number) }
            log.end(String(repeating: "é", count: 10_000))
        }
        let runs = try runs()
        #expect(runs.count == WorkLog.runLimit && runs.first?.job == "job \(WorkLog.runLimit + 6)")
        #expect(runs.allSatisfy { $0.outcome.utf8.count <= 4000 })
    }

    @Test("A damaged log stops no job, and the next job begins a new one")
    func damage() throws {
        try Data("this is no database, but it is long enough to be read".utf8).write(
            to: URL(filePath: catalog + "-work"))
        #expect(throws: Failure.self) { try runs() }
        WorkLog("first", beside: catalog) { 0 }.end("done")
        WorkLog("second", beside: catalog) { 0 }.end("done")
        #expect(try runs().map(\.job) == ["second"])
        WorkLog("third", beside: "/nowhere/catalog.sqlite") { 0 }.end("done")
    }
}
