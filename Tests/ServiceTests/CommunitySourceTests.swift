import Basics
import CatalogStore
import Changes
import Dispatch
import Glibc
import Model
import ModelStore
import Recommendation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Sources of members and photos")
struct CommunitySourceTests {
    private func snapshot() throws -> ModelSnapshot { ModelSnapshot(try Community.version("v1"), planning: .init()) }

    /// Runs `body` with a catalog of a few members and photos.
    private func withCatalog(_ body: (_ path: String) throws -> Void) throws {
        let path = "/tmp/catalog-\(getpid())-\(UInt64.random(in: 0 ... .max)).db"
        defer { for end in ["", "-wal", "-shm", "-log", "-log-wal", "-log-shm"] { unsafe unlink(path + end) } }
        _ = try Catalog(path: path, mode: .writing)
        try Database(path: path, mode: .readWrite).execute(
            """
            INSERT INTO groups (group_key, group_id, visibility) VALUES
                (1, 'élan', 0), (2, 'secret', 1), (3, 'birds', 0), (4, 'unlisted', 0);
            INSERT INTO users (user_key, user_id) VALUES (1, 'ann'), (2, 'bob'), (3, 'cy');
            INSERT INTO memberships (group_key, user_key) VALUES (1, 1), (2, 1), (3, 1), (4, 1), (2, 2);
            INSERT INTO photos (photo_key, photo_id, user_key, visibility) VALUES
                (1, 'public', 1, 0), (2, 'private', 1, 1), (3, 'other', 1, 0), (4, 'ownerless', NULL, 0);
            INSERT INTO pools (group_key, photo_key) VALUES (1, 1), (2, 1), (3, 3), (1, 3), (2, 3), (3, 2), (3, 4);
            UPDATE photos SET tags = 'Alps;snow', latitude = 46.5, longitude = 8 WHERE photo_key = 1;
            """)
        try body(path)
    }

    @Test("A catalog gives members' groups, without groups that the version does not have")
    func memberships() throws {
        try withCatalog { path in
            let source = try JournalSource(catalog: path)
            let snapshot = try snapshot()
            #expect(try source.joined("ann", snapshot) == [1, 4])
            #expect(try source.joined("bob", snapshot) == [])
            #expect(try source.joined("cy", snapshot) == [])
            #expect(try source.joined("dee", snapshot) == nil)
        }
    }

    @Test("A catalog gives public photos; a private photo is like a missing one")
    func photos() throws {
        try withCatalog { path in
            let source = try JournalSource(catalog: path)
            let snapshot = try snapshot()
            #expect(source.knows(.photos, in: nil))
            let known = try source.context(ofPhoto: "public", in: VisibleModel(snapshot.model))
            #expect(
                known
                    == PhotoContext(
                        groups: [4], companions: [1: .init(photos: 1, share: 1), 4: .init(photos: 1, share: 1)],
                        ownerGroups: [1: 1, 4: 1], ownerMemberships: [1, 4], tags: ["Alps", "snow"],
                        place: PlaceCell(latitude: 46.5, longitude: 8)))
            #expect(
                try source.context(ofPhoto: "ownerless", in: VisibleModel(snapshot.model))
                    == PhotoContext(
                        groups: [1], companions: [1: .init(photos: 1, share: 1), 4: .init(photos: 1, share: 1)]))
            #expect(try source.context(ofPhoto: "private", in: VisibleModel(snapshot.model)) == nil)
            #expect(try source.context(ofPhoto: "none", in: VisibleModel(snapshot.model)) == nil)
        }
    }

    @Test("A catalog is read from many threads at a time")
    func concurrency() throws {
        try withCatalog { path in
            let source = try JournalSource(catalog: path)
            let snapshot = try snapshot()
            let wrong = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 400) { _ in
                if (try? source.joined("ann", snapshot)) != [1, 4] {
                    wrong.add(1, ordering: .relaxed)
                }
            }
            #expect(wrong.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A daemon does not start with a missing catalog")
    func missing() {
        let error = #expect(throws: Failure.self) { _ = try JournalSource(catalog: "/nowhere/catalog.db") }
        #expect(error?.code == .general)
        #expect(error?.message.contains("/nowhere/catalog.db") == true)
    }

    @Test("A journal whose log was replaced under the daemon is a problem, before any member asks")
    func unreadableJournal() throws {
        let members = try MemberCatalog()
        let source = try JournalSource(catalog: members.path)
        source.probeWriting()
        #expect(source.problem == nil)
        _ = try source.apply(SiteChange(ofGroup: "alps", .hide, atMilliseconds: 1))
        let log = Catalog.journalPath(beside: members.path) + "-wal"
        #expect(unsafe truncate(log, 0) == 0)
        source.probeWriting()
        #expect(source.problem?.contains("cannot be read") == true)
    }

    /// What was published in a store, and a journal without changes.
    private func shared(_ store: FakeStore, in folder: TemporaryDirectory) throws -> JournalSource {
        let journal = try DaemonJournal(path: folder.path + "/journal", changes: ChangeClock(), now: { 1 })
        return JournalSource(store, journal: journal, catalog: nil, served: { .init() })
    }

    @Test("A failure is logged once, and so is its end")
    func logging() throws {
        let (store, folder) = (FakeStore(try Community.version("v1")), try TemporaryDirectory())
        store.state.withLock { $0.profiles = ["ann": [0]] }
        let routes = Routes(store: store, community: try shared(store, in: folder))
        let router = routes.router()
        for isAway in [false, true, false] {
            store.state.withLock { $0.failure = isAway ? Failure(.unavailable, "memory is away") : nil }
            for _ in 0..<3 {
                #expect(try router.answer("/v1/users/ann/recommendations").status == (isAway ? 503 : 200))
            }
        }
        #expect(
            routes.lines.all.filter { $0.hasPrefix("memberships") } == [
                "memberships cannot be read: memory is away", "memberships and photos can be read again",
            ])
    }

    @Test("Published members are known, photos are not, and a failure says what failed")
    func published() throws {
        let (store, folder) = (FakeStore(), try TemporaryDirectory())
        store.state.withLock { $0.profiles = ["ann": [0, 2]] }
        let source = try shared(store, in: folder)
        let snapshot = try snapshot()
        #expect(try source.joined("ann", snapshot) == [0, 2])
        #expect(try source.joined("bob", snapshot) == nil)
        #expect(!source.knows(.photos, in: nil))
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is away") }
        let error = #expect(throws: Failure.self) { _ = try source.joined("ann", snapshot) }
        #expect(error?.code == .corrupt)
    }

    @Test("Without a version, changes are refused with a reason")
    func noVersion() throws {
        let folder = try TemporaryDirectory()
        let source = try shared(FakeStore(), in: folder)
        let error = #expect(throws: Failure.self) {
            _ = try source.apply(SiteChange(ofGroup: "alps", .hide, atMilliseconds: 1))
        }
        #expect(error?.code == .unavailable)
        #expect(try source.siteState() == SiteState())
    }
}

extension CommunitySource {
    /// The groups that a user has joined; nil if there is no such user.
    fileprivate func joined(_ user: String, _ snapshot: ModelSnapshot) throws(Failure) -> [UInt32]? {
        try profile(ofUser: user, in: VisibleSnapshot(snapshot), atMilliseconds: 0)?.joined.map(\.group)
    }
}
