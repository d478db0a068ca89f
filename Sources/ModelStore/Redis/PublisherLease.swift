import Basics
import Model
import Redis

/// The lease of the one process that may publish and prune: a key that the process renews.
///
/// The key expires by itself, so a killed publisher blocks others only for a short time. A step that lists or removes a
/// version also checks the lease, in the same atomic script.
struct PublisherLease {
    /// The time after which the key expires unless it is renewed.
    static let lifetime = Duration.seconds(30)
    /// The time between renewals.
    private static let renewalInterval = Duration.seconds(5)

    private let layout: RedisLayout
    private let token: String
    private var renewed = ContinuousClock.now
    /// The beginning of scripts: a server whose memory is full runs only those that say that they may.
    private var beginning = ""

    /// Takes the lease, also from a server whose memory is full: whoever prunes makes room.
    ///
    /// - Throws: `Failure.busy` if another process holds it.
    init(_ connection: inout StoreConnection, layout: RedisLayout, location: String) throws(Failure) {
        self.layout = layout
        token = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        let lifetime = String(Self.lifetime.components.seconds * 1000)
        let reply: RedisReply
        do throws(Failure) {
            reply = try connection.ask("SET", layout.publisher, token, "NX", "PX", lifetime)
        } catch  where error.isOfFullServer {
            beginning = RedisCommand.evenIfFull
            reply = try connection.ask(
                "EVAL", beginning + "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])", "1",
                layout.publisher, token, lifetime)
        }
        guard reply.text == "OK" else {
            throw Failure(
                .busy,
                "another process publishes to \(location) or prunes it: wait for it, then try again; "
                    + "if it was killed, for at most \(Self.lifetime.components.seconds) seconds")
        }
    }

    /// Replaces `command` with a renewal of the lease, if a renewal is due.
    ///
    /// The server replies with an integer, or with an error if the lease was lost.
    ///
    /// - Returns: whether a renewal is due.
    mutating func renewal(_ command: inout RedisCommand) -> Bool {
        guard renewed.duration(to: .now) >= Self.renewalInterval else { return false }
        renewed = .now
        command = script(
            "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1", keys: [],
            arguments: [String(Self.lifetime.components.seconds * 1000)])
        return true
    }

    /// Throws an error unless the lease is still held.
    func confirm(_ connection: inout StoreConnection) throws(Failure) {
        _ = try connection.ask(script("return 1", keys: [], arguments: []))
    }

    /// Releases the lease, if it is still held.
    func release(_ connection: inout StoreConnection) throws(Failure) {
        _ = try connection.ask(script("redis.call('DEL', KEYS[1]) return 1", keys: [], arguments: []))
    }

    /// Records that a version is about to be written, and the number of its keys.
    func announce(_ version: VersionName, shape: VersionShape, _ connection: inout StoreConnection)
        throws(Failure)
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
    func list(_ manifest: Manifest, _ connection: inout StoreConnection) throws(Failure) {
        _ = try connection.ask(
            script(
                """
                redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2]) redis.call('SREM', KEYS[3], ARGV[2]) return 1
                """, keys: [layout.versions, layout.incoming],
                arguments: [manifest.version.description, String(manifest.createdAtMilliseconds)]))
    }

    /// Takes a version off the list, unless it is current or pinned.
    ///
    /// - Returns: whether it was taken off.
    func withdraw(_ version: VersionName, _ connection: inout StoreConnection) throws(Failure) -> Bool {
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

    /// Replaces the manifest of a listed version, and buckets of its members; one that becomes empty has no key.
    func replace(_ manifest: Manifest, _ buckets: [Int: [UInt8]], _ connection: inout StoreConnection) throws(Failure) {
        let (version, numbers) = (manifest.version, buckets.keys.sorted())
        var command = script(
            """
            if not redis.call('ZSCORE', KEYS[2], ARGV[2]) then return 0 end
            for place = 3, #KEYS do
                if ARGV[place] == '' then redis.call('DEL', KEYS[place])
                else redis.call('SET', KEYS[place], ARGV[place]) end
            end
            return 1
            """,
            keys: [layout.versions, layout.manifest(version)] + numbers.map { "\(layout.users(version))\($0)" },
            arguments: [version.description])
        command.append(try ManifestJSON.encode(manifest))
        for number in numbers { command.append(buckets[number] ?? []) }
        _ = try connection.ask(command)
    }

    /// Replaces the manifest of a version, and all its members by the renewed ones; returns whether it is listed.
    func exchange(_ manifest: Manifest, count: Int, _ connection: inout StoreConnection) throws(Failure) -> Bool {
        let (version, stems) = (manifest.version, [layout.renewedUsers, layout.users])
        var command = script(
            """
            if not redis.call('ZSCORE', KEYS[2], ARGV[2]) then return 0 end
            for place = 4, #KEYS, 2 do
                if redis.call('EXISTS', KEYS[place]) == 1 then redis.call('RENAME', KEYS[place], KEYS[place + 1])
                else redis.call('UNLINK', KEYS[place + 1]) end
            end
            redis.call('SET', KEYS[3], ARGV[3])
            return 1
            """,
            keys: [layout.versions, layout.manifest(version)]
                + (0..<count).flatMap { number in stems.map { "\($0(version))\(number)" } },
            arguments: [version.description])
        command.append(try ManifestJSON.encode(manifest))
        return try connection.ask(command) == .integer(1)
    }

    /// Removes the record of a version after its keys are removed.
    func forget(_ version: VersionName, _ connection: inout StoreConnection) throws(Failure) {
        _ = try connection.ask(
            script(
                "redis.call('DEL', KEYS[3]) redis.call('SREM', KEYS[2], ARGV[2]) return 1",
                keys: [layout.incoming, layout.shape(version)], arguments: [version.description]))
    }

    /// Returns a script that runs only while the lease has this process's token.
    ///
    /// The lease is the script's first key, and the token its first argument.
    private func script(_ body: String, keys: [String], arguments: [String]) -> RedisCommand {
        let guarded =
            beginning + """
                if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply(
                '\(Failure.lostLeaseWord) another process took over, as this one paused for too long') end
                \(body)
                """
        var command = RedisCommand("EVAL", guarded, String(keys.count + 1), layout.publisher)
        for key in keys { command.append(key) }
        command.append(token)
        for argument in arguments { command.append(argument) }
        return command
    }
}
