import Foundation
import SQLite
import Testing

@Suite("An import that is killed", .aFewAtATime)
struct KilledImportTests {
    /// The signals of `kill -9` and of Control-C.
    private static let signals = [SIGKILL, SIGINT]

    @Test("in the middle of a large file leaves whole batches, and again makes it whole")
    func betweenBatches() async throws {
        let batchRows = 100_000
        let rowCount = 120_000
        let whole = try Workspace()
        let path = try whole.write(Self.photos(rowCount), to: "photos.csv")
        try await whole.succeed("import", "photos", path)
        for signal in Self.signals {
            let workspace = try Workspace()
            let command = try workspace.start(["import", "photos", path])
            while command.isRunning, Self.count("photos", workspace) == 0 { usleep(2_000) }
            command.send(signal)
            let run = await command.wait()
            #expect(run.ending == .killed(signal: signal), "it was over before: \(run.testDescription)")
            #expect(Self.count("photos", workspace) == batchRows)
            let again: Answers.Import = try await workspace.succeed("import", "photos", path, "--json").json()
            #expect(again.unchanged == batchRows && again.written == rowCount - batchRows)
            #expect(try CatalogContent.differences(workspace.catalog, whole.catalog) == 0)
        }
    }

    @Test("while it reads or writes memberships keeps all or nothing, and again makes it whole")
    func withinBatch() async throws {
        let rows = 120_000
        let whole = try Workspace()
        let path = try whole.write(Self.memberships(rows), to: "memberships.csv")
        let clock = ContinuousClock()
        let duration = try await clock.measure { try await whole.succeed("import", "memberships", path) }
        let workspace = try Workspace()
        for (index, portion) in [0.2, 0.4, 0.6, 0.75, 0.85, 0.95].enumerated() {
            let command = try workspace.start(["import", "memberships", path])
            let moment = clock.now + duration * portion
            while command.isRunning, clock.now < moment { usleep(2_000) }
            command.send(Self.signals[index % 2])
            _ = await command.wait()
            let count = Self.count("memberships", workspace)
            #expect(count == 0 || count == rows)
        }
        try await workspace.succeed("import", "memberships", path)
        #expect(Self.count("memberships", workspace) == rows)
        #expect(try CatalogContent.differences(workspace.catalog, whole.catalog) == 0)
    }

    @Test("while it replaces changes nothing at all")
    func replacing() async throws {
        let workspace = try Workspace()
        let rows = 120_000
        let old = try workspace.write(Self.memberships(rows), to: "old.csv")
        try await workspace.succeed("import", "memberships", old)
        try FileManager.default.copyItem(atPath: workspace.catalog, toPath: workspace.path("before.sqlite"))
        // Three quarters of the old ones, and new ones.
        let new = try workspace.write(Self.memberships(rows, first: rows / 4), to: "new.csv")
        let command = try workspace.start(["import", "memberships", new, "--replace"])
        // Its log has the pages of a transaction that is under way.
        while command.isRunning, Self.byteCount(workspace.catalog + "-wal") < 1 << 20 { usleep(1_000) }
        command.send(SIGKILL)
        let run = await command.wait()
        let isOver = run.exitCode == CommandRun.ExitCode.success
        let differences = try CatalogContent.differences(workspace.catalog, workspace.path("before.sqlite"))
        #expect(isOver || differences == 0)
        let again: Answers.Import = try await workspace.succeed("import", "memberships", new, "--replace", "--json")
            .json()
        #expect(isOver || again.removed == rows / 4)
        #expect(Self.count("memberships", workspace) == rows)
    }

    /// The rows of a table; 0 as long as there is no table, or no catalog.
    private static func count(_ table: String, _ workspace: Workspace) -> Int {
        Int((try? workspace.database().integer("SELECT count(*) FROM \(table)")) ?? 0)
    }

    private static func byteCount(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    }

    private static func photos(_ count: Int) -> Data {
        lines("photo_id,uploaded_at", count) { "\($0),\($0 * 7)" }
    }

    /// Pairs without repetition; those from a number on are those of a file that begins there.
    private static func memberships(_ count: Int, first: Int = 0) -> Data {
        lines("group_id,user_id,joined_at", count) { "\(($0 + first) % 997),\(($0 + first) / 20),\($0 + first)" }
    }

    private static func lines(_ header: String, _ count: Int, _ line: (Int) -> String) -> Data {
        var content = Data("\(header)\n".utf8)
        for index in 0..<count { content.append(contentsOf: (line(index) + "\n").utf8) }
        return content
    }
}
