import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Favourites and follows over HTTP")
struct TellingRouteTests {
    private let members: MemberCatalog
    private let folder: TemporaryDirectory

    /// Creates a catalog with photos in the pool of `élan`, of which one is private, and with members of `dogs & wolves`.
    init() throws {
        (members, folder) = (try MemberCatalog(), try TemporaryDirectory())
        try members.execute(
            """
            INSERT INTO photos (photo_key, photo_id, visibility) VALUES (1, 'p1', 0), (2, 'p2', 0), (3, 'secret-photo', 1);
            INSERT INTO pools (group_key, photo_key) VALUES (5, 1), (5, 2), (5, 3);
            INSERT INTO users (user_key, user_id, listed) VALUES (11, 'x1', NULL), (12, 'x2', 1), (13, 'x3', NULL),
                (14, 'shy', 0);
            INSERT INTO memberships (group_key, user_key) VALUES (4, 11), (4, 12), (4, 13), (4, 14);
            """)
    }

    private struct List: Decodable {
        struct Row: Decodable {
            struct Told: Decodable, Equatable {
                var kind: String
                var count: Int
            }
            var groupId: String
            var origin: String
            var told: [Told]?
        }
        var recommendations: [Row]
    }

    private func rows(_ routes: Routes, of user: String = "ann") throws -> [List.Row] {
        let answer = try routes.answer(.direct, "/v1/users/\(user)/recommendations")
        return try JSONDecoder().decode(List.self, from: Data(answer.body)).recommendations
    }

    private func told(_ group: String, _ routes: Routes, of user: String = "ann") throws -> String? {
        try rows(routes, of: user).first { $0.groupId == group }?.told.map { told in
            told.map { "\($0.count) \($0.kind)" }.joined(separator: ", ")
        }
    }

    @discardableResult
    private func tell(_ kind: String, _ field: String, _ id: String, of user: String = "ann", _ routes: Routes) throws
        -> SocketClient.Response
    {
        let row = #"{"id":"\#(UUID().uuidString)","kind":"\#(kind)","\#(field)":"\#(id)"}"#
        return try routes.answer(
            .direct, "/v1/users/\(user)/interactions", method: "POST", json: #"{"interactions":[\#(row)]}"#)
    }

    /// The routes of a daemon with the catalog, or of one with a journal, with or without the catalog for photos.
    private func routes(_ kind: Kind) throws -> Routes {
        let plain = try Community.version("v1")
        var manifest = plain.manifest
        manifest.members = .init(bucketCount: 0, valueCount: 0, checksum: "0")
        let version = LoadedVersion(manifest: manifest, model: plain.model)
        var routes = try members.routes(FakeStore(version))
        // The store is asked for each member.
        routes.needs = VersionNeeds(members: { _ in false })
        routes.sessions = try SessionFile(path: folder.path + "/sessions")
        guard kind != .catalog else { return routes }
        let journal = try DaemonJournal(path: folder.path + "/journal", changes: ChangeClock(), now: { 1 })
        let snapshot = ModelSnapshot(version, needsMembers: false, planning: .init())
        let store = FakeStore()
        store.state.withLock { state in
            state.profiles = ["ann": [0], "x1": [3], "x2": [3], "x3": [3], "shy": [3]]
            state.unlisted = ["shy"]
        }
        routes.community = JournalSource(
            store, journal: journal,
            catalog: kind == .journalWithCatalog ? try CatalogReader(path: members.path) : nil,
            served: { .init(snapshot: snapshot) })
        return routes
    }

    enum Kind: CaseIterable, Sendable {
        case catalog
        case journalWithCatalog
        case journal
    }

    @Test("The reasons for a join are stated interests in the next answer, once, behind those that were stated")
    func reasons() throws {
        for kind in Kind.allCases {
            let routes: Routes = try self.routes(kind)
            // The journals are one file.
            func join(_ id: String, _ reasons: String, as word: String = "join") throws -> Int {
                let row = #"{"id":"\#(kind)-\#(id)","kind":"\#(word)","groupId":"élan","reasons":\#(reasons)}"#
                let answer = try routes.answer(
                    .direct, "/v1/users/ann/interactions", method: "POST", json: #"{"interactions":[\#(row)]}"#)
                return Int(answer.status)
            }
            func interests() throws -> [String] {
                struct Answer: Decodable { var interests: [String] }
                let answer = try routes.answer(.direct, "/v1/users/ann/interests")
                return try JSONDecoder().decode(Answer.self, from: Data(answer.body)).interests
            }
            func state(_ interests: String) throws {
                _ = try routes.answer(
                    .direct, "/v1/users/ann/interests", method: "PUT", json: #"{"interests":\#(interests)}"#)
            }
            try state(#"["snow","Owls"]"#)
            #expect(try join("1", #"["owls","games"]"#) == 200)
            #expect(try interests() == ["snow", "Owls", "games"])
            // The same again, after the member said otherwise, changes nothing.
            try state(#"["snow"]"#)
            #expect(try join("1", #"["owls","games"]"#) == 200)
            #expect(try interests() == ["snow"])
            #expect(try join("2", #"["owls"]"#, as: "leave") == 400 && join("3", #"["a;b"]"#) == 400)
            #expect(try join("4", #"["1","2","3","4","5","6"]"#) == 400)
            try state("[" + (0..<50).map { #""i\#($0)""# }.joined(separator: ",") + "]")
            #expect(try join("5", #"["games"]"#) == 200)
            #expect(try interests().count == 50)
        }
    }

    @Test("A favourite brings its groups into the next answer, in a running session too, and its end takes them away")
    func favourites() throws {
        for kind in [Kind.catalog, .journalWithCatalog] {
            let routes = try routes(kind)
            let before = try rows(routes).map(\.groupId)
            #expect(try before.first != "élan" && told("élan", routes) == nil)
            #expect(try tell("favourite", "photoId", "p1", routes).status == 200)
            #expect(try told("élan", routes) == "1 favourites")
            #expect(try tell("favourite", "photoId", "p2", routes).status == 200)
            #expect(try told("élan", routes) == "2 favourites")
            // Two photos count more than what brought some of the other groups.
            let after = try rows(routes).map(\.groupId)
            let (old, new) = (try #require(before.firstIndex(of: "élan")), try #require(after.firstIndex(of: "élan")))
            #expect(new < old, "\(before) \(after)")
            for photo in ["p1", "p2"] { try tell("unfavourite", "photoId", photo, routes) }
            #expect(try told("élan", routes) == nil && rows(routes).map(\.groupId) == before)
            // A member whom nobody knows gets a personal list of that group and its neighbours.
            try tell("favourite", "photoId", "p1", of: "new", routes)
            let personal = try rows(routes, of: "new").filter { $0.origin == "personal" }
            #expect(personal.first?.groupId == "élan" && personal.first?.told?.first?.count == 1)
        }
    }

    @Test(
        "Followed members count from three on, never those who are not listed",
        arguments: [Kind.catalog, .journalWithCatalog, .journal])
    func follows(kind: Kind) throws {
        let routes = try routes(kind)
        let before = try rows(routes, of: "new").map(\.groupId)
        for user in ["x1", "x2", "shy"] { #expect(try tell("follow", "userId", user, of: "new", routes).status == 200) }
        #expect(try told("dogs & wolves", routes, of: "new") == nil)
        try tell("follow", "userId", "x3", of: "new", routes)
        #expect(try told("dogs & wolves", routes, of: "new") == "3 follows")
        #expect(try rows(routes, of: "new").first?.groupId == "dogs & wolves")
        try tell("unfollow", "userId", "x1", of: "new", routes)
        #expect(try told("dogs & wolves", routes, of: "new") == nil)
        #expect(try rows(routes, of: "new").map(\.groupId).sorted() == before.sorted())
        // Who is followed is in the member's own record only.
        let own = try routes.answer(.direct, "/v1/users/new/interactions").text
        #expect(own.contains(#""kind":"unfollow","userId":"x1""#))
        #expect(try !routes.answer(.direct, "/v1/users/new/recommendations").text.contains("x2"))
    }

    /// Has ann follow three members of `dogs & wolves` and like a photo of `élan`, in the catalog.
    private func tellInFiles() throws {
        try members.execute(
            """
            INSERT INTO follows (user_key, followed_key) SELECT 1, user_key FROM users WHERE user_id IN ('x1', 'x2', 'x3');
            INSERT INTO favourites (user_key, photo_key) VALUES (1, 1);
            """)
    }

    @Test(
        "A daemon with the catalog counts only what is public and listed now",
        arguments: [Kind.catalog, .journalWithCatalog])
    func turnedPrivate(kind: Kind) throws {
        try tellInFiles()
        let routes = try routes(kind)
        func counts() throws -> [String?] { [try told("dogs & wolves", routes), try told("élan", routes)] }
        #expect(try counts() == ["3 follows", "1 favourites"])
        try members.execute("UPDATE users SET listed = 0 WHERE user_id = 'x3'")
        try members.execute("UPDATE photos SET visibility = 1 WHERE photo_id = 'p1'")
        #expect(try counts() == [nil, nil])
        try members.execute("UPDATE users SET listed = 1 WHERE user_id = 'x3'")
        try members.execute("UPDATE photos SET visibility = 0 WHERE photo_id = 'p1'")
        #expect(try counts() == ["3 follows", "1 favourites"])
        for target in ["/v1/users/x2", "/v1/photos/p1"] {
            #expect(try [200, 202].contains(routes.answer(.direct, target, method: "DELETE").status))
        }
        #expect(try counts() == [nil, nil])
    }

    @Test("A cached list does not count a followed member any more who was forgotten, or taken out of the group")
    func cached() throws {
        try tellInFiles()
        var routes = try routes(.catalog)
        routes.cacheBytes = 1 << 20
        let router = routes.router()
        func count() throws -> Int? {
            let answer = try router.answer("/v1/users/ann/recommendations")
            let list = try JSONDecoder().decode(List.self, from: Data(answer.body))
            return list.recommendations.first { $0.groupId == "dogs & wolves" }?.told?.first?.count
        }
        try members.execute(
            """
            INSERT INTO users (user_key, user_id) VALUES (15, 'x4'), (16, 'x5');
            INSERT INTO memberships (group_key, user_key) VALUES (4, 15), (4, 16);
            INSERT INTO follows (user_key, followed_key) VALUES (1, 15), (1, 16);
            """)
        #expect(try count() == 5 && count() == 5)
        #expect(try router.answer("/v1/users/x1", method: "DELETE").status == 200)
        #expect(try count() == 4)
        #expect(try router.answer("/v1/groups/dogs%20%26%20wolves/memberships/x2", method: "DELETE").status == 200)
        // The catalog has who is in which group.
        try Catalog.applyLog(of: members.path)
        routes.community?.noteOutsideChanges()
        #expect(try count() == 3)
        #expect(try router.answer("/v1/users/x3", method: "DELETE").status == 200)
        #expect(try count() == nil)
    }

    @Test("Without a catalog, a favourite is recorded, and changes no list before the next version")
    func favouriteInJournal() throws {
        let routes = try routes(.journal)
        let before = try rows(routes).map(\.groupId)
        #expect(try tell("favourite", "photoId", "p1", routes).status == 200)
        #expect(try rows(routes).map(\.groupId) == before)
        let own = try routes.answer(.direct, "/v1/users/ann/interactions").text
        #expect(own.contains(#""kind":"favourite","photoId":"p1""#))
    }

    @Test(
        "A view of ten seconds is as good as a click; a shorter one changes nothing",
        arguments: [Kind.catalog, .journalWithCatalog, .journal])
    func views(kind: Kind) throws {
        let routes = try routes(kind)
        func groups(_ session: String) throws -> [String] {
            let answer = try routes.answer(.direct, "/v1/users/ann/recommendations?session=\(session)")
            return try JSONDecoder().decode(List.self, from: Data(answer.body)).recommendations.map(\.groupId)
        }
        func post(_ rows: [String]) throws -> SocketClient.Response {
            try routes.answer(
                .direct, "/v1/users/ann/interactions", method: "POST",
                json: "{\"interactions\":[\(rows.joined(separator: ","))]}")
        }
        let before = try groups("1")
        let first = try #require(before.first)
        let shown = (1...300).map { #"{"id":"i\#($0)","kind":"impression","groupId":"\#(first)"}"# }
        #expect(try post(shown).status == 200 && groups("2").first != first)
        #expect(try post([#"{"id":"v9","kind":"view","groupId":"\#(first)","seconds":9}"#]).status == 200)
        #expect(try groups("3").first != first)
        #expect(try post([#"{"id":"v10","kind":"view","groupId":"\#(first)","seconds":10}"#]).status == 200)
        #expect(try groups("4") == before)
        let own = try routes.answer(.direct, "/v1/users/ann/interactions?after=i300").text
        #expect(own.contains(#""kind":"view""#) && own.contains(#""seconds":9"#))
        for row in [
            #"{"id":"x","kind":"view","groupId":"alps"}"#, #"{"id":"x","kind":"view","groupId":"alps","seconds":-1}"#,
            #"{"id":"x","kind":"view","groupId":"alps","seconds":86401}"#,
            #"{"id":"x","kind":"click","groupId":"alps","seconds":5}"#,
        ] {
            let answer = try post([row])
            #expect(answer.status == 400 && answer.text.contains("interactions[0].seconds"), "\(answer.text)")
        }
    }

    @Test(
        "What a kind is not about, and what is not there, is refused with the field",
        arguments: [
            ("favourite", "groupId", "alps", 400, "interactions[0].groupId"),
            ("favourite", "userId", "x1", 400, "interactions[0].photoId"),
            ("follow", "photoId", "p1", 400, "interactions[0].photoId"),
            ("join", "userId", "x1", 400, "interactions[0].groupId"),
            ("favourite", "photoId", "none", 404, "interactions[0].photoId"),
            ("favourite", "photoId", "secret-photo", 404, "interactions[0].photoId"),
            ("follow", "userId", "none", 404, "interactions[0].userId"),
            ("unfollow", "userId", "", 400, "interactions[0].userId"),
        ])
    func refusals(kind: String, field: String, id: String, status: Int, place: String) throws {
        let answer = try tell(kind, field, id, try routes(.catalog))
        #expect(answer.status == status && answer.text.contains(#""field":"\#(place)""#), "\(answer.text)")
    }
}
