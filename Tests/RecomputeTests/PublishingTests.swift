import Basics
import CatalogStore
import Model
import ModelStore
import Recompute
import Redis
import Similarity
import TestSupport
import Testing

@Suite("What a recompute publishes")
struct PublishingTests {
    private let fourOfEach = (0..<4).map { "a,u\($0)\nb,u\($0)\n" }.joined()

    @Test("a dry run computes everything and publishes nothing")
    func dryRun() throws {
        let community = try SmallCommunity.random(seed: 5)
        let outcome = try community.recompute { $0.isDryRun = true }
        #expect(!outcome.isPublished && outcome.pruned.isEmpty)
        #expect(try community.store.current() == nil && community.store.versions().isEmpty)
        let published = try community.recompute()
        #expect(outcome.manifest.relations == published.manifest.relations)
        #expect(outcome.manifest.sections.map(\.byteCount) == published.manifest.sections.map(\.byteCount))
        #expect(try community.recompute { $0.isDryRun = true }.isPublished == false)
        #expect(try community.store.current() == published.manifest.version)
        #expect(try community.store.versions().count == 1)
    }

    @Test("a relation without data is published empty, with a warning")
    func emptyRelation() throws {
        let community = try SmallCommunity()
        try community.importing(.memberships, "group_id,user_id\n" + fourOfEach)
        let observer = RecordingObserver()
        let outcome = try community.recompute(observer: observer) { $0[.members].minimumEntries = 4 }
        #expect(observer.warnings == ["there are no public pools: photos is empty"])
        let model = try community.store.load(outcome.manifest.version).model
        #expect(model.neighbourCount(of: .photos) == 0 && model.neighbourCount(of: .members) == 2)
        #expect(outcome.manifest[.photos]?.entries == 0)
        // The steps of the report are those that were watched, in their order.
        #expect(observer.began == observer.ended && outcome.steps.map(\.name) == observer.ended)
        #expect(outcome.steps.allSatisfy { $0.seconds >= 0 && $0.peakBytes > 0 })
        #expect(
            outcome.steps.map(\.name) == [
                "read groups", "read photos", "compare by photos", "tags and places", "read members",
                "compare by members", "weigh popularity", "weigh relations", "trends and seasons", "encode",
                "draw the map", "publish", "switch",
            ])
    }

    @Test("thresholds that leave a relation empty are named in the warning")
    func thresholds() throws {
        let community = try SmallCommunity()
        try community.importing(.memberships, "group_id,user_id\n" + fourOfEach)
        try community.importing(.pools, "group_id,photo_id\na,p\nb,p\n")
        let observer = RecordingObserver()
        try community.recompute(observer: observer) {
            ($0[.photos].minimumEntries, $0[.photos].minimumCommon) = (5, 3)
        }
        #expect(observer.warnings == ["no two groups have 3 common photos and 5 photos each: photos is empty"])
    }

    @Test("nothing to publish is an error, and the current version stays")
    func nothing() throws {
        let community = try SmallCommunity()
        func reason() -> String? {
            do throws(Failure) {
                try community.recompute { $0[.members].minimumEntries = 5 }
            } catch {
                return error.message
            }
            return nil
        }
        #expect(reason()?.contains("no public group") == true)
        try community.importing(.groups, "group_id,visibility\nonly,private\n")
        #expect(reason()?.contains("no public group") == true)
        try community.importing(.memberships, "group_id,user_id\n" + fourOfEach)
        #expect(reason()?.contains("no public group") == true)
        try community.importing(.groups, "group_id\na\nb\n")
        #expect(reason()?.contains("no group has a neighbour") == true)
        #expect(try community.store.versions().isEmpty && community.store.current() == nil)
        let published = try community.recompute { $0[.members].minimumEntries = 4 }
        #expect(reason()?.contains("no group has a neighbour") == true)
        #expect(try community.store.current() == published.manifest.version)
        #expect(try community.store.versions().count == 1)
    }

    @Test("older versions beyond those to keep are removed, the oldest first", arguments: 1...3)
    func pruning(kept: Int) throws {
        let community = try SmallCommunity.random(seed: 6)
        var names: [VersionName] = []
        for run in 1...5 {
            let outcome = try community.recompute { $0.versionsKept = kept }
            names.append(outcome.manifest.version)
            #expect(outcome.pruned == (run > kept ? [names[run - kept - 1]] : []))
        }
        #expect(names == names.sorted())
        #expect(try community.store.versions().map(\.version) == Array(names.suffix(kept)))
        #expect(try community.store.current() == names.last)
    }

    @Test("the manifest has the catalog's state, which differs after a change")
    func catalogState() throws {
        let community = try SmallCommunity.random(seed: 8)
        let catalog = try Facts(path: community.catalogPath)
        let manifest = try community.recompute().manifest
        #expect(manifest.catalog.changeCount == (try catalog.changeCount()))
        #expect(manifest.catalog.schemaVersion == catalog.schemaVersion)
        try community.importing(.users, "user_id\nnew\n")
        #expect(try catalog.changeCount() > manifest.catalog.changeCount)
    }

    @Test("a version is the newest of all, though a clock was ahead when another was made; and can be rolled back from")
    func clockWentBack() throws {
        let community = try SmallCommunity.random(seed: 11)
        func recompute(atMilliseconds instant: Int64) throws -> VersionName {
            var parameters = RecomputeParameters(threads: 1)
            parameters.versionsKept = 2
            let job = RecomputeJob(
                catalogPath: community.catalogPath, store: community.store, parameters: parameters,
                startedAtMilliseconds: instant)
            return try job.run(observer: RecordingObserver()).manifest.version
        }
        let (present, year): (Int64, Int64) = (1_795_000_000_000, 31_536_000_000)
        var names: [VersionName] = []
        for instant in [present, present + year, present + year, present + 1, present + 2] {
            names.append(try recompute(atMilliseconds: instant))
            #expect(try community.store.versions().map(\.version) == names.suffix(2))
            #expect(try community.store.current() == names.last)
        }
        #expect(names == names.sorted() && Set(names).count == names.count)
    }

    @Test("a missing catalog and a store that cannot be written are different errors")
    func failures() throws {
        let community = try SmallCommunity.random(seed: 9)
        let absent = RecomputeJob(
            catalogPath: community.directory.path + "/none.sqlite", store: community.store,
            parameters: .init(threads: 1), startedAtMilliseconds: 1_795_000_000_000)
        #expect { try absent.run(observer: RecordingObserver()) } throws: {
            ($0 as? Failure)?.code == .missing
        }
        // A file where the folder should be.
        #expect { try community.recompute(into: FolderStore(community.catalogPath)) } throws: {
            ($0 as? Failure)?.code == .badUsage
        }
    }

    @Test(
        "Redis gets the same version, and the public groups of every member",
        .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
    func redis() throws {
        let server = try TemporaryRedis()
        let community = try SmallCommunity.random(seed: 10)
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: community.directory.path + "/cache")
        let outcome = try community.recompute(into: store)
        let inFolder = try community.recompute()
        #expect(outcome.manifest.sections == inFolder.manifest.sections)
        let version = try store.load(outcome.manifest.version)
        var expected: [String: [UInt32]] = [:]
        for (index, row) in try community.entries(.members).enumerated() {
            for user in row.entries { expected[user, default: []].append(UInt32(index)) }
        }
        for user in (0..<60).map({ "user-\($0)" }) {
            #expect(try store.member(withID: user, in: version.manifest.version)?.joined.map(\.group) == expected[user])
        }
        #expect(!expected.isEmpty)
    }
}
