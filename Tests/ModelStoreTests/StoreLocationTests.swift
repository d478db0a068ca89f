import Basics
import ModelStore
import Redis
import Testing

@Suite("The location of a store")
struct StoreLocationTests {
    @Test("is a folder or a server")
    func valid() throws {
        #expect(try StoreLocation("/var/lib/coterie") == .folder("/var/lib/coterie"))
        #expect(try StoreLocation("./redis:data") == .folder("./redis:data"))
        let server = try StoreLocation("redis://:secret@host:7/1")
        #expect(try server == .redis(RedisAddress("redis://:secret@host:7/1")))
        #expect(server.description == "redis://host:7/1")
        #expect(server.open(cacheDirectory: "/tmp").location == "redis://host:7/1")
        #expect(try StoreLocation("a/b//").open(cacheDirectory: "").location == "a/b")
    }

    @Test(
        "refuses anything else",
        arguments: [
            "", "http://host", "rediss://host", "file:///tmp", "redis://", "a\0b", "redis:host", "redis:/host",
            "rediss:x",
            " redis:host", "REDIS:host", "coterie-models:8", "unix:/run/redis.sock", " redis://host", "a/b://c",
        ])
    func invalid(text: String) {
        let error = #expect(throws: Failure.self) { try StoreLocation(text) }
        #expect(error?.code == .badUsage)
        #expect(error?.message.contains("redis://[user:password@]host[:port][/database]") == true)
    }
}
