import Answers
import Basics
import CatalogStore
import Changes
import Experiments
import Foundation
import Model
import ModelStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

/// Pages that start experiments, and that say how far they are.
extension PageTests {
    @Test("An experiment is started and stopped by form, by the rules of its file")
    func experiments() throws {
        let store = FakeStore(try Community.version("v1"))
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let secret = try secret(in: try get(daemon, "/admin", [field]).text)
        func send(_ path: String, _ form: String) throws -> SocketClient.Response {
            try post(daemon, "/admin/experiments\(path)", "secret=\(secret)&\(form)", [field])
        }
        let whole = "setting=lambda&value=0.5&decides=joins&members=1000&effect=5&ends="
        for wrong in [
            "name=A%20b&\(whole)", "name=a&setting=lambda&value=x&decides=joins&ends=2030-01-01",
            "name=a&setting=lambda&value=7&decides=joins&ends=2030-01-01",
            "name=a&setting=no&value=0.5&decides=joins&ends=2030-01-01",
            "name=a&setting=lambda&value=0.5&decides=no&ends=2030-01-01",
            "name=a&setting=lambda&value=0.5&decides=joins&members=&ends=",
            "name=a&setting=lambda&value=0.5&decides=joins&ends=never",
            "name=a&setting=lambda&value=nan&decides=joins&ends=2030-01-01",
        ] {
            #expect(try send("", wrong).status == 400, "\(wrong)")
        }
        #expect(try store.experiments() == nil)
        let started = try send("", "name=less-variety&\(whole)")
        #expect(started.status == 303 && started.headers["location"] == "/admin/experiments/less-variety")
        let entry = try #require(ExperimentRegister(encoded: try store.experiments())?["less-variety"])
        #expect(entry.definition.arms.map(\.settings) == [[:], ["lambda": 0.5]])
        #expect(entry.definition.plan?.memberCount == 1000 && entry.definition.plan?.effect == 0.05)
        #expect(try send("", "name=less-variety&\(whole)").status == 400)
        let page = try get(daemon, "/admin/experiments/less-variety", [field]).text
        #expect(
            page.contains("id=\"verdict\"")
                && page.contains("Not decided yet: no member is known to have been shown a list"))
        #expect(try send("/less-variety/stop", "").status == 400)
        #expect(try send("/other/stop", "sure=yes").status == 400)
        #expect(ExperimentRegister(encoded: try store.experiments())?["less-variety"]?.stoppedAtMilliseconds == nil)
        #expect(try send("/less-variety/stop", "sure=yes").status == 303)
        #expect(ExperimentRegister(encoded: try store.experiments())?["less-variety"]?.stoppedAtMilliseconds != nil)
        #expect(try get(daemon, "/admin/experiments/other", [field]).status == 404)
        #expect(lines.all.contains("pages: olga started the experiment less-variety"))
        #expect(lines.all.contains("pages: olga stopped the experiment less-variety"))
    }

    @Test("A report shows the intervals of all measures as a picture and as a table")
    func report() throws {
        var register = ExperimentRegister()
        let definition = ExperimentDefinition(
            "longer", arms: [.init("usual"), .init("longer")],
            plan: ExperimentPlan(decides: .clicks, memberCount: 100, effect: 0.1))
        #expect(register.start(definition, atMilliseconds: Bearers.now - 3_600_000) == nil)
        let store = FakeStore(try Community.version("v1"))
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let source = try members.source()
        let insert = try Database(path: members.path, mode: .readWrite)
        for number in 0..<120 {
            let id = "m\(number)"
            try insert.execute("INSERT INTO users (user_id) VALUES ('\(id)')")
            let shown = Bearers.now - 1_800_000
            let exposure = ExposureRecord(
                experiment: "longer", arm: number % 2 == 0 ? "usual" : "longer", recommendationID: "v1-\(id)",
                firstPosition: 1, shownCount: 1, filters: "", atMilliseconds: shown)
            try source.record(exposures: [MemberChange(ofUser: id, .expose([exposure]))])
            // Clicks vary in both arms.
            guard number % 3 == 0 || number % 5 == 0 else { continue }
            let click = InteractionRecord(
                id: "c\(number)", .click, groupID: "alps", atMilliseconds: shown + 1000,
                recommendationID: "v1-\(id)")
            _ = try source.apply(MemberChange(ofUser: id, .record([click])))
        }
        try Catalog.applyLog(of: members.path)
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let page = try get(daemon, "/admin/experiments/longer", [field]).text
        #expect(page.contains("120 of 100 members (usual 60, longer 60)"))
        #expect(page.contains("class=\"interval main\"") && page.contains("clicks (decides)"))
        #expect(page.contains("Nothing speaks against"), "\(page)")
    }

    @Test("A running experiment says when it has its members at this pace, and that nothing is decided yet")
    func pace() throws {
        let start = Bearers.now - 3_600_000
        var register = ExperimentRegister()
        let plan = ExperimentPlan(decides: .clicks, memberCount: 1200, effect: 0.1)
        let definition = ExperimentDefinition("longer", arms: [.init("usual"), .init("longer")], plan: plan)
        #expect(register.start(definition, atMilliseconds: start) == nil)
        let store = FakeStore(try Community.version("v1"))
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let source = try members.source()
        for (number, id) in ["ann", "bob"].enumerated() {
            let exposure = ExposureRecord(
                experiment: "longer", arm: number == 0 ? "usual" : "longer", recommendationID: "v1-\(id)",
                firstPosition: 1, shownCount: 1, filters: "", atMilliseconds: start + 60_000)
            try source.record(exposures: [MemberChange(ofUser: id, .expose([exposure]))])
        }
        try Catalog.applyLog(of: members.path)
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let page = try get(daemon, "/admin/experiments/longer", [field]).text
        // Two members an hour are 1,200 in 600 hours: 25 days from 1 January 1970, 15:56.
        #expect(page.contains("2 of 1,200 members (usual 1, longer 1), at this pace until"), "\(page)")
        #expect(page.contains(">26 Jan 1970</time>"))
        #expect(page.contains("not decided yet") && !page.contains("no difference found"))
        #expect(page.contains("<dt>Known until</dt>"))
    }

    @Test("An experiment that has not begun has no report")
    func waiting() throws {
        var register = ExperimentRegister()
        let plan = ExperimentPlan(decides: .clicks, memberCount: 1200, effect: 0.1)
        var definition = ExperimentDefinition("later", arms: [.init("usual"), .init("longer")], plan: plan)
        definition.startsAt = Bearers.now / 1000 + 86_400
        #expect(register.start(definition, atMilliseconds: Bearers.now) == nil)
        let store = FakeStore(try Community.version("v1"))
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let daemon = try daemon { $0.deployment = .catalog(store, path: members.path) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        let page = try get(daemon, "/admin/experiments/later", [field]).text
        #expect(page.contains("It begins <time") && !page.contains("id=\"verdict\""), "\(page)")
    }

    @Test("Without the data, a page names the command, and the daemons that never came back can be left out of it")
    func gone() throws {
        var register = ExperimentRegister()
        let plan = ExperimentPlan(decides: .clicks, memberCount: 1200, effect: 0.1)
        let definition = ExperimentDefinition("longer", arms: [.init("usual"), .init("longer")], plan: plan)
        #expect(register.start(definition, atMilliseconds: Bearers.now - 3_600_000) == nil)
        let folder = try TemporaryDirectory()
        let store = FakeStore(try Community.version("v1"))
        store.state.withLock { $0.boards = folder.path }
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        for (port, seconds) in [(8080, 2), (8081, 600), (8082, 1200)] {
            let report = DaemonReport(
                host: "barn", processId: 1, address: "127.0.0.1", port: port, startedAtMilliseconds: 0,
                reportedAtMilliseconds: Bearers.now - Int64(seconds) * 1000, modelVersion: "v1", problems: [])
            try store.board(of: .senders)?.post(try JSON.encoded(report), ofDaemon: "barn-\(port)")
        }
        let daemon = try daemon { $0.deployment = .versionsOnly(store) }
        defer { daemon.stop() }
        let field = try #require(try signIn(daemon).cookie)
        func page(_ query: String) throws -> String {
            try get(daemon, "/admin/experiments/longer\(query)", [field]).text
        }
        let all = try page("")
        #expect(all.contains(">coterie experiment report longer --take-changes</code>"), "\(all)")
        #expect(all.contains("silent for 20 min") && all.contains("silent for 10 min") && all.contains(">sends<"))
        #expect(all.contains("?gone=barn%3A8082") && !all.contains("?gone=barn%3A8080"))
        let one = try page("?gone=barn%3A8082")
        #expect(one.contains("--take-changes --gone barn:8082</code>") && one.contains("<a href=\"?\">wait for it</a>"))
        let two = try page("?gone=barn%3A8081%3Bbarn%3A8082%3B%24%28hacked%29")
        #expect(two.contains("--gone barn:8081 --gone barn:8082</code>") && !two.contains("hacked"), "\(two)")
    }
}
