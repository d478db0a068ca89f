import Foundation
import SQLite
import TestSupport
import Testing

@Suite("Experiments from the file to the report", .aFewAtATime)
struct ExperimentTests {
    private static let file = """
        holdout: 0.1
        experiments:
          calm:
            layer: lists
            arms:
              control:
              other:
                set: {rotation-noise: 0, lambda: 0.3}
            plan: {decides: joins, members: 20, effect: 50%}
          other-calm:
            layer: lists
            part: [0.5, 1]
            ends: 2099-01-01
            plan: {decides: clicks}
            arms: {a: {}, b: {}}
        """

    private struct Assigned: Decodable {
        var experiment, arm: String
    }

    private struct Listed: Decodable {
        var name, state: String
        var differs: Bool
    }

    private struct Report: Decodable {
        var arms: [Arm]
        var comparisons: [Comparison]
        var distrust: String?
        var stage: String
        var knownUntilMilliseconds: Int64
        var isRehearsal: Bool
        var health: [Check]

        struct Check: Decodable {
            var name, state: String
        }

        struct Arm: Decodable {
            var name: String
            var members, pages, confirmedPages: Int
        }

        struct Comparison: Decodable {
            var arm, measure, conclusion: String
            var control, value: Double
        }
    }

    private typealias List = Answers.List

    @Test("What members were shown and did is what the report has", arguments: StoreKind.available)
    func wholeWay(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        _ = try workspace.write(Self.file, to: "experiments.yaml")
        #expect(try await workspace.succeed("experiment", "check").text == "calm: 2 arms\nother-calm: 2 arms\n")
        let started = try await workspace.run("experiment", "start", "calm")
        #expect(started.exitCode == CommandRun.ExitCode.success)
        #expect(started.errors.contains("warning: calm: nothing tells whether 20 members are enough"))
        let daemon =
            kind == .redis
            ? try await RunningDaemon.withoutCatalog(workspace, "a") : try await RunningDaemon(workspace)
        try await daemon.wait(forVersion: try await workspace.currentVersion())
        let members = try workspace.database().prepare("SELECT user_id FROM users ORDER BY user_id LIMIT 40")
        var ids: [String] = []
        while try members.step() { ids.append(members.text(0)) }
        var counts: [String: Int] = [:]
        for (number, id) in ids.enumerated() {
            let list: List = try daemon.answer("/v1/users/\(id)/recommendations?limit=3")
            let arms: [Assigned] = try await workspace.succeed("experiment", "assign", id, "--json").json()
            counts[arms.first?.arm ?? "none", default: 0] += 1
            guard let arm = arms.first?.arm, let group = list.recommendations.first?.groupId else { continue }
            // Every member of the other arm joins, and every second one of the control.
            guard arm == "other" || number.isMultiple(of: 2) else { continue }
            let shown = #""groupId":"\#(group)","recommendationId":"\#(list.recommendationId)","position":1"#
            // Only some of them click, so that members differ.
            let click = number.isMultiple(of: 4) ? #",{"id":"c","kind":"click",\#(shown)}"# : ""
            let json = """
                {"interactions":[{"id":"i","kind":"impression",\(shown)},{"id":"j","kind":"join",\(shown)}\(click)]}
                """
            let client = try #require(SocketClient(port: daemon.port))
            #expect(client.request("POST", "/v1/users/\(id)/interactions", json: json)?.status == 200)
        }
        #expect(counts["control"] ?? 0 > 5 && counts["other"] ?? 0 > 5 && counts["none"] ?? 0 > 0)
        func isZero(_ metric: String) -> Bool {
            (try? daemon.get("/metrics").text.contains("\n\(metric) 0\n")) == true
        }
        #expect(await RunningDaemon.poll { isZero("coterie_exposures_waiting") })
        if kind == .redis {
            #expect(await RunningDaemon.poll { isZero("coterie_outbox_changes") })
            // Without a recompute, a report knows nothing yet, and says so.
            let unknowing = try await workspace.succeed("experiment", "report", "calm").text
            #expect(unknowing.contains("changes of daemons wait to be applied"), "\(unknowing)")
            #expect(unknowing.contains("members: control 0, other 0"))
        }
        // With a folder, a report takes them by itself.
        let take = kind == .redis ? ["--take-changes"] : []
        // Beside Redis, a daemon tells every two seconds up to when it has sent everything.
        if kind == .redis { try await Task.sleep(for: .seconds(4)) }
        let known = try await workspace.succeed(["experiment", "report", "calm"] + take).text
        #expect(!known.contains("wait to be applied") && !known.contains("members: control 0,"), "\(known)")
        // What was shown last is written when the daemon ends.
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
        let report: Report = try await workspace.succeed("experiment", "report", "calm", "--json").json()
        #expect(report.distrust == nil, "\(report.distrust ?? "")")
        #expect(report.stage == "running" && report.health.allSatisfy { $0.state != "alarm" })
        #expect(report.arms.map(\.members) == [counts["control"], counts["other"]])
        #expect(report.arms.map(\.pages) == report.arms.map(\.members))
        #expect(report.arms[1].confirmedPages == report.arms[1].members)
        let joins = try #require(report.comparisons.first { $0.measure == "joins" })
        #expect(joins.value == 1 && joins.control < 0.9)
        let text = try await workspace.succeed("experiment", "report", "calm", "--svg", workspace.path("a.svg")).text
        #expect(text.contains("\ntrust\n") && text.contains("only the always-valid bounds count"))
        #expect(text.contains("plan: joins decides, ends with 20 members"))
        // The members came on the first day, so on the next the planned end has come.
        let later = try await workspace.succeed("experiment", "report", "calm", "--at", "2090-01-01").text
        #expect(later.contains("ended as planned") && later.contains("decides: other has more joins than control\n"))
        let ahead: Report = try await workspace.succeed(
            "experiment", "report", "calm", "--at", "2090-01-01", "--json"
        ).json()
        #expect(ahead.isRehearsal && ahead.stage == "ended" && !report.isRehearsal)
        #expect(ahead.knownUntilMilliseconds >= report.knownUntilMilliseconds)
        for known in [report, ahead].map(\.knownUntilMilliseconds) {
            #expect(Double(known) <= Date().timeIntervalSince1970 * 1000)
        }
        #expect(!later.contains("2090"), "\(later)")
        let before = try await workspace.run("experiment", "report", "calm", "--at", "2020-01-01")
        #expect(before.exitCode == CommandRun.ExitCode.badData && before.errors.contains("calm had not begun at 2020"))
        let tuned = try await workspace.run("experiment", "report", "calm", "--tuning", "9")
        #expect(tuned.exitCode == CommandRun.ExitCode.usage && tuned.errors.contains("after the fact"))
        #expect(workspace.content(of: "a.svg")?.hasSuffix("</svg>\n") == true)
        let size = try await workspace.succeed("experiment", "size", "--effect", "50%").text
        #expect(size.contains("members are needed") || size.contains("not enough"))
        // What members did tells which plans can find their effect.
        _ = try workspace.write(
            """
            experiments:
              small: {arms: {a: {}, b: {}}, plan: {decides: clicks, members: 20, effect: 5%}}
              large: {arms: {a: {}, b: {}}, plan: {decides: clicks, members: 90000, effect: 50%}}
              unknown: {arms: {a: {}, b: {}}, plan: {decides: kept-joins, members: 90000, effect: 50%}}
            """, to: "experiments.yaml")
        let checked = try await workspace.run("experiment", "check")
        #expect(checked.exitCode == CommandRun.ExitCode.success)
        let few = "warning: small: 20 members are too few for a difference of +5.0% in clicks"
        #expect(checked.errors.contains(few), "\(checked.errors)")
        #expect(!checked.errors.contains("large: ") && checked.errors.contains("unknown: nothing before it tells"))
    }

    @Test("Arms compare two versions, which pruning leaves alone", arguments: StoreKind.available)
    func versions(kind: StoreKind) async throws {
        let workspace = try Workspace(kind)
        try await workspace.publishSample()
        let first = try await workspace.currentVersion()
        try await workspace.succeed("recompute", "--min-members", "2")
        let second = try await workspace.currentVersion()
        func file(_ version: String) -> String {
            """
            experiments: {models: {arms: {now: {version: \(second)}, other: {version: \(version)}},
              plan: {decides: joins, members: 20, effect: 50%}}}\n
            """
        }
        _ = try workspace.write(file("nothing"), to: "experiments.yaml")
        let refused = try await workspace.run("experiment", "start", "models")
        #expect(refused.exitCode == CommandRun.ExitCode.badData)
        #expect(refused.errors.contains("arm other names version nothing"))
        _ = try workspace.write(file(first), to: "experiments.yaml")
        let started = try await workspace.succeed("experiment", "start", "models").text
        #expect(started.contains("version \(first) is pinned"))
        let daemon =
            kind == .redis
            ? try await RunningDaemon.withoutCatalog(workspace, "a") : try await RunningDaemon(workspace)
        // The next week: another version is current, and the one before the last would be removed.
        try await workspace.succeed("recompute", "--keep", "1")
        let third = try await workspace.currentVersion()
        try await daemon.wait(forVersion: third)
        let rows = try workspace.database().prepare("SELECT user_id FROM users ORDER BY user_id LIMIT 12")
        var found: Set<String> = []
        while try rows.step() {
            let id = rows.text(0)
            let arms: [Assigned] = try await workspace.succeed("experiment", "assign", id, "--json").json()
            let wanted = arms.first?.arm == "now" ? second : first
            let isServed = await RunningDaemon.poll {
                let list: Versioned? = try? daemon.answer("/v1/users/\(id)/recommendations?session=\(UUID())")
                return list?.modelVersion == wanted
            }
            #expect(isServed, "\(id)")
            found.insert(wanted)
        }
        #expect(found == [first, second])
        #expect(await daemon.end().exitCode == CommandRun.ExitCode.success)
    }

    private struct Versioned: Decodable {
        var modelVersion: String
    }

    private struct Preference: Decodable {
        var votes: [Votes]

        struct Votes: Decodable {
            var by: String
            var first, second, neither: Int
            var holmPValue: Double?
            var conclusion: String
        }
    }

    @Test("Who clicks on what one of two interleaved lists picked votes for it")
    func votes() async throws {
        let workspace = try Workspace()
        try await workspace.publishSample()
        let file = """
            experiments:
              drafted:
                interleave: true
                arms: {plain: {}, photos: {set: {weight-members: 0}}}
                plan: {decides: clicks, members: 200, effect: 50%}
            """
        _ = try workspace.write(file, to: "experiments.yaml")
        try await workspace.succeed("experiment", "start", "drafted")
        let daemon = try await RunningDaemon(workspace)
        try await daemon.wait { $0.status == "ready" }
        let ids = try SampleCommunity().usersByActivity.prefix(20)
        var lists: [String: List] = [:]
        for id in ids { lists[id] = try daemon.answer("/v1/users/\(id)/recommendations?limit=4") }
        // Whose pick each group is stands in the record, which is written within a second.
        var teams: [String: String] = [:]
        let isRecorded = try await RunningDaemon.poll {
            try await workspace.succeed("apply")
            let rows = try? workspace.database().prepare(
                "SELECT user_id, teams FROM exposures JOIN users USING (user_key) WHERE arm = 'interleaved'")
            while let rows, (try? rows.step()) == true { teams[rows.text(0)] = rows.text(1) }
            return teams.count == ids.count
        }
        #expect(isRecorded)
        var expected = (first: 0, second: 0, neither: 0)
        for (number, id) in ids.enumerated() {
            // A quarter prefers the second list, and some prefer neither.
            let team: Character = number % 4 == 0 ? "2" : "1"
            let (list, picks) = (try #require(lists[id]), Array(try #require(teams[id])))
            guard number % 7 != 0, let index = picks.firstIndex(of: team), index < list.recommendations.count else {
                expected.neither += 1
                continue
            }
            if team == "1" { expected.first += 1 } else { expected.second += 1 }
            let json = """
                {"interactions":[{"id":"c","kind":"click","groupId":"\(list.recommendations[index].groupId)",\
                "recommendationId":"\(list.recommendationId)","position":\(index + 1)}]}
                """
            let client = try #require(SocketClient(port: daemon.port))
            #expect(client.request("POST", "/v1/users/\(id)/interactions", json: json)?.status == 200)
        }
        _ = await daemon.end()
        let report: Preference = try await workspace.succeed("experiment", "report", "drafted", "--json").json()
        let clicks = try #require(report.votes.first { $0.by == "clicks" })
        #expect(clicks.first == expected.first && clicks.second == expected.second)
        #expect(clicks.neither == expected.neither && expected.first > 2 * expected.second)
        let joins = try #require(report.votes.first { $0.by == "joins" })
        #expect(joins.first == 0 && joins.second == 0 && joins.neither == ids.count)
        let text = try await workspace.succeed("experiment", "report", "drafted").text
        #expect(text.contains("interleaved") && text.contains("by clicks, \(expected.first) members prefer plain"))
    }

    @Test("What runs cannot be changed, only stopped")
    func rules() async throws {
        let workspace = try Workspace()
        _ = try workspace.write(Self.file, to: "experiments.yaml")
        func refused(_ hint: String, _ arguments: String...) async throws {
            let run = try await workspace.start(["experiment"] + arguments).wait()
            #expect(run.exitCode == CommandRun.ExitCode.badData, "\(run.testDescription)")
            #expect(run.errors.contains(hint), "\(run.testDescription)")
        }
        try await refused("no experiment \"none\"", "start", "none")
        try await refused("no experiment \"calm\" runs", "stop", "calm")
        try await workspace.succeed("experiment", "start", "calm")
        try await refused("runs already", "start", "calm")
        try await refused("some of the same members", "start", "other-calm")
        _ = try workspace.write(Self.file.replacingOccurrences(of: "0.3", with: "0.4"), to: "experiments.yaml")
        try await refused("differs from the file", "start", "calm")
        let rows: [Listed] = try await workspace.succeed("experiment", "list", "--json").json()
        #expect(rows.map(\.name) == ["calm", "other-calm"] && rows.map(\.state) == ["running", "defined"])
        #expect(rows.map(\.differs) == [true, false])
        try await workspace.succeed("experiment", "stop", "calm")
        try await refused("another name", "start", "calm")
        try await workspace.succeed("experiment", "start", "other-calm")
    }

    @Test("With the number of groups, assigning needs no version, unless it depends on since when members are known")
    func assigning() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        _ = try workspace.write(
            """
            experiments:
              plain: {arms: {a: {}, b: {}}, ends: 2099-01-01, plan: {decides: joins}}
              old: {eligible: {known-since: 2026-01-01}, arms: {a: {}, b: {}}, ends: 2099-01-01, plan: {decides: joins}}
            """, to: "experiments.yaml")
        try await workspace.succeed("experiment", "start", "plain")
        #expect(
            try await workspace.succeed("experiment", "assign", "laura-100", "--groups", "3").text.contains("plain: "))
        try await workspace.succeed("experiment", "start", "old")
        let run = try await workspace.start(["experiment", "assign", "laura-100", "--groups", "3"]).wait()
        #expect(
            run.exitCode != CommandRun.ExitCode.success && run.errors.contains("recompute"), "\(run.testDescription)")
        try await workspace.succeed("recompute")
        let text = try await workspace.succeed("experiment", "assign", "laura-100").text
        #expect(text.contains("plain: ") && text.contains("old: "))
        #expect(try await workspace.succeed("experiment", "assign", "nobody").text.contains("plain: "))
    }

    @Test(
        "A mistake in the file is told with its place",
        arguments: [
            ("experiments: {a: {arms: {x: }}}", "experiments.yaml:1:15: a: it has 1 arms"),
            ("experiments:\n  a:\n    arm: {x: , y: }", "experiments.yaml:3:5: \"arm\" is unknown here"),
            (
                "experiments:\n  a:\n    arms: {x: , y: {set: {lambda: 7}}}",
                "sets lambda to 7.0: give a number from 0.0 to 1.0"
            ),
            ("experiments: {a: {arms: {x: , y: }, plan: {members: 9}}}", "does not say which measure \"decides\""),
            ("experiments: {a: {arms: {x: , y: }, plan: {decides: luck}}}", "\"luck\" is no measure"),
            ("experiments: {a: {arms: {x: , y: }, plan: {decides: joins}}}", "the plan has no end"),
            ("holdout: 1", "experiments.yaml:1:10: the holdout must be"),
            ("experiments: {a: {starts: soon, arms: {x: , y: }}}", "give a date such as"),
        ])
    func mistakes(text: String, hint: String) async throws {
        let workspace = try Workspace()
        _ = try workspace.write(text, to: "experiments.yaml")
        let run = try await workspace.run("experiment", "check")
        #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains(hint), "\(run.testDescription)")
    }
}
