import CatalogStore
import Changes
import Dispatch
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Interactions over HTTP")
struct InteractionRouteTests {
    private let members: MemberCatalog
    private let routes: Routes

    init() throws {
        members = try MemberCatalog()
        routes = try members.routes()
    }

    private func post(_ interactions: String, transport: Transport = .direct) throws -> SocketClient.Response {
        try routes.answer(
            transport, "/v1/users/ann/interactions", method: "POST", json: #"{"interactions":[\#(interactions)]}"#)
    }

    private struct List: Decodable {
        struct Row: Decodable { var groupId: String }
        var recommendations: [Row]
    }

    private func list() throws -> [String] {
        let answer = try routes.answer(.direct, "/v1/users/ann/recommendations")
        return try JSONDecoder().decode(List.self, from: Data(answer.body)).recommendations.map(\.groupId)
    }

    private struct Standing: Decodable { var standing: String }

    private func standing(_ group: String) throws -> String {
        let answer = try routes.answer(.direct, "/v1/users/ann/recommendations/\(group)/why")
        return try JSONDecoder().decode(Standing.self, from: Data(answer.body)).standing
    }

    @Test("An interaction has its effect in the next answer, and so has undoing it")
    func nextAnswer() throws {
        let before = try list()
        #expect(before.contains("birds") && before.contains("élan"))
        #expect(try post(#"{"id":"1","kind":"dismiss","groupId":"birds"}"#).status == 200)
        #expect(try standing("birds") == "dismissed" && !list().contains("birds"))
        #expect(try post(#"{"id":"2","kind":"join","groupId":"élan"}"#).status == 200)
        #expect(try standing("%C3%A9lan") == "joined" && !list().contains("élan"))
        #expect(try post(#"{"id":"3","kind":"leave","groupId":"alps"}"#).status == 200)
        #expect(try standing("alps") == "listed")
        let undone = #"{"id":"4","kind":"undismiss","groupId":"birds"},{"id":"5","kind":"leave","groupId":"élan"}"#
        #expect(try post(undone + #",{"id":"6","kind":"join","groupId":"alps"}"#).status == 200)
        #expect(try list() == before)
    }

    @Test("Nothing is recorded for an unknown id with a bare plus, which may stand for a space")
    func plus() throws {
        try members.execute("UPDATE users SET user_id = 'a b' WHERE user_id = 'ann'")
        let body = #"{"interactions":[{"id":"1","kind":"join","groupId":"birds"}]}"#
        for (method, path, json) in [
            ("POST", "/interactions", body), ("PUT", "/interests", #"{"interests":["owls"]}"#),
            ("DELETE", "/interactions", nil), ("DELETE", "", nil),
        ] as [(String, String, String?)] {
            let answer = try routes.answer(.socket, "/v1/users/a+b\(path)", method: method, json: json)
            #expect(answer.status == 400, "\(method) \(path): \(answer.text)")
            #expect(answer.text.contains("write %20 for a space and %2B for a plus"))
        }
        #expect(try members.count("SELECT count(*) FROM users") == 2)
        #expect(try routes.answer(.socket, "/v1/users/a+b/recommendations").status == 200)
        // With the escape, or once the member is known, a plus is a plus.
        for id in ["a%2Bb", "a+b"] {
            #expect(
                try routes.answer(.socket, "/v1/users/\(id)/interactions", method: "POST", json: body).status == 200)
        }
        #expect(try members.count("SELECT count(*) FROM users WHERE user_id = 'a+b'") == 1)
    }

    @Test("Nothing is recorded for an id that was encoded twice", arguments: ["%40nn", "%2540nn"])
    func encodedTwice(name: String) throws {
        try members.execute("UPDATE users SET user_id = '@nn' WHERE user_id = 'ann'")
        let body = #"{"interactions":[{"id":"1","kind":"join","groupId":"birds"}]}"#
        #expect(
            try routes.answer(.socket, "/v1/users/%40nn/interactions", method: "POST", json: body).status == 200)
        let twice = name.replacing("%", with: "%25")
        for (method, path, json) in [
            ("POST", "/interactions", body), ("PUT", "/interests", #"{"interests":["owls"]}"#),
            ("DELETE", "/interactions", nil), ("DELETE", "", nil), ("GET", "/recommendations", nil),
        ] as [(String, String, String?)] {
            let answer = try routes.answer(.socket, "/v1/users/\(twice)\(path)", method: method, json: json)
            #expect(answer.status == 400, "\(method) \(path): \(answer.text)")
            #expect(answer.text.contains("encode ids in paths once") && answer.text.contains(#""parameter":"id""#))
        }
        #expect(try members.count("SELECT count(*) FROM users") == 2)
        // A member may be called so.
        try members.execute("UPDATE users SET user_id = '\(name)' WHERE user_id = 'bob'")
        let own = try routes.answer(.socket, "/v1/users/\(twice)/interactions", method: "POST", json: body)
        #expect(own.status == 200, "\(own.text)")
    }

    @Test("A body that is encoded is refused, and the header field is named", arguments: ["gzip", "br", "x"])
    func encodedBody(coding: String) throws {
        let body = #"{"interactions":[{"id":"1","kind":"join","groupId":"birds"}]}"#
        let target = "/v1/users/ann/interactions"
        let answer = try routes.answer(
            .socket, target, method: "POST", headers: ["Content-Encoding: \(coding)"], json: body)
        #expect(answer.status == 415 && answer.text.contains("Content-Encoding"), "\(answer.text)")
        #expect(
            try routes.answer(.socket, target, method: "POST", headers: ["Content-Encoding: identity"], json: body)
                .status == 200)
    }

    @Test(
        "Half a surrogate pair is refused, and the field is named",
        arguments: [
            (#"{"id":"\ud83d","kind":"join","groupId":"birds"}"#, "interactions[0].id"),
            (#"{"id":"1","kind":"join","groupId":"\udc00"}"#, "interactions[0].groupId"),
            (
                #"{"id":"1","kind":"join","groupId":"birds"},{"id":"x\ud83dy","kind":"join","groupId":"birds"}"#,
                "interactions[1].id"
            ),
            (
                #"{"id":"1","kind":"join","groupId":"birds","recommendationId":"\ud83d\u0041"}"#,
                "interactions[0].recommendationId"
            ),
        ])
    func surrogates(json: String, field: String) throws {
        let answer = try post(json)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.text.contains(#""field":"\#(field)""#), "\(answer.text)")
        #expect(answer.text.contains("surrogate"), "\(answer.text)")
        #expect(try post(#"{"id":"\ud83d\ude00","kind":"join","groupId":"birds"}"#).status == 200)
    }

    @Test("What a member does after the clock went back comes after what they did before", arguments: [true, false])
    func clockBack(hasCatalog: Bool) throws {
        let folder = try TemporaryDirectory()
        var routes = routes
        routes.now = 1_000_090_000_000
        if !hasCatalog {
            let journal = try DaemonJournal(path: folder.path + "/journal", changes: ChangeClock(), now: { 1 })
            let snapshot = ModelSnapshot(try Community.version("v1"), planning: .init())
            routes.community = JournalSource(
                FakeStore(), journal: journal, catalog: nil, served: { .init(snapshot: snapshot) })
        }
        func post(_ id: String, _ interactions: (kind: String, at: Int64?)...) throws {
            let rows = interactions.enumerated().map { index, interaction in
                let time = interaction.at.map { #","atMilliseconds":\#($0)"# } ?? ""
                return #"{"id":"\#(id)-\#(index)","kind":"\#(interaction.kind)","groupId":"birds"\#(time)}"#
            }
            let answer = try routes.answer(
                .direct, "/v1/users/ann/interactions", method: "POST",
                json: #"{"interactions":[\#(rows.joined(separator: ","))]}"#)
            #expect(answer.status == 200, "\(answer.text)")
        }
        func standing() throws -> String {
            let answer = try routes.answer(.direct, "/v1/users/ann/recommendations/birds/why")
            return try JSONDecoder().decode(Standing.self, from: Data(answer.body)).standing
        }
        try post("1", ("join", nil))
        #expect(try standing() == "joined")
        routes.now = 1_000_010_000_000
        try post("2", ("leave", nil))
        #expect(try standing() != "joined")
        // A batch keeps the order of its times.
        try post("3", ("leave", 1_000_009_001_000), ("join", 1_000_009_000_000))
        #expect(try standing() != "joined")
        try post("4", ("dismiss", nil))
        #expect(try standing() == "dismissed")
        routes.now = 1_000_005_000_000
        try post("5", ("undismiss", nil), ("join", nil))
        #expect(try standing() == "joined")
        // With a clock that is right again, an event of long ago is one of long ago.
        routes.now = 1_000_100_000_000
        try post("6", ("leave", 1_000_001_000_000))
        #expect(try standing() == "joined")
    }

    @Test("An id that comes again with something else is refused, and nothing of its batch is recorded")
    func takenIDs() throws {
        let first = #"{"id":"1","kind":"click","groupId":"birds","position":2,"recommendationId":"r","variant":"v"}"#
        #expect(try post(first).status == 200)
        // The same again, at whatever time, is no other content; nor is the origin, which is only counted.
        #expect(try post(first).text.contains(#""recorded":0,"repeated":1"#))
        #expect(try post(first.dropLast() + #","origin":"trending"}"#).text.contains(#""recorded":0,"repeated":1"#))
        #expect(try post(first.dropLast() + #","atMilliseconds":1700000000000}"#).status == 200)
        for (name, value) in [
            ("kind", "dismiss"), ("groupId", "alps"), ("recommendationId", "s"), ("variant", "w"),
        ] {
            let other = first.replacing(try Regex(#""\#(name)":"[^"]*""#), with: #""\#(name)":"\#(value)""#)
            let answer = try post(#"{"id":"2","kind":"join","groupId":"alps"},"# + other)
            #expect(answer.status == 409 && answer.text.contains("interactions[1].id"), "\(name): \(answer.text)")
        }
        for other in [
            first.replacing(#""position":2"#, with: #""position":3"#), first.replacing(#""position":2,"#, with: ""),
        ] {
            #expect(try post(other).status == 409)
        }
        // Within one batch as well.
        let twice = #"{"id":"3","kind":"join","groupId":"alps"},{"id":"3","kind":"leave","groupId":"alps"}"#
        #expect(try post(twice).status == 409)
        #expect(
            try post(#"{"id":"2","kind":"leave","groupId":"alps"},{"id":"3","kind":"click","groupId":"birds"}"#).status
                == 200)
    }

    @Test("A group that became private since the version is gone from the next answer")
    func becomesPrivate() throws {
        let others = ["/v1/groups/alps/similar", "/v1/groups/alps/similar?by=photos", "/v1/trending"]
        for target in others { #expect(try routes.answer(.direct, target).text.contains(#""groupId":"birds""#)) }
        #expect(try list().contains("birds"))
        try Database(path: members.path, mode: .readWrite).execute(
            """
            UPDATE groups SET visibility = 1 WHERE group_id = 'birds';
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes';
            """)
        #expect(try !list().contains("birds") && standing("birds") == "hidden")
        for target in others {
            let answer = try routes.answer(.direct, target)
            #expect(answer.status == 200 && !answer.text.contains("birds"), "\(target)")
        }
        #expect(try routes.answer(.direct, "/v1/groups/birds/similar").status == 404)
    }

    @Test("Interactions are listed in pages, and deleted", arguments: Transport.allCases)
    func pages(transport: Transport) throws {
        let sent = (1...5).map { #"{"id":"\#($0)","kind":"click","groupId":"birds"}"# }
        #expect(
            try post(sent.joined(separator: ","), transport: transport).text
                == #"{"userId":"ann","recorded":5,"repeated":0}"#)
        #expect(try post(sent[2]).text == #"{"userId":"ann","recorded":0,"repeated":1}"#)
        let target = "/v1/users/ann/interactions"
        #expect(
            try routes.answer(transport, target + "?limit=2&after=1").text == #"""
                {"userId":"ann","interactions":[{"id":"2","kind":"click","groupId":"birds","atMilliseconds":61000000},\#
                {"id":"3","kind":"click","groupId":"birds","atMilliseconds":61000000}],"next":"3"}
                """#)
        #expect(try !routes.answer(transport, target + "?limit=2&after=3").text.contains("next"))
        #expect(try routes.answer(transport, target + "?after=9").status == 404)
        #expect(
            try routes.answer(transport, target + "/2", method: "DELETE").text == #"{"userId":"ann","forgotten":1}"#)
        #expect(try routes.answer(transport, target + "/2", method: "DELETE").status == 404)
        #expect(try routes.answer(transport, target, method: "DELETE").text == #"{"userId":"ann","forgotten":4}"#)
        #expect(try routes.answer(transport, target).text == #"{"userId":"ann","interactions":[]}"#)
    }

    @Test("A time in the future counts as now")
    func future() throws {
        _ = try post(#"{"id":"1","kind":"click","groupId":"birds","atMilliseconds":1999000000000}"#)
        #expect(try routes.answer(.direct, "/v1/users/ann/interactions").text.contains(#""atMilliseconds":61000000"#))
    }

    @Test(
        "A time in seconds is refused, and it is asked whether it is one",
        arguments: [1_748_781_296, 946_684_799_999])
    func seconds(time: Int) throws {
        let answer = try post(#"{"id":"1","kind":"click","groupId":"birds","atMilliseconds":\#(time)}"#)
        #expect(answer.status == 400 && answer.text.contains("are these seconds?"), "\(answer.text)")
        let earliest = try post(#"{"id":"1","kind":"click","groupId":"birds","atMilliseconds":946684800000}"#)
        #expect(earliest.status == 200)
    }

    /// Bodies that are refused, and the field that the refusal names.
    private static let bad: [(body: String, field: String?)] = [
        ("", nil), ("[]", nil), ("{", nil), ("{}", "interactions"), (#"{"interactions":{}}"#, "interactions"),
        (#"{"interactions":[]}"#, "interactions"), (#"{"interactions":[3]}"#, "interactions[0]"),
        (rows(#"{"id":"1","kind":"click"}"#), "interactions[0].groupId"),
        (rows(#"{"id":"1","kind":"click","groupId":null}"#), "interactions[0].groupId"),
        (rows(good, #"{"id":"2","kind":"clack","groupId":"birds"}"#), "interactions[1].kind"),
        (rows(good, #"{"id":"","kind":"click","groupId":"birds"}"#), "interactions[1].id"),
        (rows(good, #"{"id":2,"kind":"click","groupId":"birds"}"#), "interactions[1].id"),
        (rows(#"{"id":"2","kind":"click","groupId":"birds","position":0}"#), "interactions[0].position"),
        (rows(#"{"id":"2","kind":"click","groupId":"birds","position":1.5}"#), "interactions[0].position"),
        (rows(#"{"id":"2","kind":"click","groupId":"birds","atMilliseconds":-1}"#), "interactions[0].atMilliseconds"),
        (rows(#"{"id":"2","kind":"click","groupId":"birds","variant":"\u0000"}"#), "interactions[0].variant"),
        (rows(#"{"id":"2","kind":"click","groupId":"birds","origin":"home"}"#), "interactions[0].origin"),
        (rows(Array(repeating: good, count: 501).joined(separator: ",")), "interactions"),
    ]
    private static let good = #"{"id":"1","kind":"click","groupId":"birds"}"#

    private static func rows(_ rows: String...) -> String {
        #"{"interactions":[\#(rows.joined(separator: ","))]}"#
    }

    private struct BadBody: Decodable {
        var type: String
        var field: String?
    }

    @Test(
        "A batch with an unknown or private group is refused as a whole", arguments: ["none", "secret"])
    func unknownGroup(group: String) throws {
        let answer = try post(Self.good + #",{"id":"2","kind":"click","groupId":"\#(group)"}"#)
        #expect(answer.status == 404)
        let problem = try JSONDecoder().decode(BadBody.self, from: Data(answer.body))
        #expect(problem.type == "urn:coterie:problem:unknown-group" && problem.field == "interactions[1].groupId")
        #expect(try routes.answer(.direct, "/v1/users/ann/interactions").text == #"{"userId":"ann","interactions":[]}"#)
    }

    @Test("A malformed batch is refused with the wrong field, and nothing of it is recorded")
    func refusals() throws {
        for (body, field) in Self.bad {
            let answer = try routes.answer(.direct, "/v1/users/ann/interactions", method: "POST", json: body)
            #expect(answer.status == 400, "\(body.prefix(200))")
            let problem = try JSONDecoder().decode(BadBody.self, from: Data(answer.body))
            #expect(problem.type == "urn:coterie:problem:bad-body" && problem.field == field, "\(answer.text)")
        }
        #expect(try routes.answer(.direct, "/v1/users/ann/interactions").text == #"{"userId":"ann","interactions":[]}"#)
        let target = "/v1/users/ann/interests"
        for body in [#"{"interests":[""]}"#, #"{"interests":["a;b"]}"#, #"{"interests":[1]}"#] {
            #expect(try routes.answer(.direct, target, method: "PUT", json: body).status == 400)
        }
        #expect(try routes.answer(.direct, target, method: "PUT").status == 415)
    }

    @Test("A batch may have up to 500 interactions, and a member up to 50 stated interests")
    func limits() throws {
        let batch = Self.rows(
            (0..<500).map { #"{"id":"\#($0)","kind":"click","groupId":"birds"}"# }.joined(separator: ","))
        #expect(try routes.answer(.direct, "/v1/users/ann/interactions", method: "POST", json: batch).status == 200)
        for (count, status) in [(50, 200), (51, 400)] {
            let interests = (0..<count).map { "\"\($0)\"" }.joined(separator: ",")
            let json = "{\"interests\":[\(interests)]}"
            #expect(
                try routes.answer(.direct, "/v1/users/ann/interests", method: "PUT", json: json).status == status)
        }
    }

    @Test("Stated interests are stored, and an unknown member who states some gets a list")
    func interests() throws {
        let target = "/v1/users/zo%C3%AB/interests"
        #expect(try routes.answer(.direct, target).text == #"{"userId":"zoë","interests":[]}"#)
        let list = "/v1/users/zo%C3%AB/recommendations"
        #expect(try routes.answer(.direct, list).text.contains(#""known":false"#))
        let stated = try routes.answer(.direct, target, method: "PUT", json: #"{"interests":["snow"]}"#)
        #expect(stated.text == #"{"userId":"zoë","interests":["snow"]}"#)
        #expect(try routes.answer(.direct, target).text == stated.text)
        #expect(try routes.answer(.direct, list).text.contains(#""known":true"#))
    }

    @Test("Batches of many threads are recorded once each, however often they are sent")
    func groupedCommits() throws {
        let source = try members.source()
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            // Every batch is sent twice.
            let record = [
                InteractionBatch.Row(id: "\(number / 2)", kind: "click", groupId: "birds")
            ]
            do {
                let batch = InteractionBatch(interactions: record)
                _ = try source.apply(.init(ofUser: "ann", .record(batch.records(at: 1))))
            } catch { failures.add(1, ordering: .relaxed) }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        let ids = try source.interactions(ofUser: "ann", after: nil, latestFirst: false, limit: 1000)?.map(\.id)
        #expect(ids?.count == 100 && Set(ids ?? []).count == 100)
    }

    @Test("While an import writes to the catalog, interactions are recorded; while the journal is locked, they get 503")
    func busy() throws {
        var routes = routes
        routes.community = try members.source()
        let catalog = try Database(path: members.path, mode: .readWrite)
        try catalog.execute("BEGIN IMMEDIATE")
        let first = Self.rows(#"{"id":"first","kind":"click","groupId":"birds"}"#)
        #expect(try routes.answer(.direct, "/v1/users/ann/interactions", method: "POST", json: first).status == 200)
        let other = try Database(path: Catalog.journalPath(beside: members.path), mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        routes.community = try JournalSource(catalog: members.path, patience: .milliseconds(50))
        let json = Self.rows(Self.good)
        let answer = try routes.answer(.direct, "/v1/users/ann/interactions", method: "POST", json: json)
        #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
        #expect(try routes.answer(.direct, "/v1/users/ann/recommendations").status == 200)
        try other.execute("COMMIT")
        routes.community = try members.source()
        #expect(try routes.answer(.direct, "/v1/users/ann/interactions", method: "POST", json: json).status == 200)
    }
}
