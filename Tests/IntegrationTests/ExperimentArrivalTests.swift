import Foundation
import SQLite
import TestSupport
import Testing

@Suite("What has arrived when an experiment is reported", .aFewAtATime)
struct ExperimentArrivalTests {
    private static let file = """
        experiments:
          calm:
            arms: {control: {}, other: {set: {rotation-noise: 0}}}
            plan: {decides: joins, members: 20, effect: 50%}
        """

    private typealias List = Answers.List

    private struct Report: Decodable {
        var knownUntilMilliseconds: Int64
        var arms: [Arm]
        var comparisons: [Comparison]
        var daemons: [Sender]
        var late: Late?

        struct Arm: Decodable, Equatable {
            var name: String
            var members, pages: Int
        }

        struct Comparison: Decodable, Equatable {
            var arm, measure: String
            var control, value: Double
        }

        struct Sender: Decodable {
            var daemon: String
            var sentUntilMilliseconds: Int64
        }

        struct Late: Decodable {
            var actions, pages: Int
            var areCounted: Bool
        }
    }

    private func report(_ workspace: Workspace, _ words: String...) async throws -> Report {
        try await workspace.succeed(["experiment", "report", "calm", "--json"] + words).json()
    }

    private func start(_ workspace: Workspace) async throws {
        try await workspace.publishSample()
        _ = try workspace.write(Self.file, to: "experiments.yaml")
        try await workspace.succeed("experiment", "start", "calm")
    }

    @Test("A report of an earlier time has the same numbers again, and counts what arrived since")
    func late() async throws {
        let workspace = try Workspace()
        try await start(workspace)
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: try await workspace.currentVersion())
        let rows = try workspace.database().prepare("SELECT user_id FROM users ORDER BY user_id LIMIT 40")
        var lists: [(id: String, list: List)] = []
        while try rows.step() {
            let id = rows.text(0)
            lists.append((id, try daemon.answer("/v1/users/\(id)/recommendations?limit=3")))
        }
        func join(_ place: Int, at instant: Int64?) throws {
            let (id, list) = lists[place]
            let group = try #require(list.recommendations.first?.groupId)
            let time = instant.map { #","atMilliseconds":\#($0)"# } ?? ""
            let json = """
                {"interactions":[{"id":"j","kind":"join","groupId":"\(group)",\
                "recommendationId":"\(list.recommendationId)","position":1\(time)}]}
                """
            let client = try #require(SocketClient(port: daemon.port))
            #expect(client.request("POST", "/v1/users/\(id)/interactions", json: json)?.status == 200)
        }
        for place in lists.indices where place.isMultiple(of: 2) { try join(place, at: nil) }
        let isWritten = await RunningDaemon.poll {
            (try? daemon.get("/metrics").text.contains("\ncoterie_exposures_waiting 0\n")) == true
        }
        #expect(isWritten)
        // Two seconds earlier, the experiment must have begun.
        try await Task.sleep(for: .seconds(3))
        let first = try await report(workspace)
        #expect(first.late == nil && !first.comparisons.isEmpty && first.daemons.isEmpty)
        for place in lists.indices where !place.isMultiple(of: 2) {
            try join(place, at: first.knownUntilMilliseconds - 2000)
        }
        let time = String(first.knownUntilMilliseconds / 1000)
        for _ in 1...2 {
            let again = try await report(workspace, "--at", time)
            #expect(again.knownUntilMilliseconds == first.knownUntilMilliseconds)
            #expect(again.arms == first.arms && again.comparisons == first.comparisons)
            #expect(again.late?.actions == lists.count / 2 && again.late?.areCounted == false)
        }
        let now = try await report(workspace)
        #expect(now.comparisons != first.comparisons && now.late?.areCounted == true)
        let text = try await workspace.succeed("experiment", "report", "calm", "--at", time).text
        #expect(text.contains("\(lists.count / 2) actions and 0 pages"), "\(text)")
        #expect(text.hasSuffix("which do not count here\n"), "\(text)")
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
    }

    @Test(
        "Nothing is known from the time on at which a daemon was killed",
        .enabled(if: StoreKind.available.contains(.redis)))
    func away() async throws {
        let workspace = try Workspace(.redis)
        try await start(workspace)
        let running = try await RunningDaemon.withoutCatalog(workspace, "a")
        let killed = try await RunningDaemon.withoutCatalog(workspace, "b")
        for daemon in [running, killed] { try await daemon.wait(forVersion: try await workspace.currentVersion()) }
        func sent(_ daemon: RunningDaemon) async throws -> Report.Sender? {
            try await report(workspace).daemons.first { $0.daemon.hasSuffix(":\(daemon.port)") }
        }
        let haveReported = try await RunningDaemon.poll {
            let (one, other) = (try await sent(running), try await sent(killed))
            return one != nil && other != nil
        }
        #expect(haveReported)
        killed.command.send(SIGKILL)
        _ = await killed.command.wait()
        let last = try #require(try await sent(killed))
        let hasGoneOn = try await RunningDaemon.poll {
            try await sent(running)?.sentUntilMilliseconds ?? 0 > last.sentUntilMilliseconds + 3000
        }
        #expect(hasGoneOn)
        #expect(try await report(workspace).knownUntilMilliseconds == last.sentUntilMilliseconds)
        let gone = try await report(workspace, "--gone", last.daemon)
        #expect(gone.knownUntilMilliseconds > last.sentUntilMilliseconds + 3000 && gone.daemons.count == 1)
        // One that stops by itself has sent everything.
        #expect(await running.end().exitCode == CommandRun.ExitCode.success)
        #expect(try await report(workspace).daemons.map(\.daemon) == [last.daemon])
    }
}
