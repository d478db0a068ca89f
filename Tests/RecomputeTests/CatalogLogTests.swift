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

    /// Records three decisions, and returns the name of their journal.
    private func record() throws -> String {
        let decisions = ["a", "b", "c"].map { Change.site(SiteChange(ofGroup: $0, .hide, atMilliseconds: 5)) }
        let name = try log.record(decisions, at: 5)
        #expect(name.sequence == 3)
        return name.origin
    }

    @Test("sends decisions once")
    func sending() throws {
        _ = try record()
        #expect(try log.send() == 3)
        #expect(try log.send() == 0)
    }

    @Test("sends nothing to a stream that takes nothing, and says so")
    func refused() throws {
        let origin = try record()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        // A stream whose last number is no change of a journal is never the one that was surveyed.
        _ = try connection.command("SADD", "coterie:journals", origin)
        _ = try connection.command("XADD", "coterie:journal:\(origin)", "1-1", "stamp", "0")
        #expect(try log.send() == 0)
    }
}
