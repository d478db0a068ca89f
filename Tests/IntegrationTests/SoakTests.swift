import Foundation
import Testing

@Suite("The soak", .aFewAtATime, .drill)
struct SoakTests {
    private static let missing = ["taskset", "setpriv", "redis-server"].filter { Checkout.tool($0) == nil }

    private struct Verdict: Decodable {
        var answers: [String: Int]
        var failures: Int
        var verdict: String
    }

    @Test(
        "finds nothing in some seconds, and says so",
        .enabled(if: missing.isEmpty, "needs \(missing.joined(separator: ", "))"),
        .enabled(if: ProcessInfo.processInfo.processorCount > 1, "needs two processors"))
    func smallRun() async throws {
        let workspace = try Workspace()
        let run = try await RunningCommand(
            Checkout.programs + "/coterie-bench", ["soak", "--seconds", "4", "--clients", "1", "--per-second", "50"],
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
        try #require(run.exitCode == 0, "\(run.testDescription)")
        let verdict = try JSONDecoder().decode(Verdict.self, from: Data((run.lines.last ?? "").utf8))
        #expect(verdict.verdict == "passed" && verdict.failures == 0)
        for kind in ["list", "similar", "interaction", "hide"] { #expect(verdict.answers[kind] ?? 0 > 0, "\(kind)") }
    }
}
