import Foundation
import SQLite
import TestSupport
import Testing

/// A trial of experiments without a difference, whose members, clients and daemons lie, each experiment in one way.
///
/// A report must be right in spite of the lie, or say that it cannot be trusted, and why.
@Suite("A trial with lies", .aFewAtATime)
struct ExperimentTrialTests {
    /// A way to lie, mostly in the second arm only.
    private enum Lie: String, CaseIterable {
        case nothing, twoDevices, clientClockBehind, clientClockAhead, bots, foreignLists, hiddenLists, lostRows
        case otherSettings

        /// The name of the experiment, in small letters.
        var name: String { rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined() }

        /// The check that alarms, or `nil` if the report is right.
        var alarm: String? {
            switch self {
            case .nothing, .twoDevices, .clientClockBehind, .clientClockAhead: nil
            case .hiddenLists: "confirmed pages"
            case .bots: "members who dominate joins"
            case .foreignLists: "interactions that no list explains"
            case .lostRows: "exposures a member"
            case .otherSettings: "versions and settings"
            }
        }
    }

    private typealias List = Answers.List

    private struct Report: Decodable {
        var distrust: String?
        var health: [Check]
        var comparisons: [Comparison]

        struct Check: Decodable {
            var name, state, seen: String
        }

        struct Comparison: Decodable {
            var measure, conclusion: String
            var control, value: Double
        }
    }

    private static let memberCount = 120
    private static let day: Int64 = 86_400_000

    private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The members of each experiment, who are in no other one.
    private func members(_ workspace: Workspace) throws -> [Lie: [String]] {
        let rows = try workspace.database().prepare(
            "SELECT DISTINCT user_id FROM users JOIN memberships USING (user_key) ORDER BY user_id")
        var ids: [String] = []
        while try rows.step() { ids.append(rows.text(0)) }
        try #require(ids.count >= Lie.allCases.count * Self.memberCount)
        return Dictionary(
            uniqueKeysWithValues: Lie.allCases.enumerated().map { number, lie in
                (lie, Array(ids[number * Self.memberCount..<(number + 1) * Self.memberCount]))
            })
    }

    private func file(_ members: [Lie: [String]]) -> String {
        "experiments:\n"
            + members.map { lie, ids in
                """
                  \(lie.name): {arms: {a: {}, b: {}}, eligible: {members: ["\(ids.joined(separator: "\", \""))"]},
                    plan: {decides: joins, members: 5000, effect: 10%, cap: \(lie == .bots ? 1 : 0.95)}}\n
                """
            }.joined()
    }

    /// Lists that were shown to a member.
    private func visit(_ daemon: RunningDaemon, _ id: String, _ lie: Lie) throws -> [List] {
        // Two pages a member, so that a lost row does not lose the member.
        let limits = [3, 5]
        return try limits.enumerated().map { number, limit in
            let session = lie == .twoDevices ? "&session=device-\(number)" : ""
            return try daemon.answer("/v1/users/\(id)/recommendations?limit=\(limit)\(session)")
        }
    }

    /// The interactions of a member as a client sends them: every list is confirmed, and most members join a group.
    private func interactions(
        _ lie: Lie, isLying: Bool, number: Int, _ lists: [List], foreign: String
    ) -> [String] {
        var written: [String] = []
        func add(_ kind: String, _ list: List, _ row: Int, id: String) {
            var fields = [
                #""id":"\#(id)""#, #""kind":"\#(kind)""#, #""groupId":"\#(list.recommendations[row].groupId)""#,
                #""position":\#(row + 1)"#,
            ]
            let isForeign = lie == .foreignLists && isLying && kind == "join"
            fields.append(#""recommendationId":"\#(isForeign ? foreign : list.recommendationId)""#)
            if isLying, lie == .clientClockBehind || lie == .clientClockAhead {
                let shift = lie == .clientClockAhead ? Self.day : -40 * Self.day
                fields.append(#""atMilliseconds":\#(Self.now() + shift)"#)
            }
            written.append("{\(fields.joined(separator: ","))}")
        }
        for (device, list) in lists.enumerated() where !list.recommendations.isEmpty {
            if lie != .hiddenLists || !isLying { add("impression", list, 0, id: "shown \(device)") }
            guard number % 3 != 0 else { continue }
            // The second device of the member sends the same join again, by an id of its own.
            let row = list.recommendations.firstIndex { $0.groupId == lists[0].recommendations.first?.groupId }
            if let row, device == 0 || lie == .twoDevices { add("join", list, row, id: "join \(device)") }
        }
        return written
    }

    private func send(_ daemon: RunningDaemon, _ id: String, _ interactions: [String]) throws -> Int {
        guard !interactions.isEmpty else { return 200 }
        let client = try #require(SocketClient(port: daemon.port))
        let json = "{\"interactions\":[\(interactions.joined(separator: ","))]}"
        return try #require(client.request("POST", "/v1/users/\(id)/interactions", json: json)?.status)
    }

    private func arms(_ workspace: Workspace) throws -> [String: String] {
        let rows = try workspace.database().prepare("SELECT user_id, arm FROM exposures JOIN users USING (user_key)")
        var arms: [String: String] = [:]
        while try rows.step() { arms[rows.text(0)] = rows.text(1) }
        return arms
    }

    private func waitForArms(_ workspace: Workspace, count: Int) async throws -> [String: String] {
        let isRecorded = try await RunningDaemon.poll {
            try await workspace.succeed("apply")
            return try arms(workspace).count == count
        }
        #expect(isRecorded)
        return try arms(workspace)
    }

    /// Sends what the members of an experiment do with their lists.
    private func act(
        _ lie: Lie, _ ids: [String], _ lists: [String: [List]], _ arms: [String: String], _ daemon: RunningDaemon
    ) throws {
        var botCount = 0
        for (number, id) in ids.enumerated() {
            let own = try #require(lists[id])
            let isLying = arms[id] == "b"
            var written = interactions(
                lie, isLying: isLying, number: number, own,
                foreign: try #require(lists[ids[(number + 1) % ids.count]]?.first?.recommendationId))
            if lie == .bots, isLying, botCount < 3 {
                botCount += 1
                let all: List = try daemon.answer("/v1/users/\(id)/recommendations?limit=60")
                written += all.recommendations.enumerated().map { row, group in
                    """
                    {"id":"bot \(row)","kind":"join","groupId":"\(group.groupId)","position":\(row + 1),\
                    "recommendationId":"\(all.recommendationId)"}
                    """
                }
            }
            #expect(try send(daemon, id, written) == 200, "\(lie) \(id)")
        }
    }

    @Test("Every report is right in spite of the lie, or says why it cannot be trusted")
    func trial() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let members = try members(workspace)
        _ = try workspace.write(file(members), to: "experiments.yaml")
        for lie in Lie.allCases { try await workspace.succeed("experiment", "start", lie.name) }

        let first = try await RunningDaemon(workspace)
        try await first.wait { $0.status == "ready" }
        var lists: [String: [List]] = [:]
        var visitorCount = 0
        for lie in Lie.allCases {
            for (number, id) in try #require(members[lie]).enumerated() {
                // Others serve some members later.
                guard number % 2 == 0 || lie != .otherSettings else { continue }
                lists[id] = try visit(first, id, lie)
                visitorCount += 1
            }
        }
        let arms = try await waitForArms(workspace, count: visitorCount)
        for lie in Lie.allCases where lie != .otherSettings {
            try act(lie, try #require(members[lie]), lists, arms, first)
        }
        #expect(await first.end().exitCode == CommandRun.ExitCode.success)

        // The settings change in the middle.
        let second = try await RunningDaemon(workspace, "--variety", "2")
        try await second.wait { $0.status == "ready" }
        for (number, id) in try #require(members[.otherSettings]).enumerated() where number % 2 == 1 {
            _ = try visit(second, id, .otherSettings)
        }
        #expect(await second.end().exitCode == CommandRun.ExitCode.success)
        try await workspace.succeed("apply")
        try Database(path: workspace.catalog, mode: .readWrite).execute(
            """
            DELETE FROM exposures WHERE experiment = '\(Lie.lostRows.name)' AND arm = 'b' AND shown_count = 5
            """)

        for lie in Lie.allCases {
            let report: Report = try await workspace.succeed(
                "experiment", "report", lie.name, "--json"
            ).json()
            let text = try await workspace.succeed("experiment", "report", lie.name).text
            guard let alarm = lie.alarm else {
                #expect(report.distrust == nil && text.contains("\ntrust\n"), "\(lie): \(report.distrust ?? "")")
                let joins = try #require(report.comparisons.first { $0.measure == "joins" })
                // Two of three members joined one group, whatever their clients sent.
                for (arm, mean) in [("a", joins.control), ("b", joins.value)] {
                    let ids = try #require(members[lie]).enumerated().filter { arms[$0.element] == arm }
                    let joined = ids.count { $0.offset % 3 != 0 }
                    #expect(abs(mean - Double(joined) / Double(ids.count)) < 1e-9, "\(lie) \(arm)")
                }
                #expect(joins.conclusion == "undecided", "\(lie)")
                continue
            }
            #expect(report.distrust?.contains(alarm) == true, "\(lie): \(report.health)")
            #expect(text.contains("do not trust this, because") && text.contains(alarm), "\(lie): \(text)")
            #expect(report.comparisons.isEmpty, "\(lie)")
        }
    }
}
