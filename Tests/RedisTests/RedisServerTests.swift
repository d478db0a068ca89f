import Redis
import TestSupport
import Testing

@Suite("The server behind a connection", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RedisServerTests {
    /// Makes a server a replica of one that does not answer.
    private func demote(_ server: TemporaryRedis) throws {
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("REPLICAOF", "127.0.0.1", "1")
    }

    private func code(_ body: () throws(RedisError) -> Void) -> RedisError.Code? {
        do throws(RedisError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A replica is refused when a connection opens, unless one is wanted")
    func opening() throws {
        let server = try TemporaryRedis("--replicaof", "127.0.0.1", "1")
        let error = #expect(throws: RedisError.self) { _ = try RedisConnection(to: RedisAddress(server.url)) }
        #expect(error?.code == .replica && error?.message.contains("\(server.port)") == true)
        var connection = try RedisConnection(to: RedisAddress(server.url), acceptsReplica: true)
        #expect(connection.server.isReplica == true && connection.server.version?.contains(".") == true)
        #expect(code { () throws(RedisError) in _ = try connection.command("SET", "a", "b") } == .refused("READONLY"))
        #expect(try connection.command("GET", "a") == .null)
    }

    @Test("A server that became a replica is noticed by what it refuses, and its connection is not used again")
    func writing() throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        #expect(connection.server.isReplica == false)
        try demote(server)
        #expect(code { () throws(RedisError) in _ = try connection.command("SET", "a", "b") } == .replica)
        #expect(code { () throws(RedisError) in _ = try connection.command("GET", "a") } == .replica)
    }

    @Test("A server that became a replica is noticed by who only reads")
    func reading() throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        try demote(server)
        var last: RedisError.Code?
        let deadline = ContinuousClock.now + .seconds(60)
        while last == nil, ContinuousClock.now < deadline {
            last = code { () throws(RedisError) in _ = try connection.command("GET", "a") }
        }
        #expect(last == .replica)
    }

    @Test(
        "What a server is, is asked as the user may ask it, and is unknown to one who may not",
        arguments: [
            ([], "-@dangerous", true), (["--rename-command", "HELLO", ""], "+@all", true),
            (["--rename-command", "HELLO", ""], "-role", nil),
        ] as [([String], String, Bool?)])
    func rights(options: [String], rule: String, isReplica: Bool?) throws {
        let server = try TemporaryRedis(
            ["--replicaof", "127.0.0.1", "1", "--user", "eve", "on", ">secret", "~*", "+@all", rule] + options)
        let address = try RedisAddress(server.url).loggingIn(user: "eve", password: "secret")
        var connection = try RedisConnection(to: address, acceptsReplica: true)
        #expect(connection.server.isReplica == isReplica)
        #expect(try connection.command("GET", "a") == .null)
        #expect(
            code { () throws(RedisError) in _ = try RedisConnection(to: address) }
                == (isReplica == true ? .replica : nil))
    }

    @Test("A script's user lacks rights as one who sends a command does")
    func scripts() throws {
        let server = try TemporaryRedis("--user", "eve", "on", ">secret", "~mine:*", "+@all", "-@dangerous")
        let address = try RedisAddress(server.url).loggingIn(user: "eve", password: "secret")
        var connection = try RedisConnection(to: address)
        for script in ["return redis.call('GET', 'other')", "return redis.call('PUBLISH', 'x', 'y')"] {
            #expect(
                code { () throws(RedisError) in _ = try connection.command("EVAL", script, "0") } == .refused("NOPERM"))
        }
        #expect(code { () throws(RedisError) in _ = try connection.command("INFO") } == .refused("NOPERM"))
    }
}
