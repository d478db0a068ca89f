import Foundation
import TestSupport
import Testing

@Suite("A recompute while members, imports and curators write", .aFewAtATime)
struct ConstantWritesTests {
    @Test("always succeeds, and includes everything written before it began")
    func always() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let daemon = try await RunningDaemon(workspace)
        let port = daemon.port
        let joins = Repetition { number in
            let json =
                #"{"interactions":[{"id":"\#(number)","kind":"\#(number.isMultiple(of: 2) ? "join" : "leave")","#
                + #""groupId":"macro-mondays"},{"id":"d\#(number)","kind":"dismiss","groupId":"neon-and-rain"}]}"#
            let target = "/v1/users/writer-\(number / 2)/interactions"
            let answer = SocketClient(port: port)?.request("POST", target, json: json)
            return answer?.status == 200 ? nil : answer?.text ?? "no answer"
        }
        let imports = Repetition.imports(into: workspace)
        let hides = Repetition { number in
            number.isMultiple(of: 2)
                ? Repetition.run(workspace, "hide", "street-candid")
                : Repetition.run(workspace, "hide", "street-candid", "--undo")
        }
        let writers = [joins, imports, hides]
        for _ in 0..<4 {
            let before = writers.map(\.count)
            let imported = imports.count
            let run = try await workspace.run("recompute", "--json")
            try #require(run.exitCode == CommandRun.ExitCode.success, "\(run.testDescription)")
            // Joins over HTTP come all the time; the other writers are processes.
            #expect(joins.count > before[0])
            let outcome: Answers.Recompute = try run.json()
            let entries = outcome.manifest.relations.first { $0.relation == "members" }?.entries ?? 0
            #expect(entries >= 50 * imported)
            // The next one begins when everybody has written again.
            let isWritten = await RunningDaemon.poll { zip(writers, before).allSatisfy { $0.count > $1 + 1 } }
            #expect(isWritten)
        }
        for writer in writers { writer.stop() }
        for writer in writers { #expect(writer.failures.prefix(3).joined(separator: "\n") == "") }
    }
}
