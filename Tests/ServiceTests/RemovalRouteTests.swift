import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Recommendation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Removals over HTTP")
struct RemovalRouteTests {
    private struct Answer: Decodable {
        var pending: Bool
    }

    private static let list = "/v1/users/ann/recommendations"

    private func delete(_ target: String, _ routes: Routes) throws -> SocketClient.Response {
        try routes.answer(.direct, target, method: "DELETE")
    }

    private func removed(_ target: String, _ routes: Routes) throws -> Answer {
        let answer = try delete(target, routes)
        #expect(answer.status == 200, "\(target): \(answer.text)")
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    }

    @Test("A member is gone from catalog, interactions, sessions and caches at once")
    func member() throws {
        let members = try MemberCatalog()
        var routes = try members.routes()
        let folder = try TemporaryDirectory()
        let sessions = try SessionFile(path: folder.path + "/sessions")
        routes.sessions = sessions
        routes.cacheBytes = 1 << 20
        let router = routes.router()
        let click = Array(#"{"interactions":[{"id":"1","kind":"click","groupId":"birds"}]}"#.utf8)
        let interactions = "/v1/users/ann/interactions"
        func record() throws -> Int {
            try router.answer(
                interactions, method: "POST", headers: ["Content-Type: application/json"], body: click
            ).status
        }
        #expect(try record() == 200)
        for _ in 0..<2 { #expect(try router.answer(Self.list).status == 200) }
        #expect(try sessions.plan(ofUser: "ann", session: nil, at: routes.now) != nil)
        let answer = try router.answer("/v1/users/ann", method: "DELETE")
        let removal = try JSONDecoder().decode(Answer.self, from: Data(answer.body))
        #expect(removal.pending)
        #expect(try router.answer(Self.list).status == 404)
        #expect(try record() == 404)
        for target in [interactions, "/v1/users/ann/interests"] {
            #expect(try router.answer(target).status == 404)
            #expect(try router.answer(target.replacing("ann", with: "eve")).status == 200)
        }
        #expect(try sessions.plan(ofUser: "ann", session: nil, at: routes.now) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: members.path + "-log-wal")).isEmpty)
        // Again, or of somebody whom nobody knows: the wish is noted all the same.
        for user in ["ann", "nobody"] { #expect(try removed("/v1/users/\(user)", routes).pending) }
        try Catalog.applyLog(of: members.path)
        let catalog = try Facts(path: members.path)
        #expect(try catalog.traces(ofMember: "ann").rows.isEmpty && catalog.isForgotten(user: "ann"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: members.path + "-wal")).isEmpty)
        #expect(try catalog.isForgotten(user: "nobody"))
        #expect(try router.answer(Self.list).status == 404)
    }

    @Test("What readers keep in the log is erased when they have gone")
    func readers() throws {
        let members = try MemberCatalog()
        let source = try members.source()
        let click = InteractionRecord(id: "1", .click, groupID: "alps", atMilliseconds: 1)
        #expect(try source.apply(MemberChange(ofUser: "ann", .record([click]))) == .recorded(new: 1, repeated: 0))
        let path = Catalog.journalPath(beside: members.path)
        let log = URL(fileURLWithPath: path + "-wal")
        let reader = try Database(path: path, mode: .readOnly)
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT count(*) FROM changes") == 1)
        #expect(try source.apply(RemovalChange(.member("ann", withPhotos: false), atMilliseconds: 1)) == .pending)
        source.noteOutsideChanges()
        #expect(try !Data(contentsOf: log).isEmpty)
        try reader.execute("ROLLBACK")
        source.noteOutsideChanges()
        #expect(try Data(contentsOf: log).isEmpty)
    }

    @Test("Groups, photos and entries are removed once; what is not there is 404")
    func others() throws {
        let members = try MemberCatalog()
        let catalog = try Catalog(path: members.path, mode: .writing)
        let file = members.path + ".csv"
        try "group_id,photo_id\nbirds,p\nbirds,q\n".write(toFile: file, atomically: false, encoding: .utf8)
        let options = ImportOptions(rejectsPath: file + "-rejects")
        _ = try Importer(into: catalog, kind: .pools, options: options).run([file])
        let routes = try members.routes()
        for target in [
            "/v1/groups/birds/pools/p", "/v1/photos/q", "/v1/groups/alps/memberships/ann", "/v1/groups/alps",
        ] {
            #expect(try removed(target, routes).pending, "\(target)")
            #expect(try delete(target, routes).status == 404, "\(target)")
        }
        #expect(try routes.answer(.direct, "/v1/groups/alps/similar").status == 404)
        for table in ["pools", "memberships"] { #expect(try members.count("SELECT count(*) FROM \(table)") == 0) }
        // The version still has the group; and shows it when an import brings it back.
        #expect(try routes.answer(.direct, "/v1/groups/alps/similar").status == 404)
        try "group_id\nalps\n".write(toFile: file, atomically: false, encoding: .utf8)
        _ = try Importer(into: catalog, kind: .groups, options: options).run([file])
        #expect(try routes.answer(.direct, "/v1/groups/alps/similar").status == 200)
        #expect(try delete("/v1/groups/birds/favourites/p", routes).status == 404)
        #expect(try delete("/v1/users/ann?photos=burn", routes).status == 400)
    }

    @Test("Only admins remove, and a daemon without a catalog says so")
    func access() throws {
        let bearers = try Bearers()
        var routes = try MemberCatalog().routes()
        routes.access = bearers.policy()
        for target in ["/v1/users/ann", "/v1/groups/alps", "/v1/photos/p", "/v1/groups/alps/memberships/ann"] {
            for field in [
                try bearers.field("ann"), try bearers.field("site", .service, scopes: [.lists]),
            ] {
                #expect(try routes.answer(.direct, target, method: "DELETE", headers: [field]).status == 403)
            }
            var bare = routes
            bare.community = nil
            let admin = try bearers.field("root", .admin)
            #expect(try bare.answer(.direct, target, method: "DELETE", headers: [admin]).status == 501)
        }
    }

    // MARK: Daemons with a journal

    /// A version that has changes up to numbers of journals.
    private func snapshot(_ taken: AppliedChanges = .none) throws -> ModelSnapshot {
        let version = try Community.version("v1")
        var manifest = version.manifest
        manifest.changesTaken = taken
        return ModelSnapshot(LoadedVersion(manifest: manifest, model: version.model), planning: .init())
    }

    /// What serves; a test may exchange it.
    private final class Served: Sendable {
        let state: Mutex<VersionFollower.State>
        init(_ snapshot: ModelSnapshot) { state = Mutex(VersionFollower.State(snapshot: snapshot)) }
    }

    @Test("A journal records the wish and shows its effect at once, until a version has it")
    func journal() throws {
        let (folder, store) = (try TemporaryDirectory(), FakeStore(try Community.version("v1")))
        store.state.withLock { $0.profiles = ["ann": [0], "bob": [0, 3]] }
        let journal = try DaemonJournal(path: folder.path + "/journal", changes: ChangeClock(), now: { 9_000 })
        let served = Served(try snapshot())
        let source = JournalSource(
            store, journal: journal, catalog: nil, served: { served.state.withLock { $0 } })
        func apply(_ subject: RemovalChange.Subject) throws -> RemovalChange.Outcome {
            try source.apply(RemovalChange(subject, atMilliseconds: 9_000))
        }
        func joined(_ user: String) throws -> [UInt32]? {
            let snapshot = try #require(served.state.withLock { $0.snapshot })
            let visible = VisibleSnapshot(snapshot, try source.siteDecisions(in: snapshot))
            return try source.profile(ofUser: user, in: visible, atMilliseconds: 10_000)?.joined.map(\.group)
        }
        func record(_ id: String, _ kind: Interaction.Kind, of user: String, at milliseconds: Int64) throws
            -> MemberChange.Outcome
        {
            let record = InteractionRecord(id: id, kind, groupID: "alps", atMilliseconds: milliseconds)
            return try source.apply(MemberChange(ofUser: user, .record([record])))
        }
        // A membership, and then another join.
        #expect(try apply(.user("bob", ofGroup: "alps", table: "memberships")) == .pending)
        #expect(try joined("bob") == [3])
        #expect(try record("1", .join, of: "bob", at: 9_500) == .recorded(new: 1, repeated: 0))
        #expect(try joined("bob")?.sorted() == [0, 3])
        // A group.
        #expect(try apply(.group("dogs & wolves")) == .pending)
        #expect(try apply(.group("dogs & wolves")) == .unknown && apply(.group("none")) == .unknown)
        #expect(try joined("bob") == [0])
        #expect(try source.apply(SiteChange(ofGroup: "dogs & wolves", .unhide, atMilliseconds: 1)) == .unknownGroup)
        // Not among the groups that are hidden: nobody can show it again.
        #expect(try source.siteState().hiddenGroups.isEmpty)
        // A member.
        #expect(try !source.isForgotten(user: "ann") && joined("ann") == [0])
        #expect(try apply(.member("ann", withPhotos: false)) == .pending)
        #expect(try source.isForgotten(user: "ann") && joined("ann") == nil)
        #expect(try record("2", .click, of: "ann", at: 9_500) == .unknownMember)
        #expect(try source.interests(ofUser: "ann") == [])
        // A version that has it all knows what the catalog has: here, that the member was readmitted.
        let own = try #require(
            try ChangeJournal(path: folder.path + "/journal", mode: .reading).kept().keys.first)
        served.state.withLock { $0 = VersionFollower.State(snapshot: try? snapshot(AppliedChanges([own: 9]))) }
        #expect(try !source.isForgotten(user: "ann") && joined("ann") == [0])
    }
}
