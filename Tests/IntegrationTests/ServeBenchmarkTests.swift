import Foundation
import Testing

@Suite("The benchmark of the daemon")
struct ServeBenchmarkTests {
    /// The programs that it needs beside the two of this package.
    private static let missing = ["taskset", "setpriv", "wrk", "nginx", "redis-server"].filter {
        Checkout.tool($0) == nil
    }

    private struct Row: Decodable {
        var row: String
        var ratio: Double?
        var p99Milliseconds: Double?
        var failures: Int?
    }

    @Test(
        "Runs at a small size, with a figure in every row",
        .enabled(if: missing.isEmpty, "needs \(missing.joined(separator: ", "))"),
        .enabled(if: ProcessInfo.processInfo.processorCount > 1, "needs two processors"))
    func smallRun() async throws {
        let workspace = try Workspace()
        let program = URL(fileURLWithPath: Checkout.program).deletingLastPathComponent()
            .appendingPathComponent("coterie-bench").path
        let run = try await RunningCommand(
            program,
            [
                "serve", "--groups", "2000", "--neighbours", "10", "--joined", "5", "--members", "20", "--rounds", "1",
                "--seconds", "1", "--requests", "20", "--connections", "4",
            ], environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        try #require(run.exitCode == 0, "\(run.testDescription)")
        let rows = try run.lines.filter { $0.hasPrefix("{") }
            .map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        let names = ["cached", "uncached", "uncached", "latency", "batches", "memory", "recording", "hammered"]
        #expect(rows.map(\.row) == names)
        for row in rows { #expect((row.ratio ?? row.p99Milliseconds ?? 0) > 0 && (row.failures ?? 0) == 0) }
    }
}
