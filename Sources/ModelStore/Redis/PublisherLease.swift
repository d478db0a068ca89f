import Model
import Redis

/// The right to publish and to prune: a key that one process holds and renews.
///
/// The key expires by itself, so that a killed publisher blocks nobody for long. Everything that makes a version
/// visible or removes it checks, in the same atomic step, that the lease is still this process's own.
struct PublisherLease {
    /// The first word of the error by which a server says that the lease was lost.
    static let lostWord = "LEASELOST"
    /// How long the key lives without being renewed.
    static let lifetime = Duration.seconds(30)
    /// How often it is renewed while work goes on.
    private static let renewalInterval = Duration.seconds(5)

    private let layout: RedisLayout
    private let token: String
    private var renewed = ContinuousClock.now

    /// Takes the lease.
    ///
    /// - Throws: `StoreError.busy` if another process has it.
    init(_ connection: inout StoreConnection, layout: RedisLayout, location: String) throws(StoreError) {
        self.layout = layout
        token = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let reply = try connection.ask(
            "SET", layout.publisher, token, "NX", "PX", String(Self.lifetime.components.seconds * 1000))
        guard reply.text == "OK" else {
            throw StoreError(
                .busy,
                "another process publishes to \(location) or prunes it: wait for it, then try again; "
                    + "if it was killed, for at most \(Self.lifetime.components.seconds) seconds")
        }
    }

    /// Makes `command` the one that renews the lease, if it is time for that.
    ///
    /// Its reply is an integer, or an error if the lease was lost.
    mutating func renewal(_ command: inout RedisCommand) -> Bool {
        guard renewed.duration(to: .now) >= Self.renewalInterval else { return false }
        renewed = .now
        command = script(
            "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1", keys: [],
            arguments: [String(Self.lifetime.components.seconds * 1000)])
        return true
    }

    /// Makes sure that the lease is still held.
    func confirm(_ connection: inout StoreConnection) throws(StoreError) {
        _ = try connection.ask(script("return 1", keys: [], arguments: []))
    }

    /// Gives the lease back, if it is still held.
    func release(_ connection: inout StoreConnection) throws(StoreError) {
        _ = try connection.ask(script("redis.call('DEL', KEYS[1]) return 1", keys: [], arguments: []))
    }

    /// Notes that a version is about to be written, and how many keys it may have.
    func announce(_ version: VersionName, shape: VersionShape, _ connection: inout StoreConnection)
        throws(StoreError)
    {
        _ = try connection.ask(
            script(
                """
                redis.call('DEL', KEYS[3]) redis.call('HSET', KEYS[3], unpack(ARGV, 3))
                redis.call('SADD', KEYS[2], ARGV[2]) return 1
                """, keys: [layout.incoming, layout.shape(version)],
                arguments: [version.description] + shape.fields.flatMap { [$0.name, $0.value] }))
    }

    /// Lists a version that was written and verified.
    func list(_ manifest: Manifest, _ connection: inout StoreConnection) throws(StoreError) {
        _ = try connection.ask(
            script(
                """
                redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2]) redis.call('SREM', KEYS[3], ARGV[2]) return 1
                """, keys: [layout.versions, layout.incoming],
                arguments: [manifest.version.description, String(manifest.createdAtMilliseconds)]))
    }

    /// Takes a version off the list, unless it is current.
    ///
    /// - Returns: whether it was taken off.
    func withdraw(_ version: VersionName, _ connection: inout StoreConnection) throws(StoreError) -> Bool {
        let reply = try connection.ask(
            script(
                """
                if redis.call('GET', KEYS[4]) == ARGV[2] or redis.call('SISMEMBER', KEYS[5], ARGV[2]) == 1 then
                    return 0
                end
                redis.call('ZREM', KEYS[2], ARGV[2]) redis.call('SADD', KEYS[3], ARGV[2]) return 1
                """, keys: [layout.versions, layout.incoming, layout.current, layout.pins],
                arguments: [version.description]))
        return reply == .integer(1)
    }

    /// Forgets a version whose keys are all removed.
    func forget(_ version: VersionName, _ connection: inout StoreConnection) throws(StoreError) {
        _ = try connection.ask(
            script(
                "redis.call('DEL', KEYS[3]) redis.call('SREM', KEYS[2], ARGV[2]) return 1",
                keys: [layout.incoming, layout.shape(version)], arguments: [version.description]))
    }

    /// A script that runs only if the lease, its first key, has this process's token, its first argument.
    private func script(_ body: String, keys: [String], arguments: [String]) -> RedisCommand {
        let guarded = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then
            return redis.error_reply('\(Self.lostWord) another process took over, as this one paused for too long')
            end
            \(body)
            """
        var command = RedisCommand("EVAL", guarded, String(keys.count + 1), layout.publisher)
        for key in keys { command.append(key) }
        command.append(token)
        for argument in arguments { command.append(argument) }
        return command
    }
}
