import Foundation
import SQLite
import Testing

@Suite("An import that is killed", .aFewAtATime, .drill)
struct KilledImportTests {
    /// The signals of `kill -9` and of Control-C.
    private static let signals = [SIGKILL, SIGINT]
    /// How often a kill that came too late is tried again.
    private static let attempts = 20

    /// When an import of memberships is killed.
    enum Moment: CaseIterable {
        /// It reads the file: the catalog is there, and nothing was written to it since.
        case reading
        /// It writes: the log holds pages of a transaction that is under way.
        case writing
    }

    @Test(
        "while it reads or writes keeps all or nothing, and again makes it whole",
        arguments: Moment.allCases, ["photos", "memberships"])
    func whileItWorks(moment: Moment, kind: String) async throws {
        let rows = 120_000
        let whole = try Workspace()
        let path = try whole.write(
            kind == "photos" ? Self.photos(rows) : Self.memberships(rows), to: "\(kind).csv")
        try await whole.succeed("import", kind, path)
        for signal in Self.signals {
            var killed: Workspace?
            for _ in 0..<Self.attempts where killed == nil {
                let workspace = try Workspace()
                let command = try workspace.start(["import", kind, path])
                while command.isRunning, !Self.isReached(moment, kind, workspace) { usleep(500) }
                command.send(signal)
                let run = await command.wait()
                let count = Self.count(kind, workspace)
                #expect(count == 0 || count == rows)
                if run.ending == .killed(signal: signal), count == 0 { killed = workspace }
            }
            let workspace = try #require(killed, "it always ended before it could be killed while \(moment)")
            try await workspace.succeed("import", kind, path)
            #expect(Self.count(kind, workspace) == rows)
            #expect(try CatalogContent.differences(workspace.catalog, whole.catalog) == 0)
        }
    }

    private static func isReached(_ moment: Moment, _ kind: String, _ workspace: Workspace) -> Bool {
        switch moment {
        case .reading: (try? workspace.database().integer("SELECT count(*) FROM \(kind)")) == 0
        case .writing: isWriting(workspace)
        }
    }

    /// Whether the log has the pages of a transaction that is under way.
    private static func isWriting(_ workspace: Workspace) -> Bool { byteCount(workspace.catalog + "-wal") >= 1 << 20 }

    @Test("while it replaces changes nothing")
    func replacing() async throws {
        let rows = 120_000
        let old = try Workspace()
        let oldRows = try old.write(Self.memberships(rows), to: "old.csv")
        try await old.succeed("import", "memberships", oldRows)
        let before = try Data(contentsOf: URL(fileURLWithPath: old.catalog))
        // Three quarters of the old ones, and new ones.
        let newRows = try old.write(Self.memberships(rows, first: rows / 4), to: "new.csv")
        let workspace = try Workspace()
        _ = try workspace.write(before, to: "catalog.sqlite")
        // More than two thousand writes make the rows ready, and write them to the log.
        let run = try await workspace.run(
            "import", "memberships", newRows, "--replace",
            settings: ["LD_PRELOAD": Checkout.killer, "KILLED_AT_WRITE": "1700"])
        #expect(run.ending == .killed(signal: SIGKILL) && Self.isWriting(workspace), "\(run.testDescription)")
        #expect(try CatalogContent.differences(workspace.catalog, old.catalog) == 0)
        let again: Answers.Import = try await workspace.succeed("import", "memberships", newRows, "--replace", "--json")
            .json()
        #expect(again.removed == rows / 4)
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
