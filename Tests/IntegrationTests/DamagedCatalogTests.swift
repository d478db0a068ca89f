import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A catalog that is damaged", .aFewAtATime, .drill)
struct DamagedCatalogTests {
    /// What happens to a catalog.
    enum Damage: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case changedBytes, changedBits, emptyPage, swappedPages, copiedPage, truncation
        /// A value that no import writes, in a file that is whole otherwise.
        case impossibleValue

        var testDescription: String { rawValue }
    }

    /// How often a catalog is damaged in each way.
    private static let rounds = 3 * Drill.rounds
    private static let pageSize = 4096

    @Test(
        "Nothing crashes, exit code 65 says what is damaged, and nothing is published of what SQLite finds damaged",
        arguments: Damage.allCases)
    func damage(_ damage: Damage) async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let digest = try #require(try await workspace.currentVersion().split(separator: "-").last)
        let whole = try Data(contentsOf: URL(fileURLWithPath: workspace.catalog))
        for round in 0..<Self.rounds {
            var generator = SeededGenerator(seed: UInt64(round))
            let path = try write(damage, to: whole, in: workspace, &generator)
            let isSound = (try? Database(path: path, mode: .readOnly).checkWhole()) != nil
            for command in [["stats"], ["recommend", "laura-100"]] {
                let run = try await workspace.start(command).wait()
                #expect(isUnderstood(run), "round \(round): \(run.testDescription)")
            }
            try await serve(in: workspace, round)
            let hasty = try await workspace.run("recompute", "--no-check", "--store", workspace.path("other"))
            #expect(isUnderstood(hasty), "round \(round): \(hasty.testDescription)")
            // Whole pages in other places are rows that are missing, or too many. What changes a byte may also change
            // a value, which only the check may tell.
            if hasty.exitCode == CommandRun.ExitCode.success, !isSound,
                [.emptyPage, .swappedPages, .copiedPage, .truncation].contains(damage)
            {
                #expect(hasty.text.contains("-\(digest) is current"), "round \(round)")
            }
            let recompute = try await workspace.run("recompute", "--store", workspace.path("other"))
            #expect(isUnderstood(recompute), "round \(round): \(recompute.testDescription)")
            #expect(isSound || recompute.exitCode == CommandRun.ExitCode.badData, "round \(round)")
            try? FileManager.default.removeItem(atPath: workspace.path("other"))
        }
    }

    private func isUnderstood(_ run: CommandRun) -> Bool {
        [CommandRun.ExitCode.success, CommandRun.ExitCode.badData].contains(run.exitCode)
    }

    /// Starts a daemon, which serves or says why it does not.
    private func serve(in workspace: Workspace, _ round: Int) async throws {
        let command = try workspace.start(["serve", "--port", "0"])
        try ChildWatch.begin(command.process)
        func port() -> UInt16? {
            command.errors.firstMatch(of: #/"listening at port ([0-9]+) /#).flatMap { UInt16($0.output.1) }
        }
        _ = await RunningDaemon.poll { port() != nil || !command.isRunning }
        guard let port = port() else {
            let run = await command.wait()
            #expect(isUnderstood(run), "round \(round): \(run.testDescription)")
            return
        }
        for path in ["/v1/users/laura-100/recommendations", "/v1/photos/100/groups", "/v1/admin/curation", "/readyz"] {
            #expect(SocketClient(port: port)?.request("GET", path) != nil, "round \(round): \(command.errors)")
        }
        command.send(SIGTERM)
        let run = await command.wait()
        #expect(run.exitCode == CommandRun.ExitCode.success, "round \(round): \(run.testDescription)")
    }

    /// Replaces the catalog by a damaged one.
    ///
    /// - Returns: its path.
    private func write(
        _ damage: Damage, to whole: Data, in workspace: Workspace, _ generator: inout SeededGenerator
    ) throws -> String {
        var bytes = whole
        let pageCount = bytes.count / Self.pageSize
        /// The bytes of a page other than the first one, which says what the file is.
        func page() -> Range<Int> {
            let number = Int.random(in: 1..<pageCount, using: &generator)
            return number * Self.pageSize..<(number + 1) * Self.pageSize
        }
        switch damage {
        case .changedBytes:
            let start = Int.random(in: 100..<bytes.count - 8, using: &generator)
            for offset in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[start + offset] = UInt8.random(in: 0...255, using: &generator)
            }
        case .changedBits:
            for _ in 0..<12 { bytes[Int.random(in: 100..<bytes.count, using: &generator)] ^= 16 }
        case .emptyPage: bytes.resetBytes(in: page())
        case .swappedPages:
            let (one, other) = (page(), page())
            bytes.replaceSubrange(one, with: whole[other])
            bytes.replaceSubrange(other, with: whole[one])
        case .copiedPage: bytes.replaceSubrange(page(), with: whole[page()])
        case .truncation: bytes.removeSubrange((page().lowerBound + Int.random(in: 0..<4096, using: &generator))...)
        case .impossibleValue: break
        }
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: workspace.catalog + suffix) }
        let path = try workspace.write(bytes, to: "catalog.sqlite")
        if damage == .impossibleValue { try setImpossibleValue(path, &generator) }
        return path
    }

    /// Sets columns of some rows to values that nothing writes.
    private func setImpossibleValue(_ path: String, _ generator: inout SeededGenerator) throws {
        let columns = [
            "groups.group_key", "groups.group_id", "groups.created_at", "groups.topics", "groups.join_policy",
            "users.user_key", "users.interests", "photos.photo_key", "photos.user_key", "photos.tags",
            "photos.latitude", "memberships.group_key", "memberships.user_key", "memberships.joined_at",
            "pools.photo_key", "pools.added_at", "catalog_state.value",
        ]
        let values = [
            "9223372036854775807", "-9223372036854775807 - 1", "-1", "0", "4294967296", "1e308", "-1e308", "'text'",
            "x'ff00fe'", "NULL",
        ]
        let database = try Database(path: path, mode: .readWrite)
        for _ in 0..<3 {
            let parts = (columns.randomElement(using: &generator) ?? "").split(separator: ".")
            let (table, column) = (parts[0], parts[1])
            let value = values.randomElement(using: &generator) ?? ""
            let place = Int.random(in: 0..<300, using: &generator)
            // Some columns do not take some values.
            try? database.execute(
                """
                UPDATE OR IGNORE \(table) SET \(column) = \(value)
                WHERE \(column) IN (SELECT \(column) FROM \(table) LIMIT 1 OFFSET \(place))
                """)
        }
    }
}
