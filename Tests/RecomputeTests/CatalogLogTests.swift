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
    private let log: CatalogLog

    init() throws {
        server = try TemporaryRedis()
        community = try SmallCommunity()
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: community.directory.path + "/cache")
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
}
