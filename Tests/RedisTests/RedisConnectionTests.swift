import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "A connection to Redis", .enabled(if: TemporaryRedis.isInstalled, "redis-server is not installed"))
struct RedisConnectionTests {
    @Test("carries any bytes both ways", arguments: [0, 1, 255, 100_000, 2_500_000])
    func binary(count: Int) throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        var generator = SeededGenerator(seed: UInt64(count))
        let value = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var command = RedisCommand("SET", "a\0é\r\n")
        command.append(value)
        #expect(try connection.command(command) == .bytes(Array("OK".utf8)))
        #expect(try connection.command("GET", "a\0é\r\n") == .bytes(value))
        try connection.send(RedisCommand("GET", "a\0é\r\n"))
        let reply = try connection.receive()
        let isEqual = try reply.withBytes(orThrow: RedisError(.badAddress, "no string")) {
            (bytes: Span<UInt8>?) throws(RedisError) -> Bool in
            guard let bytes, bytes.count == count else { return false }
            return (0..<count).allSatisfy { bytes[$0] == value[$0] }
        }
        #expect(isEqual)
        #expect(reply.value == .bytes(value))
    }

    @Test("understands all types of replies")
    func kinds() throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        #expect(try connection.command("GET", "absent") == .null)
        #expect(try connection.command("INCRBY", "n", "-9223372036854775808") == .integer(.min))
        #expect(
            try connection.command("MGET", "n", "absent", "")
                == .array([.bytes(Array("\(Int64.min)".utf8)), .null, .null]))
        #expect(try connection.command("SMEMBERS", "absent") == .array([]))
        #expect(
            try connection.command("EVAL", "return {1, {'a', {}}, redis.error_reply('BAD x')}", "0")
                == .array([.integer(1), .array([.bytes(Array("a".utf8)), .array([])]), .error("BAD x")]))
    }

    @Test("stays usable after the server refused a command")
    func refusal() throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("SET", "text", "x")
        let errors = ["LPUSH text 1", "NOSUCHCOMMAND", "GET"].map { line in
            var command = RedisCommand()
            for word in line.split(separator: " ") { command.append(word) }
            do throws(RedisError) {
                _ = try connection.command(command)
                return nil as RedisError?
            } catch {
                return error
            }
        }
        #expect(errors.map { $0?.code } == [.refused("WRONGTYPE"), .refused("ERR"), .refused("ERR")])
        #expect(try connection.command("GET", "text").text == "x")
    }

    @Test("pipelines with a bounded number of replies outstanding, in order")
    func pipelining() throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        var received: [Int] = []
        var command = RedisCommand()
        var most = 0
        for number in 0..<5000 {
            command.replace(with: "ECHO")
            command.append(String(repeating: "x", count: number % 500) + "\(number)")
            try connection.pipeline(command, window: 64, adapt: { $0 }) { (reply) throws(RedisError) in
                received.append(reply.value.text.flatMap { Int($0.drop { $0 == "x" }) } ?? -1)
            }
            most = max(most, connection.outstanding)
        }
        try connection.finishPipeline(adapt: { $0 }) { (reply) throws(RedisError) in
            received.append(reply.value.text.flatMap { Int($0.drop { $0 == "x" }) } ?? -1)
        }
        #expect(received == Array(0..<5000))
        #expect(most == 64)
        #expect(connection.outstanding == 0)
    }

    @Test("logs in and selects a database, or says why not")
    func login() throws {
        let server = try TemporaryRedis("--requirepass", "geheim")
        let location = server.url.dropFirst(RedisAddress.scheme.count)
        var connection = try RedisConnection(to: RedisAddress("redis://:geheim@\(location)/3"))
        _ = try connection.command("SET", "here", "3")
        var other = try RedisConnection(to: RedisAddress("redis://default:geheim@\(location)"))
        #expect(try other.command("GET", "here") == .null)
        #expect(
            errorCode { _ = try RedisConnection(to: RedisAddress("redis://:wrong@\(location)")) }
                == .refused("WRONGPASS"))
        #expect(errorCode { _ = try RedisConnection(to: RedisAddress("redis://\(location)/1")) } == .refused("NOAUTH"))
        #expect(
            errorCode { _ = try RedisConnection(to: RedisAddress("redis://:geheim@\(location)/99")) } == .refused("ERR")
        )
    }

    @Test("fails without a signal when the server goes away, and every later use fails too")
    func broken() throws {
        let server = try TemporaryRedis()
        var connection = try RedisConnection(to: RedisAddress(server.url))
        _ = try connection.command("PING")
        server.stop()
        var command = RedisCommand("SET", "a")
        command.append(repeatElement(UInt8(7), count: 1 << 20))
        var codes: [RedisError.Code?] = []
        // The system may accept the first write; a later one would raise SIGPIPE.
        for _ in 0..<5 {
            do throws(RedisError) {
                try connection.send(command)
                try connection.flush()
                codes.append(nil)
            } catch {
                codes.append(error.code)
            }
        }
        #expect(codes.last == .disconnected)
        try server.start()
        do throws(RedisError) {
            try connection.send(RedisCommand("PING"))
            Issue.record("a broken connection was used")
        } catch {
            #expect(error.code == .disconnected && !error.leavesConnectionUsable)
        }
    }

    @Test("gives up when the server does not answer in time")
    func timeout() throws {
        let server = try TemporaryRedis()
        let address = try RedisAddress(server.url)
        server.pause()
        let code = errorCode { _ = try RedisConnection(to: address, replyTimeout: .milliseconds(50)) }
        #expect(code == .timedOut)
    }

    @Test("names the server that cannot be reached")
    func unreachable() throws {
        let server = try TemporaryRedis()
        server.stop()
        let error = #expect(throws: RedisError.self) {
            _ = try RedisConnection(to: RedisAddress(server.url), connectTimeout: .seconds(1))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("\(server.port)") == true)
    }

    private func errorCode(_ body: () throws -> Void) -> RedisError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? RedisError)?.code
        }
    }
}
