import Redis
import Testing

@Suite("An address of a Redis server")
struct RedisAddressTests {
    @Test(
        "is read with all its parts",
        arguments: [
            ("redis://example.org", "example.org", 6379, nil, nil, 0),
            ("redis://127.0.0.1:7000", "127.0.0.1", 7000, nil, nil, 0),
            ("redis://localhost/", "localhost", 6379, nil, nil, 0),
            ("redis://localhost:1/15", "localhost", 1, nil, nil, 15),
            ("redis://[::1]:7000/2", "::1", 7000, nil, nil, 2),
            ("redis://[fe80::1.2.3.4]", "fe80::1.2.3.4", 6379, nil, nil, 0),
            ("redis://:secret@h", "h", 6379, nil, "secret", 0),
            ("redis://anna:s:e%40c%2Fr%25et@h:65535/3", "h", 65535, "anna", "s:e@c/r%et", 3),
            ("redis://a%3Ab:%C3%A9%00@my_host-1", "my_host-1", 6379, "a:b", "é\0", 0),
            ("redis://:p/w@x@h/1", "h", 6379, nil, "p/w@x", 1),
        ] as [(String, String, Int, String?, String?, Int)])
    func valid(text: String, host: String, port: Int, user: String?, password: String?, database: Int) throws {
        let address = try RedisAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.user == user)
        #expect(address.password == password)
        #expect(address.database == database)
    }

    @Test(
        "is refused if a part is wrong, without showing the password",
        arguments: [
            "", "localhost", "http://h", "rediss://h", "REDIS://h", "redis://", "redis:///1", "redis://:6379",
            "redis://h:",
            "redis://h:0", "redis://h:65536", "redis://h:+1", "redis://h:1x", "redis://::1", "redis://[::1",
            "redis://[::1]x",
            "redis://[h]", "redis://[]", "redis://h/x", "redis://h/-1", "redis://h/1/2", "redis://h/1?x=1",
            "redis://h h", "redis://h!", "redis://h$x",
            "redis://h\n", "redis://h\0", "redis://hä", "redis://secret@h", "redis://:@h", "redis://a:@h",
            "redis://a:secret%@h", "redis://a:secret%4@h", "redis://a:secret%zz@h", "redis://a:secret%FF@h",
            "redis://a:secret@", "redis://a:secret@h:x", "redis://a:secret@h/x", "redis://h/99999999999999999999",
        ])
    func invalid(text: String) {
        let error = #expect(throws: RedisError.self) { try RedisAddress(text) }
        #expect(error?.code == .badAddress)
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.contains("redis://[user:password@]host[:port][/database]") == true)
    }

    @Test("names Sentinels, and what they watch")
    func sentinels() throws {
        let address = try RedisAddress("redis-sentinel://anna:secret@one,[::1]:7/my.master-1/3")
        #expect(address.sentinels?.hosts.map(\.description) == ["one:26379", "[::1]:7"])
        #expect(address.sentinels?.name == "my.master-1" && address.database == 3)
        #expect(address.user == "anna" && address.password == "secret")
        #expect(address.description == "redis-sentinel://anna@one:26379,[::1]:7/my.master-1/3")
        for text in ["h", "h/", "h,/m", ",h/m", "h:0/m", "h/m/x", "h/m m", "h/m/1/2", "a:secret@/m"] {
            let error = #expect(throws: RedisError.self, "\(text)") { try RedisAddress("redis-sentinel://\(text)") }
            #expect(error?.message.contains("redis-sentinel://[user:password@]host[:port],…/NAME[/database]") == true)
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test("is shown without its password")
    func description() throws {
        #expect(try RedisAddress("redis://anna:secret@h/2").description == "redis://anna@h:6379/2")
        #expect(try RedisAddress("redis://:secret@[::1]:7").description == "redis://[::1]:7/0")
    }
}
