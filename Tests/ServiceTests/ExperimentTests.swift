import CatalogStore
import Changes
import Experiments
import Foundation
import Model
import Recommendation
import SQLite
import TestSupport
import Testing

@testable import Service

@Suite("A daemon with experiments")
struct ExperimentTests {
    private static let plan = ExperimentPlan(decides: .joins, memberCount: 1000, effect: 0.05)

    private let members: MemberCatalog
    private let store: FakeStore

    private struct List: Decodable {
        var recommendationId: String
        var recommendations: [Row]

        struct Row: Decodable {
            var groupId: String
        }
    }

    init() throws {
        members = try MemberCatalog()
        store = FakeStore(try Community.version("v1"))
    }

    /// Starts an experiment whose second arm has everybody, or nobody.
    private func start(_ name: String, settings: [String: Double] = [:], isOther: Bool = true) throws {
        var register = try #require(ExperimentRegister(encoded: try store.experiments()))
        let weights = isOther ? (1e-9, 1.0) : (1.0, 1e-9)
        let definition = ExperimentDefinition(
            name,
            arms: [.init("control", weight: weights.0), .init("other", weight: weights.1, settings: settings)],
            plan: Self.plan)
        #expect(register.start(definition, atMilliseconds: 0) == nil)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
    }

    private func routes(_ log: ExposureLog, cacheBytes: Int = 1 << 20) throws -> Routes {
        var routes = try members.routes(store)
        routes.exposures = log
        routes.cacheBytes = cacheBytes
        routes.sessions = try SessionFile(path: "\(members.path)-sessions")
        return routes
    }

    private func rows(_ query: String) throws -> [String] {
        try Catalog.applyLog(of: members.path)
        let database = try Database(path: members.path, mode: .readWrite)
        let rows = try database.prepare(query)
        var found: [String] = []
        while try rows.step() { found.append(rows.text(0)) }
        return found
    }

    private let path = "/v1/users/ann/recommendations"

    @Test("Every answer is recorded: made, from the cache, and of status 304", arguments: [0, 1 << 20])
    func everyAnswer(cacheBytes: Int) throws {
        try start("tried")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log, cacheBytes: cacheBytes)
        let router = routes.router()
        let first = try router.answer(path + "?limit=2")
        let list = try JSONDecoder().decode(List.self, from: Data(first.body))
        #expect(try router.answer(path + "?limit=2").body == first.body)
        let tag = try #require(first.headers["etag"])
        #expect(try router.answer(path + "?limit=2", headers: ["If-None-Match: \(tag)"]).status == 304)
        let after = try #require(
            list.recommendations.last?.groupId.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(try router.answer(path + "?limit=1&after=\(after)").status == 200)
        #expect(try router.answer(path + "?limit=1000000").status == 400)
        try log.flush(to: #require(routes.community))
        let written = try rows(
            """
            SELECT experiment || ' ' || arm || ' ' || first_position || '+' || shown_count || ' ' || times
            FROM exposures JOIN users USING (user_key) WHERE user_id = 'ann' ORDER BY first_position
            """)
        let shown = list.recommendations.count
        #expect(written.first == "tried other 1+\(shown) 3")
        #expect(written.count == 2 && written.last?.hasPrefix("tried other \(shown + 1)+") == true)
        #expect(try rows("SELECT DISTINCT recommendation_id FROM exposures") == [list.recommendationId])
    }

    @Test("HEAD records nothing, and keeps no list", arguments: [0, 1 << 20])
    func head(cacheBytes: Int) throws {
        try start("tried")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log, cacheBytes: cacheBytes)
        let router = routes.router()
        for _ in 0..<2 { #expect(try router.answer(path + "?session=s", method: "HEAD").status == 200) }
        #expect(try router.answer("/v1/users/ann/changes?session=s", method: "HEAD").status == 200)
        #expect(log.waitingCount == 0)
        let sessions = try Database(path: "\(members.path)-sessions", mode: .readOnly)
        #expect(try sessions.integer("SELECT count(*) FROM sessions") == 0)
        #expect(try router.answer(path + "?session=s").status == 200)
        #expect(try sessions.integer("SELECT count(*) FROM sessions") == 1 && log.waitingCount == 1)
    }

    @Test("A member who has paused the list is not counted meanwhile", arguments: [0, 1 << 20])
    func paused(cacheBytes: Int) throws {
        try start("tried")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log, cacheBytes: cacheBytes)
        let router = routes.router()
        #expect(try router.answer(path).status == 200 && log.waitingCount == 1)
        let post = { (row: String) in
            try router.answer(
                "/v1/users/ann/interactions", method: "POST", headers: ["Content-Type: application/json"],
                body: Array(#"{"interactions":[\#(row)]}"#.utf8)
            ).status
        }
        #expect(try post(#"{"id":"1","kind":"pause"}"#) == 200)
        let paused = try router.answer(path)
        #expect(paused.text.contains(#""paused":true"#) && log.waitingCount == 1)
        #expect(try post(#"{"id":"2","kind":"resume"}"#) == 200)
        // A page of another length is a row of its own.
        #expect(try router.answer(path + "?limit=1").text.contains(#""paused":false"#) && log.waitingCount == 2)
    }

    @Test("Equal pages of later writes add up, and a list of another filter is another page")
    func addingUp() throws {
        try start("tried")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        let (router, community) = (routes.router(), try #require(routes.community))
        for _ in 0..<3 {
            for _ in 0..<2 { _ = try router.answer(path) }
            log.flush(to: community)
        }
        #expect(try rows("SELECT times FROM exposures") == ["6"])
        _ = try router.answer(path + "?minimumMembers=1")
        log.flush(to: community)
        #expect(try rows("SELECT count(*) FROM exposures WHERE filters <> ''") == ["1"])
    }

    @Test("A session keeps its arm, and the list that was made for it, when the experiment is stopped")
    func sessionsKeepTheirArms() throws {
        try start("tried", settings: ["rotation-noise": 4, "rotation-tail-noise": 4])
        let log = ExposureLog(ExposureLog.condition(nil))
        let first = try routes(log).router().answer(path + "?session=s")
        var register = try #require(ExperimentRegister(encoded: try store.experiments()))
        #expect(register.stop("tried", atMilliseconds: 1) == true)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let routes = try routes(log)
        #expect(try routes.router().answer(path + "?session=s").body == first.body)
        _ = try routes.router().answer(path + "?session=another")
        try log.flush(to: #require(routes.community))
        #expect(try rows("SELECT sum(times) FROM exposures") == ["2"])
    }

    @Test("A member who is renamed keeps the arm that was shown, before the log is applied and afterwards")
    func renamed() throws {
        var register = ExperimentRegister()
        let definition = ExperimentDefinition("even", arms: [.init("one"), .init("two")], plan: Self.plan)
        #expect(register.start(definition, atMilliseconds: 0) == nil)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let assigner = Assigner(register)
        func arm(_ id: String) -> String? {
            assigner.arms(ofMember: id, groupCount: 0, atMilliseconds: 0).first?.arm
        }
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        let router = routes.router()
        func show(_ id: String) throws {
            #expect(try router.answer("/v1/users/\(id)/recommendations").status == 200)
            try log.flush(to: #require(routes.community))
        }
        let others = (0..<99).map { "member-\($0)" }.filter { arm($0) != arm("ann") }
        try #require(others.count > 1)
        try show("ann")
        let catalog = try Catalog(path: members.path, mode: .recording)
        for (old, new) in [("ann", others[0]), (others[0], others[1])] {
            try catalog.take([.renaming(RenamingChange(.user, from: old, to: new, atMilliseconds: 1))], stamp: .max / 2)
            try show(new)
            #expect(try rows("SELECT DISTINCT arm FROM exposures") == [arm("ann")])
        }
        // Both ids were shown lists, of one arm or of two.
        for id in ["bob", "cy"] {
            try show(id)
            _ = try rows("SELECT 1")
            try catalog.take(
                [.renaming(RenamingChange(.user, from: id, to: others[1], atMilliseconds: 1))], stamp: .max / 2)
        }
        try show(others[1])
        #expect(try rows("SELECT DISTINCT arm FROM exposures ORDER BY arm") == ["", arm("ann")])
        #expect(try catalog.facts.shownArms(ofUser: others[1]) == ["even": arm("ann")])
    }

    @Test("An arm's settings make its lists, and the control's are those without an experiment")
    func settingsMakeLists() throws {
        let plain = try members.routes(store).router().answer("/v1/users/ann/recommendations")
        try start("idle", settings: ["weight-photos": 0], isOther: false)
        let log = ExposureLog(ExposureLog.condition(nil))
        var routes = try routes(log)
        routes.sessions = nil
        #expect(try routes.router().answer(path).body == plain.body)
        try start("tried", settings: ["weight-photos": 0, "weight-members": 0])
        #expect(try routes.router().answer(path).body != plain.body)
        let batch = try routes.router().answer(
            "/v1/recommendations", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(#"{"userIds":["ann","bob"]}"#.utf8))
        #expect(batch.status == 200)
        try log.flush(to: #require(routes.community))
        let written = try rows(
            "SELECT user_id || ' ' || experiment || ' ' || arm FROM exposures JOIN users USING (user_key)")
        for row in ["ann idle control", "ann tried other", "bob idle control", "bob tried other"] {
            #expect(written.contains(row), "\(row)")
        }
    }

    /// Starts an experiment in which everybody is in an arm that names a version.
    private func start(_ name: String, version: String, isInterleaved: Bool = false) throws {
        var register = try #require(ExperimentRegister(encoded: try store.experiments()))
        var definition = ExperimentDefinition(
            name, arms: [.init("control", weight: 1e-9), .init("other", version: try VersionName(version))],
            plan: Self.plan)
        definition.isInterleaved = isInterleaved
        #expect(register.start(definition, atMilliseconds: 0) == nil)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
    }

    private struct Answer: Decodable, Equatable {
        var modelVersion: String
        var recommendationId: String
        var recommendations: [Row]

        struct Row: Decodable, Equatable {
            var groupId: String
            var title: String
        }
    }

    private func answer(_ routes: Routes, _ path: String) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(routes.router().answer(path).body))
    }

    @Test("An arm that names a version is served from it, all of a session, and others are not")
    func versions() throws {
        store.add(try Community.version("v0", mark: "old "))
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        let plain = try answer(routes, path + "?session=before")
        #expect(plain.modelVersion == "v1")
        try start("models", version: "v0")
        let list = try answer(routes, path + "?session=s")
        #expect(list.modelVersion == "v0" && list.recommendationId.hasPrefix("v0-"))
        #expect(list.recommendations.allSatisfy { $0.title.hasPrefix("old ") } && !list.recommendations.isEmpty)
        #expect(try answer(routes, path + "?session=s") == list)
        // Who asked before the experiment began keeps the session's list, and is in no arm.
        #expect(try answer(routes, path + "?session=before") == plain)
        let group = try #require(
            list.recommendations.first?.groupId.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let why = try routes.router().answer("/v1/users/ann/recommendations/\(group)/why?session=s")
        #expect(why.text.contains(#""modelVersion":"v0""#))
        let batch = try routes.router().answer(
            "/v1/recommendations", method: "POST", headers: ["Content-Type: application/json"],
            body: Array(#"{"userIds":["ann"]}"#.utf8))
        #expect(batch.text.contains(#""modelVersion":"v0""#) && batch.text.contains("old "))
        try log.flush(to: #require(routes.community))
        #expect(try rows("SELECT DISTINCT arm FROM exposures") == ["other"])
        #expect(try rows("SELECT count(*) FROM exposures WHERE microseconds IS NULL") == ["0"])
        // When it is stopped, the session keeps its list, told in terms of the current version.
        var register = try #require(ExperimentRegister(encoded: try store.experiments()))
        #expect(register.stop("models", atMilliseconds: 1) == true)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let after = try answer(routes, path + "?session=s")
        #expect(after.modelVersion == "v1" && after.recommendationId == list.recommendationId)
        #expect(after.recommendations.map(\.groupId) == list.recommendations.map(\.groupId))
    }

    @Test("While a version that an arm names cannot be loaded, the experiment has no members")
    func missingVersion() throws {
        try start("models", version: "v0")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        #expect(try answer(routes, path).modelVersion == "v1")
        try log.flush(to: #require(routes.community))
        #expect(try rows("SELECT count(*) FROM exposures") == ["0"])
        store.add(try Community.version("v0"))
        #expect(try answer(routes, path + "?session=s").modelVersion == "v0")
    }

    @Test("Two versions are interleaved in terms of the one that serves")
    func interleavedVersions() throws {
        store.add(try Community.version("v0", mark: "old "))
        try start("models", version: "v0", isInterleaved: true)
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        let list = try answer(routes, path)
        #expect(list.modelVersion == "v1" && !list.recommendations.isEmpty)
        #expect(list.recommendations.allSatisfy { !$0.title.hasPrefix("old ") })
        try log.flush(to: #require(routes.community))
        let teams = try #require(try rows("SELECT teams FROM exposures").first)
        #expect(teams.count == list.recommendations.count && Set(teams) == ["1", "2"])
    }

    @Test("Interleaved lists have the groups of both arms in turns, and the record says whose each is")
    func interleaving() throws {
        var register = ExperimentRegister()
        var definition = ExperimentDefinition(
            "drafted", arms: [.init("photos", settings: ["weight-members": 0]), .init("plain")], plan: Self.plan)
        definition.isInterleaved = true
        #expect(register.start(definition, atMilliseconds: 0) == nil)
        #expect(try store.setExperiments(register.encoded, replacing: nil))
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        let first = try JSONDecoder().decode(List.self, from: Data(routes.router().answer(path).body))
        #expect(Set(first.recommendations.map(\.groupId)).count == first.recommendations.count)
        // Another daemon comes to the same list from the session, and without it.
        let again = try routes.router().answer(path)
        var sessionless = routes
        sessionless.sessions = nil
        #expect(try sessionless.router().answer(path).body == again.body)
        try log.flush(to: #require(routes.community))
        let teams = try #require(try rows("SELECT teams FROM exposures WHERE arm = 'interleaved'").first)
        #expect(teams.count == first.recommendations.count && Set(teams).isSubset(of: ["1", "2"]))
        #expect(teams.count < 2 || Set(teams.prefix(2)) == ["1", "2"])
    }

    @Test("What is recorded changes no answer, and is gone when the member is forgotten")
    func forgetting() throws {
        try start("tried")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        let (router, _, cache) = routes.parts()
        let community = try #require(routes.community)
        _ = try router.answer(path)
        let stamp = community.changes.stamp(ofMember: "ann")
        log.flush(to: community)
        #expect(community.changes.stamp(ofMember: "ann") == stamp)
        #expect(cache?.size.count == 1)
        _ = try router.answer(path)
        #expect(try router.answer("/v1/users/ann/interactions", method: "DELETE").status == 200)
        log.flush(to: community)
        #expect(try rows("SELECT count(*) FROM exposures") == ["0"])
        _ = try router.answer(path)
        log.flush(to: community)
        #expect(try rows("SELECT count(*) FROM exposures") == ["1"])
        #expect(try router.answer("/v1/users/ann", method: "DELETE").status == 200)
        #expect(try rows("SELECT count(*) FROM exposures") == ["0"])
    }

    @Test("What cannot be written waits, and is not lost")
    func waiting() throws {
        try start("tried")
        let log = ExposureLog(ExposureLog.condition(nil))
        let routes = try routes(log)
        _ = try routes.router().answer(path)
        // Another process writes for longer than a change may wait.
        let community = try JournalSource(catalog: members.path, patience: .milliseconds(10))
        let other = try Database(path: Catalog.journalPath(beside: members.path), mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        log.flush(to: community)
        try other.execute("ROLLBACK")
        try log.flush(to: #require(routes.community))
        #expect(try rows("SELECT count(*) FROM exposures") == ["1"])
    }
}
