import Basics
import CatalogStore
import Changes
import Dispatch
import Model
import ModelStore
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Hidden and curated groups in daemons")
struct SiteDecisionTests {
    @Test("Decisions are read once per version and state, and again after a failure")
    func keeping() throws {
        let kept = DecisionCache<Int>()
        var lookups: [Int] = []
        func ask(_ version: String, _ state: Int, fails: Bool = false) throws -> Set<UInt32> {
            try kept.decisions(in: VersionName(version), at: state) {
                lookups.append(state)
                if fails { throw Failure(.databaseFailed, "the disk is full") }
                return SiteDecisions(hidden: [UInt32(lookups.count)], curated: nil)
            }.hidden
        }
        #expect(try ask("v1", 1) == [1] && ask("v1", 1) == [1])
        #expect(try ask("v2", 1) == [2] && ask("v2", 1) == [2])
        #expect(try ask("v2", 2) == [3] && ask("v2", 2) == [3])
        #expect(throws: Failure.self) { try ask("v2", 3, fails: true) }
        #expect(try ask("v2", 3) == [5] && ask("v2", 3) == [5])
        #expect(lookups == [1, 1, 2, 3, 3])
    }

    /// A daemon with a journal, other daemons' changes, and a catalog that it reads for photos.
    private final class Scene {
        /// What was decided first, of no effect: it shows under which name the daemon records.
        static let first = SiteChange(ofGroup: Community.groups[0].id, .uncurate, atMilliseconds: 1)

        let members: MemberCatalog
        let folder: TemporaryDirectory
        let journal: DaemonJournal
        let shared: JournalSource
        let catalog: JournalSource
        let stream: ChangeJournal
        let origin: String
        let snapshots: [ModelSnapshot]
        var generator: SeededGenerator
        /// What was decided here and elsewhere, and is not in the state of the store.
        var decisions: [JournaledChange] = []
        /// What the state of the store has, in the order in which it was applied.
        var published: [JournaledChange] = []
        let served: Served
        var hiddenInCatalog: Set<String> = []

        init(seed: UInt64 = 0) throws {
            folder = try TemporaryDirectory()
            let path = folder.path + "/journal"
            let journal = try DaemonJournal(path: path, changes: ChangeClock(), now: { 1 }, patience: .seconds(60))
            _ = try journal.apply(.site(Self.first))
            let stream = try ChangeJournal(path: path, mode: .recording)
            let origin = try #require(try stream.kept().keys.first)
            let version = try Community.version("v1")
            let versions: [(name: String, taken: [String: Int64])] = [
                ("v1", [:]), ("v2", [origin: 3]), ("v3", [origin: 5, "other": 3]),
            ]
            let snapshots = try versions.map { name, taken in
                var manifest = version.manifest
                manifest.version = try VersionName(name)
                manifest.changesTaken = AppliedChanges(taken)
                return ModelSnapshot(LoadedVersion(manifest: manifest, model: version.model), planning: .init())
            }
            self.snapshots = snapshots
            members = try MemberCatalog()
            catalog = try members.source()
            (self.journal, self.stream, self.origin) = (journal, stream, origin)
            // The version matters only for which groups exist.
            let served = Served(snapshots[0])
            self.served = served
            shared = JournalSource(
                FakeStore(), journal: journal, catalog: try CatalogReader(path: members.path),
                served: { served.state.withLock { $0 } })
            generator = SeededGenerator(seed: seed)
            decisions = try stream.changes(of: origin, after: 0, limit: 9)
        }

        /// The site decides something: through this daemon, another one, or the catalog.
        func decide() throws {
            let group = Community.groups[Int.random(in: 0..<3, using: &generator)].id
            let actions: [SiteChange.Action] = [
                .hide, .unhide, .uncurate,
                .curate(position: nil, startsAt: nil, expiresAt: Int64.random(in: 1...3, using: &generator)),
            ]
            let change = SiteChange(
                ofGroup: group, actions[Int.random(in: 0..<4, using: &generator)], atMilliseconds: 1)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                guard try shared.apply(change) == .changed else { return }
                decisions += try stream.changes(of: origin, after: 0, limit: .max).suffix(1)
            case 1: try arrive(change)
            default:
                guard try catalog.apply(change) == .changed else { return }
                try Catalog.applyLog(of: members.path)
                if change.action == .hide { hiddenInCatalog.insert(group) }
                if change.action == .unhide { hiddenInCatalog.remove(group) }
            }
        }

        /// A decision of another daemon's comes from the stream.
        func arrive(_ change: SiteChange) throws {
            let sequence = (try stream.kept()["other"] ?? .none).last + 1
            // It may have been made before or after what is known here.
            let latest = try stream.decisions().last?.stampMilliseconds ?? 0
            let entry = JournaledChange(
                origin: "other", sequence: sequence,
                stampMilliseconds: latest + Int64.random(in: -5...5, using: &generator), change: .site(change))
            decisions.append(entry)
            _ = try stream.follow([entry], beyond: .none, at: 1)
            try journal.renewDecisions(from: stream)
        }

        /// The hidden groups, and the curated ones in their order.
        private var state: (hidden: Set<String>, curated: [(group: String, expiresAt: Int64?)]) {
            var hidden: Set<String> = []
            var curated: [(group: String, expiresAt: Int64?)] = []
            for decision in published + decisions.sorted(by: { $0.stamp < $1.stamp }) {
                guard case .site(let change) = decision.change else { continue }
                switch change.action {
                case .hide: hidden.insert(change.groupID)
                case .unhide: hidden.remove(change.groupID)
                case .uncurate: curated.removeAll { $0.group == change.groupID }
                case .curate(_, _, let expiresAt):
                    curated.removeAll { $0.group == change.groupID }
                    curated.append((change.groupID, expiresAt))
                }
            }
            return (hidden, curated)
        }

        /// Somebody publishes the state of the site with all that was decided so far.
        func publish() throws {
            let (hidden, curated) = state
            published += decisions.sorted { $0.stamp < $1.stamp }
            decisions = []
            // Decisions without effect are recorded, too.
            let taken = try stream.kept().mapValues(\.last)
            let published = PublishedSite(
                taken: AppliedChanges(taken), hidden: hidden.map { HiddenGroup(id: $0, hiddenAtMilliseconds: 1) },
                curations: curated.map { group, expiresAt in
                    Curation(groupID: group, isShown: true, position: 1, startsAt: nil, expiresAt: expiresAt)
                })
            served.state.withLock { state in
                state.site = published
                state.siteRevision += 1
            }
        }

        /// The expected decisions, in terms of any version.
        func expected(in snapshot: ModelSnapshot) -> SiteDecisions {
            let (hidden, curated) = state
            func index(_ id: String) -> UInt32 { UInt32(snapshot.model.index(ofID: id) ?? -1) }
            return SiteDecisions(
                hidden: Set(hidden.union(hiddenInCatalog).map(index)),
                curated: curated.enumerated().filter { !hidden.contains($1.group) }.map { offset, curation in
                    CuratedGroup(
                        group: index(curation.group), position: UInt32(offset + 1), startsAt: nil,
                        expiresAt: curation.expiresAt)
                })
        }
    }

    /// What a daemon sees of its store.
    private final class Served: Sendable {
        let state: Mutex<VersionFollower.State>

        init(_ snapshot: ModelSnapshot) { state = Mutex(VersionFollower.State(snapshot: snapshot)) }
    }

    @Test("Decisions are never older than the last one, whoever made it and whichever version serves", arguments: 0..<4)
    func neverStale(seed: UInt64) throws {
        let scene = try Scene(seed: seed)
        for _ in 0..<60 {
            try scene.decide()
            if Int.random(in: 0..<6, using: &scene.generator) == 0 { try scene.publish() }
            // The version may have changed since the last request, or not.
            for _ in 0..<Int.random(in: 1...3, using: &scene.generator) {
                let snapshot = try #require(scene.snapshots.randomElement(using: &scene.generator))
                #expect(try scene.shared.siteDecisions(in: snapshot) == scene.expected(in: snapshot))
                #expect(
                    try scene.catalog.siteDecisions(in: snapshot).hidden
                        == Set(groups: scene.hiddenInCatalog, in: snapshot.model))
            }
        }
    }

    @Test("A group that the site hides is hidden in every version, until it is unhidden")
    func hiddenInSite() throws {
        let folder = try TemporaryDirectory()
        let version = try Community.version("v1")
        let snapshot = ModelSnapshot(version, planning: .init())
        let state = Mutex(VersionFollower.State(snapshot: snapshot))
        let journal = try DaemonJournal(
            path: folder.path + "/journal", changes: ChangeClock(), now: { 1 }, patience: .seconds(60))
        let shared = JournalSource(
            FakeStore(), journal: journal, catalog: nil,
            served: { state.withLock { $0 } })
        #expect(try shared.siteDecisions(in: snapshot).hidden.isEmpty)
        state.withLock { state in
            state.site = PublishedSite(
                hidden: [.init(id: "alps", hiddenAtMilliseconds: 7)], newGroupIDs: ["new", "newer"])
            state.siteRevision += 1
        }
        #expect(try shared.siteDecisions(in: snapshot).hidden == Set(groups: ["alps"], in: snapshot.model))
        #expect(try shared.siteState().hiddenGroups.map(\.id) == ["alps"])
        #expect(try shared.apply(SiteChange(ofGroup: "alps", .unhide, atMilliseconds: 8)) == .changed)
        #expect(try shared.siteDecisions(in: snapshot).hidden.isEmpty)
        // Groups that the version lacks can be joined and decided about if the site has them.
        func join(_ id: String) throws -> MemberChange.Outcome {
            let join = InteractionRecord(id: id, .join, subjectID: id, atMilliseconds: 9)
            return try shared.apply(MemberChange(ofUser: "bob", .record([join])))
        }
        #expect(try join("unknown") == .unknownSubject(at: 0))
        for id in ["new", "newer"] { #expect(try join(id) == .recorded(new: 1, repeated: 0)) }
        #expect(try shared.apply(SiteChange(ofGroup: "newer", .hide, atMilliseconds: 10)) == .changed)
        #expect(try join("newer") == .unknownSubject(at: 0))
    }

    @Test("With a journal and a catalog, interactions with a group hidden in the catalog are refused")
    func hiddenBeside() throws {
        let scene = try Scene()
        let routes = Routes(
            store: FakeStore(try Community.version("v1")), community: scene.shared)
        func click(_ id: String) throws -> Int {
            try routes.answer(
                .direct, "/v1/users/bob/interactions", method: "POST",
                json: #"{"interactions":[{"id":"\#(id)","kind":"click","groupId":"alps"}]}"#
            ).status
        }
        #expect(try click("1") == 200)
        #expect(
            try scene.catalog.apply(SiteChange(ofGroup: "alps", .hide, atMilliseconds: 1)) == .changed)
        try Catalog.applyLog(of: scene.members.path)
        #expect(try click("2") == 404)
        let kept = try scene.shared.interactions(ofUser: "bob", after: nil, latestFirst: false, limit: 9)
        #expect(kept?.map(\.id) == ["1"])
    }

    @Test("With a journal and a catalog, a group that turned private or undescribed is not curated", arguments: [1, 2])
    func privateBeside(visibility: Int) throws {
        let scene = try Scene()
        let routes = Routes(store: FakeStore(try Community.version("v1")), community: scene.shared)
        func curate(_ group: String) throws -> SocketClient.Response {
            try routes.answer(.direct, "/v1/admin/curation/\(group)", method: "PUT", json: "{}")
        }
        #expect(try curate("birds").status == 200)
        try Database(path: scene.members.path, mode: .readWrite).execute(
            """
            UPDATE groups SET visibility = \(visibility) WHERE group_id = 'alps';
            UPDATE catalog_state SET value = value + 1 WHERE name = 'changes'
            """)
        #expect(try curate("alps").status == 409)
        #expect(try scene.shared.siteState().curations.map(\.groupID) == ["birds"])
    }

    @Test("A group hidden here is gone from the next answer, even while others' decisions arrive")
    func arriving() throws {
        let scene = try Scene()
        let snapshot = scene.snapshots[0]
        let isDone = Atomic(false)
        let group = UInt32(try #require(snapshot.model.index(ofID: "alps")))
        // The other thread applies changes of the stream; this one makes all others.
        nonisolated(unsafe) let arriving = scene
        let hasEnded = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            while !isDone.load(ordering: .acquiring) {
                let change = SiteChange(ofGroup: "birds", .hide, atMilliseconds: 1)
                do { try unsafe arriving.arrive(change) } catch { Issue.record(error) }
            }
            hasEnded.signal()
        }
        defer {
            isDone.store(true, ordering: .releasing)
            hasEnded.wait()
        }
        for round in 0..<100 {
            let action: SiteChange.Action = round.isMultiple(of: 2) ? .hide : .unhide
            let change = SiteChange(ofGroup: "alps", action, atMilliseconds: 1)
            #expect(try scene.shared.apply(change) == .changed)
            #expect(try scene.shared.siteDecisions(in: snapshot).hidden.contains(group) == (action == .hide))
        }
    }

    @Test("A daemon answers before its journal is checked; a decision that an index lacks is then found, and told of")
    func damagedIndex() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/journal"
        let hides = ["a", "b", "c"].map { Change.site(SiteChange(ofGroup: $0, .hide, atMilliseconds: 1)) }
        _ = try ChangeJournal(path: path, mode: .recording).record(hides, at: 6)
        // The index seems to be one of other rows when it is filled, and lacks two of three.
        let database = try Database(path: path, mode: .readWrite)
        func pretend(_ other: String, insteadOf condition: String) throws {
            try database.execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, '\(condition)', '\(other)') WHERE name = 'changes_of_site';
                """)
        }
        try pretend("sequence = 1", insteadOf: "kind > 0")
        try Database(path: path, mode: .readWrite).execute("REINDEX changes_of_site")
        try pretend("kind > 0", insteadOf: "sequence = 1")
        let lines = Lines()
        let journal = try DaemonJournal(path: path, changes: ChangeClock(), log: lines.log, now: { 1 })
        func hidden() -> Int { journal.decisions.recorded.replayed(on: SiteState(), beyond: .none).hidden.count }
        #expect(hidden() == 1 && lines.all.isEmpty)
        for _ in 0..<2 { journal.verify(beyond: .none) }
        #expect(hidden() == 3 && journal.check == nil && journal.damage == nil)
        #expect(lines.all.contains { $0.contains("was damaged, and its indexes are made again") }, "\(lines.all)")
    }
}
