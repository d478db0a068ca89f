import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A recompute while members, imports and curators write", .aFewAtATime)
struct ConstantWritesTests {
    /// Does the same thing over and over on a thread of its own.
    private final class Repetition: Sendable {
        private struct State {
            var count = 0
            var failures: [String] = []
            var isStopped = false
            var isDone = false
        }

        private let state = Mutex(State())

        /// How often it was done.
        var count: Int { state.withLock { $0.count } }
        var failures: [String] { state.withLock { $0.failures } }

        /// - Parameter body: does it for the so-many-th time; returns what went wrong.
        init(_ body: @escaping @Sendable (_ number: Int) -> String?) {
            Thread.detachNewThread { [self] in
                while !state.withLock({ $0.isStopped }) {
                    let failure = body(count)
                    state.withLock { state in
                        state.count += 1
                        if let failure { state.failures.append(failure) }
                    }
                }
                state.withLock { $0.isDone = true }
            }
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            while !state.withLock({ $0.isDone }) { usleep(1000) }
        }
    }

    /// Runs the program on the calling thread.
    private static func run(_ workspace: Workspace, _ arguments: String...) -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Checkout.program)
        process.arguments = arguments
        process.environment = workspace.environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return "\(error)" }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : "\(arguments) ended with \(process.terminationStatus)"
    }

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
        let imports = Repetition { number in
            let rows = (0..<50).map { "macro-mondays\timported-\(number)-\($0)\n" }
            do {
                let file = try workspace.write("group_id\tuser_id\n" + rows.joined(), to: "more.tsv")
                return Self.run(workspace, "import", "memberships", file)
            } catch { return "\(error)" }
        }
        let hides = Repetition { number in
            number.isMultiple(of: 2)
                ? Self.run(workspace, "hide", "street-candid") : Self.run(workspace, "hide", "street-candid", "--undo")
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
