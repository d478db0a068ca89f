import Foundation
import Model
import ModelStore
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Photos and contacts of a member over HTTP")
struct DiscoveryRouteTests {
    private let members: MemberCatalog
    private let folder: TemporaryDirectory

    /// Creates a catalog in which ann and nine others are in `alps`, and like photos of its pool.
    init() throws {
        (members, folder) = (try MemberCatalog(), try TemporaryDirectory())
        try members.execute(
            """
            INSERT INTO users (user_key, user_id, listed) VALUES (11, 'x1', 1), (12, 'x2', 1), (13, 'x3', 1),
                (14, 'shy', 0), (15, 'silent', NULL), (16, 'apart', 1);
            INSERT INTO photos (photo_key, photo_id, user_key, visibility, width, height) VALUES
                (1, 'liked', 11, 0, 640, 480), (2, 'own', 1, 0, NULL, NULL), (3, 'private-photo', 11, 1, NULL, NULL),
                (4, 'in-secret', 11, 0, NULL, NULL), (5, 'of-shy', 14, 0, NULL, NULL), (6, 'pooled', NULL, 0, NULL, NULL),
                (7, 'mine-already', 12, 0, NULL, NULL), (8, 'nowhere', 12, 0, NULL, NULL), (9, 'bird', 13, 0, NULL, NULL);
            INSERT INTO memberships (group_key, user_key) VALUES (1, 11), (1, 12), (1, 13), (1, 14), (1, 15), (4, 11),
                (6, 1), (6, 16);
            INSERT INTO pools (group_key, photo_key) VALUES (1, 1), (1, 2), (1, 3), (6, 4), (1, 5), (1, 6), (1, 7),
                (2, 9);
            INSERT INTO favourites (user_key, photo_key) VALUES (1, 7), (11, 7), (12, 7), (13, 7), (14, 7),
                (11, 1), (12, 1), (13, 1), (14, 1), (11, 2), (11, 3), (12, 3), (11, 4), (12, 4), (12, 5), (11, 8),
                (12, 9);
            """)
    }

    private struct Photos: Decodable {
        struct Row: Decodable {
            struct Group: Decodable {
                struct Because: Decodable { var groupId: String }
                var groupId: String
                var joined: Bool
                var because: Because?
            }
            var photoId: String
            var ownerId: String?
            var url: String?
            var width: Int?
            var likedBy: Int?
            var groups: [Group]
        }
        var known: Bool
        var photos: [Row]
    }
    private struct Contacts: Decodable {
        struct Row: Decodable {
            struct Group: Decodable { var groupId: String }
            var userId: String
            var sharedGroupCount: Int
            var sharedGroups: [Group]
        }
        var contacts: [Row]
    }

    private func photos(_ routes: Routes, of user: String = "ann") throws -> [Photos.Row] {
        let answer = try routes.answer(.direct, "/v1/users/\(user)/photos")
        return try JSONDecoder().decode(Photos.self, from: Data(answer.body)).photos
    }
    private func contacts(_ routes: Routes, of user: String = "ann") throws -> [Contacts.Row] {
        let answer = try routes.answer(.direct, "/v1/users/\(user)/contacts")
        return try JSONDecoder().decode(Contacts.self, from: Data(answer.body)).contacts
    }

    enum Kind: CaseIterable, Sendable {
        case catalog
        case journalWithCatalog
    }

    /// The routes of a daemon with the catalog, or of one with a journal that reads the catalog.
    private func routes(_ kind: Kind, readsCatalog: Bool = true) throws -> Routes {
        let version = try Community.version("v1")
        var routes = try members.routes(FakeStore(version))
        routes.needs = VersionNeeds(members: { _ in false })
        routes.addresses.photos = AddressTemplate("https://photos.example/{id}_{size}.jpg", hasSize: true)
        guard kind == .journalWithCatalog else { return routes }
        let journal = try DaemonJournal(path: folder.path + "/journal", changes: ChangeClock(), now: { 1 })
        let snapshot = ModelSnapshot(version, needsMembers: false, planning: .init())
        let store = FakeStore()
        store.state.withLock { $0.profiles = ["ann": [0], "x1": [0, 3], "shy": [0]] }
        routes.community = JournalSource(
            store, journal: journal, catalog: readsCatalog ? try CatalogReader(path: members.path) : nil,
            served: { .init(snapshot: snapshot) })
        return routes
    }

    private func record(_ kind: String, _ field: String, _ id: String, of user: String = "ann", _ routes: Routes) throws
    {
        let row = #"{"id":"\#(UUID().uuidString)","kind":"\#(kind)","\#(field)":"\#(id)"}"#
        let answer = try routes.answer(
            .direct, "/v1/users/\(user)/interactions", method: "POST", json: #"{"interactions":[\#(row)]}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }

    private func delete(_ target: String, _ routes: Routes) throws {
        let status = try routes.answer(.direct, target, method: "DELETE").status
        #expect([200, 202].contains(status), "\(target) \(status)")
    }

    @Test(
        "Photos have their groups, owners, sizes and addresses, and a count of three or more", arguments: Kind.allCases)
    func photos(kind: Kind) throws {
        let rows = try photos(try routes(kind))
        #expect(Set(rows.map(\.photoId)) == ["liked", "of-shy", "pooled", "bird"])
        let liked = try #require(rows.first)
        #expect(liked.photoId == "liked" && liked.likedBy == 3 && liked.ownerId == "x1" && liked.width == 640)
        #expect(liked.url == "https://photos.example/liked_{size}.jpg")
        #expect(liked.groups.map(\.groupId) == ["alps"] && liked.groups[0].joined)
        // One member likes it, and an owner who is not listed is not named.
        let shy = try #require(rows.first { $0.photoId == "of-shy" })
        #expect(shy.likedBy == nil && shy.ownerId == nil)
        let bird = try #require(rows.first { $0.photoId == "bird" })
        #expect(bird.groups.map(\.groupId) == ["birds"] && !bird.groups[0].joined)
        #expect(bird.groups[0].because?.groupId == "alps")
    }

    @Test("Contacts agreed to be shown, and share a public group", arguments: Kind.allCases)
    func contacts(kind: Kind) throws {
        let routes = try routes(kind)
        #expect(try Set(contacts(routes).map(\.userId)) == ["x1", "x2", "x3"])
        #expect(try contacts(routes).allSatisfy { $0.sharedGroupCount == 1 && $0.sharedGroups[0].groupId == "alps" })
        // A member who is not listed may ask, and is in nobody's answer.
        #expect(try Set(contacts(routes, of: "shy").map(\.userId)) == ["x1", "x2", "x3"])
        try record("follow", "userId", "x1", routes)
        #expect(try Set(contacts(routes).map(\.userId)) == ["x2", "x3"])
        try record("unfollow", "userId", "x1", routes)
        #expect(try Set(contacts(routes).map(\.userId)) == ["x1", "x2", "x3"])
        try record("leave", "groupId", "alps", of: "x2", routes)
        #expect(try Set(contacts(routes).map(\.userId)) == ["x1", "x3"])
        try delete("/v1/users/x3?photos=remove", routes)
        #expect(try contacts(routes).map(\.userId) == ["x1"])
        try delete("/v1/groups/alps/memberships/x1", routes)
        #expect(try contacts(routes).isEmpty)
    }

    @Test("What is liked, removed or hidden is gone from the next answer", arguments: Kind.allCases)
    func removals(kind: Kind) throws {
        let routes = try routes(kind)
        func ids() throws -> Set<String> { try Set(photos(routes).map(\.photoId)) }
        try record("favourite", "photoId", "liked", routes)
        #expect(try ids() == ["of-shy", "pooled", "bird"])
        try record("unfavourite", "photoId", "liked", routes)
        #expect(try ids() == ["liked", "of-shy", "pooled", "bird"])
        try delete("/v1/photos/pooled", routes)
        #expect(try ids() == ["liked", "of-shy", "bird"])
        try delete("/v1/groups/birds/pools/bird", routes)
        #expect(try ids() == ["liked", "of-shy"])
        try delete("/v1/users/x1?photos=remove", routes)
        let text = try routes.answer(.direct, "/v1/users/ann/photos").text
        #expect(try ids() == ["of-shy"], "\(text)")
        #expect(try routes.answer(.direct, "/v1/admin/groups/alps/hidden", method: "PUT").status == 200)
        #expect(try ids().isEmpty && contacts(routes).isEmpty)
        try delete("/v1/users/ann", routes)
        for what in ["photos", "contacts"] {
            #expect(try routes.answer(.direct, "/v1/users/ann/\(what)").status == 404)
        }
    }

    @Test("What is liked or followed is in no answer, whatever number of others came later", arguments: Kind.allCases)
    func many(kind: Kind) throws {
        try members.execute(
            """
            WITH RECURSIVE n (k) AS (SELECT 1000 UNION ALL SELECT k + 1 FROM n WHERE k < 1299)
            INSERT INTO photos (photo_key, photo_id, visibility) SELECT k, 'late' || k, 0 FROM n;
            INSERT INTO favourites (user_key, photo_key) SELECT 1, photo_key FROM photos WHERE photo_key >= 1000;
            INSERT INTO users (user_key, user_id, listed) SELECT photo_key, photo_id, 1 FROM photos
                WHERE photo_key >= 1000;
            INSERT INTO follows (user_key, followed_key) SELECT 1, photo_key FROM photos WHERE photo_key >= 1000;
            """)
        let routes = try routes(kind)
        func isShown() throws -> [Bool] {
            let photos = try photos(routes).contains { $0.photoId == "liked" }
            return [photos, try contacts(routes).contains { $0.userId == "x1" }]
        }
        #expect(try isShown() == [true, true])
        try record("favourite", "photoId", "liked", routes)
        try record("follow", "userId", "x1", routes)
        #expect(try isShown() == [false, false])
        try record("unfavourite", "photoId", "liked", routes)
        try record("unfollow", "userId", "x1", routes)
        #expect(try isShown() == [true, true])
    }

    @Test("Hidden birds are no reason, and no photo is only in a hidden group")
    func hiddenGroup() throws {
        for kind in Kind.allCases {
            let routes = try routes(kind)
            #expect(try routes.answer(.direct, "/v1/admin/groups/birds/hidden", method: "PUT").status == 200)
            let answer = try routes.answer(.direct, "/v1/users/ann/photos").text
            #expect(answer.contains("liked") && !answer.contains("bird"))
            _ = try routes.answer(.direct, "/v1/admin/groups/birds/hidden", method: "DELETE")
        }
    }

    @Test("Private things are in no answer to anybody", arguments: Kind.allCases)
    func privacy(kind: Kind) throws {
        let routes = try routes(kind)
        for user in ["ann", "bob", "x1", "x2", "x3", "shy", "silent", "apart", "nobody"] {
            for what in ["photos", "contacts"] {
                let answer = try routes.answer(.direct, "/v1/users/\(user)/\(what)")
                #expect(answer.status == 200)
                let shown = answer.text.replacing("\"userId\":\"\(user)\"", with: "")
                for word in ["secret", "private-photo", "\"shy\"", "silent", "apart", "nowhere"] {
                    #expect(!shown.contains(word), "\(user) \(what): \(shown)")
                }
            }
        }
    }

    @Test("Without a catalog a daemon says what it cannot know, and bounds are checked")
    func refusals() throws {
        let bare = try routes(.journalWithCatalog, readsCatalog: false)
        for (what, words) in [("photos", "photos"), ("contacts", "who is in the same groups as whom")] {
            let answer = try bare.answer(.direct, "/v1/users/ann/\(what)")
            #expect(answer.status == 501 && answer.text.contains(words), "\(answer.text)")
            for limit in ["0", "201", "x"] {
                #expect(try bare.answer(.direct, "/v1/users/ann/\(what)?limit=\(limit)").status == 400)
            }
        }
    }
}
