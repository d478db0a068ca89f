import Basics
import Model
import ModelStore
import Recommendation
import Synchronization
import Testing

@testable import Service

@Suite("Following the current version")
struct VersionFollowerTests {
    private func follower(_ store: FakeStore, _ lines: Lines = Lines(), changes: ChangeClock = ChangeClock())
        -> VersionFollower
    {
        VersionFollower(store: store, planning: .init(), changes: changes, log: lines.log, now: { 5000 })
    }

    private func serving(_ follower: VersionFollower) -> String? { follower.current.snapshot?.version.description }

    @Test("A version that becomes current is served, also an older one")
    func follow() throws {
        let store = FakeStore(try Community.version("v1"))
        let follower = follower(store)
        #expect(serving(follower) == nil)
        follower.poll()
        #expect(serving(follower) == "v1")
        store.add(try Community.version("v2"))
        follower.poll()
        #expect(serving(follower) == "v1")
        for name in ["v2", "v1"] {
            try store.makeCurrent(VersionName(name))
            follower.poll()
            #expect(serving(follower) == name)
            #expect(follower.current.problem == nil)
        }
    }

    @Test("The state of the site is followed; taken changes alone change no answers")
    func site() throws {
        let store = FakeStore(try Community.version("v1"))
        let changes = ChangeClock()
        let follower = follower(store, changes: changes)
        follower.poll()
        #expect(follower.current.site == nil)
        var site = PublishedSite(hidden: [HiddenGroup(id: "alps", hiddenAtMilliseconds: 7)])
        try store.setSite(site)
        let before = changes.stamp(ofMember: nil)
        follower.poll()
        #expect(follower.current.site == site && changes.stamp(ofMember: nil) != before)
        let (revision, stamp) = (follower.current.siteRevision, changes.stamp(ofMember: nil))
        site.taken = AppliedChanges(["a": 1])
        try store.setSite(site)
        follower.poll()
        #expect(follower.current.site == site)
        #expect(follower.current.siteRevision == revision && changes.stamp(ofMember: nil) == stamp)
        (site.hidden, site.unknown) = ([], ["muted": .list([])])
        try store.setSite(site)
        for _ in 0..<2 { follower.poll() }
        #expect(follower.current.site == site && follower.current.siteRevision > revision)
        #expect(follower.current.problem?.contains("need a newer program (muted): upgrade this one") == true)
        site.unknown = [:]
        try store.setSite(site)
        follower.poll()
        #expect(follower.current.problem == nil)
    }

    @Test("A version is loaded once")
    func loadOnce() throws {
        let store = FakeStore(try Community.version("v1"))
        let follower = follower(store)
        for _ in 0..<5 { follower.poll() }
        #expect(store.state.withLock { $0.loadCount } == 1)
    }

    @Test("Without the store the last version keeps serving, and each change is logged once")
    func storeAway() throws {
        let store = FakeStore(try Community.version("v1"))
        let lines = Lines()
        let follower = follower(store, lines)
        follower.poll()
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is away") }
        for _ in 0..<3 { follower.poll() }
        #expect(serving(follower) == "v1")
        #expect(follower.current.problem == "memory is away")
        #expect(!follower.current.storeIsReachable)
        #expect(follower.current.storeUnreachableSinceMilliseconds == 5000)
        #expect(follower.pollFailureCount == 3)
        store.state.withLock { $0.failure = nil }
        for _ in 0..<3 { follower.poll() }
        #expect(follower.current.problem == nil)
        #expect(follower.current.storeIsReachable)
        #expect(follower.current.storeUnreachableSinceMilliseconds == nil)
        #expect(
            lines.all == [
                "serving version v1: 5 groups, from memory",
                "memory is away; the daemon goes on serving version v1",
                "the store answers again; the daemon goes on serving version v1",
            ])
    }

    @Test("A version published while the store was away is served when it is back")
    func recovery() throws {
        let store = FakeStore()
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is away") }
        let follower = follower(store)
        follower.poll()
        #expect(follower.current.problem == "memory is away")
        store.add(try Community.version("v1"))
        try store.makeCurrent(VersionName("v1"))
        store.state.withLock { $0.failure = nil }
        follower.poll()
        #expect(serving(follower) == "v1")
    }

    @Test("Started while the store is away, it serves the version loaded last and says so, until the store is back")
    func startWithoutStore() throws {
        let store = FakeStore(try Community.version("v1"), try Community.version("v2"))
        let image = try Community.version("v1")
        store.state.withLock {
            $0.failure = Failure(.unavailable, "memory is away")
            $0.lastLoaded = image
        }
        let lines = Lines()
        let follower = follower(store, lines)
        for _ in 0..<3 { follower.poll() }
        #expect(serving(follower) == "v1")
        #expect(follower.current.problem == "memory is away")
        #expect(!follower.current.storeIsReachable)
        store.state.withLock { $0.failure = nil }
        follower.poll()
        #expect(serving(follower) == "v2")
        #expect(follower.current.problem == nil)
        #expect(
            lines.all == [
                "serving version v1: 5 groups, from the image kept of it",
                "memory is away; the daemon goes on serving version v1",
                "serving version v2: 5 groups, from memory",
            ])
    }

    @Test("Started on a store that lost its versions or has one damaged, it serves the version loaded last")
    func startWithLostStore() throws {
        let image = try Community.version("v1")
        let empty = FakeStore()
        let damaged = FakeStore(try Community.version("v2"))
        damaged.state.withLock { $0.loadFailure = Failure(.corrupt, "v2 is damaged") }
        for store in [empty, damaged] {
            store.state.withLock { $0.lastLoaded = image }
            let follower = follower(store)
            follower.poll()
            #expect(serving(follower) == "v1")
            #expect(follower.current.problem != nil)
            #expect(follower.current.storeIsReachable)
        }
    }

    @Test("The cached version is asked for once, and never replaces the version that serves")
    func lastLoadedOnce() throws {
        let store = FakeStore(try Community.version("v2"))
        let image = try Community.version("v1")
        let follower = follower(store)
        follower.poll()
        store.state.withLock {
            $0.failure = Failure(.unavailable, "memory is away")
            $0.lastLoaded = image
        }
        for _ in 0..<5 { follower.poll() }
        #expect(serving(follower) == "v2")
        store.state.withLock { $0.lastLoaded = nil }
        let second = self.follower(store)
        for _ in 0..<5 { second.poll() }
        #expect(serving(second) == nil)
        // Once by each of the two.
        #expect(store.state.withLock { $0.lastLoadedCount } == 2)
    }

    @Test("The cached version serves until the store answers for the first time")
    func lastLoadedFirst() throws {
        let store = FakeStore(try Community.version("v2"))
        let image = try Community.version("v1")
        let follower = follower(store)
        let served = Mutex<String?>(nil)
        store.state.withLock { state in
            state.lastLoaded = image
            state.whenAsked = { served.withLock { $0 = follower.current.snapshot?.version.description } }
        }
        follower.poll()
        #expect(served.withLock { $0 } == "v1")
        #expect(serving(follower) == "v2" && follower.current.problem == nil)
    }

    @Test("A daemon keeps its version if the store loses its current one")
    func lost() throws {
        let store = FakeStore(try Community.version("v1"))
        let follower = follower(store)
        follower.poll()
        store.state.withLock { $0.current = nil }
        follower.poll()
        #expect(serving(follower) == "v1")
        #expect(follower.current.problem == "the store memory has no current version yet")
    }

    @Test("A corrupt version is not served, is retried less and less often, and is served once repaired")
    func corrupt() throws {
        let store = FakeStore(try Community.version("v1"))
        let lines = Lines()
        let follower = follower(store, lines)
        follower.poll()
        store.add(try Community.version("v2"))
        try store.makeCurrent(VersionName("v2"))
        store.state.withLock {
            $0.loadFailure = Failure(.corrupt, "its checksum differs")
            $0.loadCount = 0
        }
        for _ in 0..<500 { follower.poll() }
        // After pauses of 2, 4, 8, 16, 32 polls, and then 64 every time.
        #expect(store.state.withLock { $0.loadCount } == 12)
        #expect(serving(follower) == "v1")
        #expect(follower.current.problem == "version v2 cannot be loaded: its checksum differs")
        #expect(lines.all.count == 2)
        store.state.withLock { $0.loadFailure = nil }
        for _ in 0...VersionFollower.longestPause { follower.poll() }
        #expect(serving(follower) == "v2")
        #expect(follower.current.problem == nil)
    }

    @Test("The failure is reported also between two attempts")
    func failureAfterFailure() throws {
        let store = FakeStore(try Community.version("v1"))
        store.state.withLock { $0.loadFailure = Failure(.corrupt, "its checksum differs") }
        let follower = follower(store)
        for _ in 0..<20 { follower.poll() }
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is away") }
        follower.poll()
        #expect(follower.current.problem == "memory is away")
        store.state.withLock { $0.failure = nil }
        follower.poll()
        #expect(follower.current.problem == "version v1 cannot be loaded: its checksum differs")
        #expect(follower.current.storeIsReachable)
    }

    @Test("A failing version does not delay another one")
    func replaced() throws {
        let store = FakeStore(try Community.version("v1"))
        store.state.withLock { $0.loadFailure = Failure(.corrupt, "its checksum differs") }
        let follower = follower(store)
        for _ in 0..<10 { follower.poll() }
        store.add(try Community.version("v2"))
        try store.makeCurrent(VersionName("v2"))
        store.state.withLock { $0.loadFailure = nil }
        follower.poll()
        #expect(serving(follower) == "v2")
    }
}
