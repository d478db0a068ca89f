import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Files of versions that are damaged in a folder", .aFewAtATime)
struct DamagedFileTests {
    private static let list = "/v1/users/laura-100/recommendations?limit=50&session="

    /// A workspace with two versions, and their names.
    private func scene() async throws -> (workspace: Workspace, first: String, second: String) {
        let workspace = try Workspace()
        try await workspace.publishSample()
        func current() async throws -> String {
            try #require(try await workspace.succeed("models", "--json").json(Answers.Models.self).current)
        }
        let first = try await current()
        try await workspace.succeed("recompute")
        return (workspace, first, try await current())
    }

    /// Overwrites and cuts off the model file in place, as no program of this project does.
    private func damage(_ version: String, in workspace: Workspace) throws {
        let path = workspace.path("models/versions/\(version)/model.coterie")
        unsafe chmod(path, 0o644)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 100_000))
        try file.truncate(atOffset: 4096)
        try file.close()
    }

    @Test("A running daemon does not notice; one that starts takes the version before, and says so")
    func damaged() async throws {
        let (workspace, first, second) = try await scene()
        let running = try await RunningDaemon(workspace)
        try await running.wait(forVersion: second)
        try damage(second, in: workspace)
        for number in 0..<30 { #expect(try running.get(Self.list + "\(number)").status == 200) }
        #expect(await running.end().exitCode == CommandRun.ExitCode.success)
        let starting = try await RunningDaemon(workspace)
        // The older version serves a moment before the reason is told.
        let readiness = try await starting.wait { $0.modelVersion == first && $0.reason?.contains(second) == true }
        #expect(readiness.degraded, "\(readiness)")
        #expect(try starting.get(Self.list + "new").status == 200)
        // It goes on to the next version that is whole.
        try await workspace.succeed("recompute")
        try await starting.wait { ![first, second].contains($0.modelVersion) && !$0.degraded }
    }
}
