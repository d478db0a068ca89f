import Answers
import Basics
import CatalogStore
import CommandLine
import Foundation
import HTTP
import Model
import ModelStore
import Recommendation
import SQLite
import Service
import TestSupport
import Testing

@testable import coterie

/// One entry in a table of relations is all that it takes: nothing else in the program names the relation.
@Suite("A relation that only the test knows")
struct OwnRelationTests {
    private let bookmarks = OwnCommunity.bookmarks.relation

    @Test("is imported into a table of its own, which a replacing import makes equal to the files")
    func importing() throws {
        let community = try OwnCommunity.filled()
        func count(_ condition: String = "") throws -> Int64? {
            try Database(path: community.catalogPath, mode: .readOnly).integer(
                "SELECT count(*) FROM bookmarks NATURAL JOIN groups \(condition)")
        }
        #expect(try count() == 10)
        #expect(try count("WHERE added_at IS NULL") == 1)
        let kind = ImportKind.relation(OwnCommunity.table)
        #expect(kind.columnNames == ["group_id", "user_id", "added_at"])
        #expect(ImportKind.all(of: OwnCommunity.relations).map(\.name).contains("bookmarks"))
        let summary = try community.importing(kind, ["group_id,user_id", "cats,u1", "cats,u9"], replaces: true)
        #expect(summary.removed == 9 && summary.created == ["users": 1])
        #expect(try count() == 2)
        // Entries of relations are removed with their group, user or photo.
        try community.importing(.users, ["user_id", "u1"], replaces: true)
        #expect(try count() == 1)
        try community.importing(.groups, ["group_id", "alps"], replaces: true)
        #expect(try count() == 0)
    }

    @Test("gets its table when a catalog without it is opened for writing, and only then")
    func missingTable() throws {
        let community = try OwnCommunity()
        _ = try Catalog(path: community.catalogPath, mode: .writing)
        let error = #expect(throws: Failure.self) {
            try Facts(path: community.catalogPath, relations: OwnCommunity.relations)
        }
        #expect(error?.code == .otherFormat && error?.message.contains("has no table bookmarks yet") == true)
        _ = try Catalog(path: community.catalogPath, mode: .writing, relations: OwnCommunity.relations)
        let catalog = try Facts(path: community.catalogPath, relations: OwnCommunity.relations)
        #expect(try catalog.rowCount(OwnCommunity.table) == 0)
    }

    @Test("is recomputed into a version that names it, with its own minimums")
    func recomputing() throws {
        let version = try OwnCommunity.filled().recompute()
        let model = version.model
        #expect(model.relations.map(\.rawValue) == ["photos", "members", "bookmarks"])
        #expect(model.neighbourIDs(of: "alps", by: .members) == ["birds"])
        // Cosines of 4/√(4·4) and 2/√(4·2); with the minimums of the other relations there were no dogs.
        #expect(model.neighbourIDs(of: "alps", by: bookmarks) == ["cats", "dogs"])
        let dogs = try #require(model.index(ofID: "dogs"))
        #expect(model.size(of: dogs, in: bookmarks) == 2 && model.size(of: dogs, in: .members) == 0)
        let report = try #require(version.manifest[bookmarks])
        #expect(report.entries == 10 && report.minimumEntries == 2 && report.minimumCommon == 2)
        #expect(version.manifest.steps.map(\.name).contains("compare by bookmarks"))
    }

    @Test("works with similar, why and export")
    func commands() throws {
        let community = try OwnCommunity.filled()
        let version = try community.recompute()
        let (model, relations) = (version.model, OwnCommunity.relations)
        let alps = try #require(model.index(ofID: "alps"))
        func similar(by: String) -> [SimilarGroups.Neighbour] {
            var configuration = PlanConfiguration()
            configuration.relations = relations
            let snapshot = VisibleSnapshot(version, planning: Planning(configuration))
            return snapshot.similarGroups(to: UInt32(alps), by: by, limit: 20).neighbours
        }
        let rows = similar(by: "bookmarks")
        #expect(rows.map(\.group.groupId) == ["cats", "dogs"])
        #expect(rows.map(\.score) == [.single(1), .single(Float(2 / 8.0.squareRoot()))])
        #expect(rows[1].sizes.fields == ["bookmarkCount"] && rows[1].sizes.counts == [2] && rows[1].common == 2)
        // Weight 2 in units of the mean best score, which is below 1.
        let blend = similar(by: RelationTable.blendName)
        #expect(blend.map(\.group.groupId) == ["cats", "dogs", "birds"])
        let names = blend.map { $0.relations?.map(\.relation.rawValue) }
        #expect(names == [["bookmarks"], ["bookmarks"], ["members"]])

        let catalog = try Facts(path: community.catalogPath, relations: relations)
        let groups = try ["alps", "birds"].map { try #require(try catalog.group(withID: $0)) }
        let verdict = try RelationVerdict(OwnCommunity.bookmarks, groups[0], groups[1], catalog, version)
        #expect(verdict.reason == "birds has 0 bookmarks, X is 2" && verdict.size == 4)

        let file = community.directory.path + "/export.tsv"
        var output = try Output(path: file)
        try ExportCommand.write(
            bookmarks, of: version, VisibleModel(version.model), isJSON: false, to: &output)
        try output.flush()
        #expect(
            try String(contentsOfFile: file, encoding: .utf8) == """
                group\trank\tneighbour\tscore\tcommon
                alps\t1\tcats\t1\t4
                alps\t2\tdogs\t0.707106781\t2
                cats\t1\talps\t1\t4
                cats\t2\tdogs\t0.707106781\t2
                dogs\t1\talps\t0.707106781\t2
                dogs\t2\tcats\t0.707106781\t2

                """)
    }

    @Test("is in lists and reasons with the weight of its entry, and in none without a weight")
    func lists() throws {
        let model = try OwnCommunity.filled().recompute().model
        let profile = MemberProfile(userID: "new", joined: [.init(group: 0)])
        func reasons(_ relations: RelationTable) -> [String: [String]] {
            var configuration = PlanConfiguration()
            configuration.relations = relations
            configuration.filters.ceiling = .infinity
            let planner = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
            let plan = planner.plan(PlanRequest(profile: profile, atMilliseconds: 1_795_000_000_000))
            let items = plan.items.filter { $0.origin == .personal }
            let reasons = planner.reasons(for: items, of: profile).map { $0.map(\.relation.rawValue) }
            return Dictionary(uniqueKeysWithValues: zip(items.map { model.id(of: Int($0.group)) }, reasons))
        }
        #expect(
            reasons(OwnCommunity.relations) == ["birds": ["members"], "cats": ["bookmarks"], "dogs": ["bookmarks"]])
        #expect(reasons(OwnCommunity.relations.weighted([.members: 1])) == ["birds": ["members"]])
        // A program whose table does not have it does not use it.
        #expect(reasons(.standard) == ["birds": ["members"]])
    }

    @Test("is answered over HTTP: by, the field of sizes, shares, reasons and the description")
    func http() throws {
        let community = try OwnCommunity.filled()
        try community.recompute()
        var configuration = Daemon.Configuration(.catalog(community.store, path: community.catalogPath))
        configuration.server.port = 0
        configuration.live.planning.configuration.relations = OwnCommunity.relations
        configuration.live.planning.configuration.filters.ceiling = .infinity
        let daemon = try Daemon(configuration)
        defer { daemon.stop() }
        func get(_ target: String) throws -> (status: Int, body: String) {
            let client = try #require(SocketClient(port: daemon.port))
            let response = try #require(client.request("GET", target))
            return (response.status, String(decoding: response.body, as: UTF8.self))
        }
        let deadline = ContinuousClock.now + .seconds(60)
        while try get("/readyz").status != 200, ContinuousClock.now < deadline {}
        let single = try get("/v1/groups/alps/similar?by=bookmarks&limit=1").body
        #expect(
            single.contains(
                #""by":"bookmarks","neighbours":[{"rank":1,"groupId":"cats","title":"","score":1.0,"common":4,"#
                    + #""bookmarkCount":4}]"#))
        let blend = try get("/v1/groups/alps/similar").body
        #expect(blend.contains(#""by":"both""#))
        #expect(blend.contains(#""photoCount":0,"memberCount":0,"bookmarkCount":4,"relations":[{"#))
        #expect(blend.contains(#""relations":[{"relation":"bookmarks""#))
        let list = try get("/v1/users/u5/recommendations").body
        #expect(list.contains(#""relation":"bookmarks""#) && list.contains(#""bookmarkCount":4"#))
        let refusal = try get("/v1/groups/alps/similar?by=enemies")
        #expect(refusal.status == 400)
        let names = #""photos","members","themes","places","looks","favourites","conversation","bookmarks""#
        #expect(refusal.body.contains(#""allowed":[\#(names),"both"]"#))
        let description = try get("/openapi.json").body
        #expect(description.contains(#""enum":[\#(names),"both"]"#))
        #expect(description.contains(#""enum":[\#(names)]"#))
        #expect(description.contains(#""bookmarkCount":{"type":"integer""#))
    }
}
