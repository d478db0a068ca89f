import CatalogStore
import Changes
import Model
import ModelStore
import Recompute
import Redis
import TestSupport
import Testing

@Suite("The log beside a catalog", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct CatalogLogTests {
    private let server: TemporaryRedis
    private let community: SmallCommunity
    private let store: RedisStore
    private let log: CatalogLog

    init() throws {
        server = try TemporaryRedis()
        community = try SmallCommunity()
        store = RedisStore(try RedisAddress(server.url), cacheDirectory: community.directory.path + "/cache")
        log = try CatalogLog(besideCatalog: community.catalogPath, store)
    }

    /// Records three decisions.
    private func record() throws {
        let decisions = ["a", "b", "c"].map { Change.site(SiteChange(ofGroup: $0, .hide, atMilliseconds: 5)) }
        try log.record(decisions, at: 5)
        #expect(try log.journal.kept().values.map(\.last) == [3])
    }

    @Test("sends decisions once")
    func sending() throws {
        try record()
        #expect(try log.send() == 3)
        #expect(try log.send() == 0)
    }

    @Test("takes all of a member who was renamed and removed before it was applied", arguments: [false, true])
    func renamedAndRemoved(inRedis: Bool) throws {
        let ids = ["ann", "bob", "cat", "dan", "eve"]
        try community.importing(.memberships, "group_id,user_id\n" + ids.map { "g,\($0)\n" }.joined())
        let store: any VersionStore = inRedis ? store : community.store
        let log = try CatalogLog(besideCatalog: community.catalogPath, store)
        func record(_ change: Change, at now: Int64) throws {
            try log.record([change], at: now)
            _ = try log.send()
        }
        func rename(_ old: String, _ new: String) throws {
            try record(.renaming(RenamingChange(.user, from: old, to: new, atMilliseconds: 20)), at: 20)
        }
        let follow = InteractionRecord(id: "1", .follow, subjectID: "eve", atMilliseconds: 10)
        try record(.member(MemberChange(ofUser: "ann", .record([follow]))), at: 10)
        for (old, new) in [("ann", "bob"), ("bob", "new"), ("cat", "dan"), ("dan", "other")] { try rename(old, new) }
        try record(.removal(RemovalChange(.member("new", withPhotos: false), atMilliseconds: 30)), at: 30)
        try record(.removal(RemovalChange(.account("other"), atMilliseconds: 40)), at: 40)
        let outcome = try CatalogLog.apply(to: community.catalogPath, store, relations: .standard, at: 50)
        #expect(outcome.warnings == [] && outcome.counts.leftOut == 0)
        let facts = try Facts(path: community.catalogPath)
        #expect(try (ids + ["new", "other"]).filter { id in try facts.has(id, in: .users) } == ["eve"])
        #expect(try ["ann", "bob", "new"].allSatisfy { id in try facts.isForgotten(user: id) })
        // Nothing tells of the forgotten one under any id; only the forgetting itself has the last one.
        #expect(try log.journal.traces(of: ["ann", "bob", "new"]) == [:])
    }
}
