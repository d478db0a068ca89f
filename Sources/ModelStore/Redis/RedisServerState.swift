package import Basics
import Redis

/// A Redis server's description of itself; a value is `nil` if the server does not tell this user.
package struct RedisServerState: Sendable, Equatable {
    /// The server's version, such as `7.0.15`.
    package var version: String?
    /// Whether the server is a primary, which accepts writes.
    package var isPrimary: Bool?
    package var isCluster: Bool?
    /// The memory that the data takes, in bytes.
    package var usedBytes: Int?
    /// The memory that the data may take (`maxmemory`), in bytes, or 0 for no limit.
    package var maximumBytes: Int?
    /// The eviction policy when memory runs out, such as `noeviction`.
    package var evictionPolicy: String?
    /// The number of keys evicted since the server started.
    package var evictedKeys: Int?
    /// The time since the server started, in seconds.
    package var uptimeSeconds: Int?
    /// The lead of the server's clock over the clock of this machine, in milliseconds.
    package var clockLeadMilliseconds: Int64?
    /// Whether the server logs every change to its disk (AOF).
    package var hasLog: Bool?
    /// Whether the server saves snapshots from time to time (RDB).
    package var savesSnapshots: Bool?
    /// Whether the server's last write to disk failed.
    package var hasDiskFailure = false
    /// The message of the first refused question, or `nil` if the server refused none.
    package var refusal: String?

    /// Whether the server keeps its data on a disk, or `nil` if that is not known.
    package var keepsData: Bool? {
        switch (hasLog, savesSnapshots) {
        case (true, _), (_, true): true
        case (false, false): false
        default: nil
        }
    }

    init(_ server: RedisServer) {
        version = server.version
        isPrimary = server.isReplica.map { !$0 }
        isCluster = server.isCluster
    }

    /// Adds the values of the reply to `INFO`.
    mutating func add(info text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...])
            switch line[..<colon] {
            case "redis_version": version = value
            case "role": isPrimary = value == "master"
            case "cluster_enabled": isCluster = value == "1"
            case "used_memory": usedBytes = Int(value)
            case "maxmemory": maximumBytes = Int(value)
            case "maxmemory_policy": evictionPolicy = value
            case "evicted_keys": evictedKeys = Int(value)
            case "uptime_in_seconds": uptimeSeconds = Int(value)
            case "aof_enabled": hasLog = value == "1"
            case "rdb_last_bgsave_status", "aof_last_write_status": hasDiskFailure = hasDiskFailure || value != "ok"
            default: break
            }
        }
    }

    /// Whether the version is at least `major.minor`, or `nil` if the version is not known.
    package func isAtLeast(_ major: Int, _ minor: Int) -> Bool? {
        let numbers = (version ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        return (numbers[0], numbers[1]) >= (major, minor)
    }
}

extension RedisStore {
    /// Returns the state of the server, whether it is a primary or a replica.
    ///
    /// - Throws: `Failure.unavailable` if the server does not answer, `notPermitted` if it refuses the login.
    package func serverState() throws(Failure) -> RedisServerState {
        do throws(RedisError) {
            var connection = try RedisConnection(to: address, acceptsReplica: true)
            var state = RedisServerState(connection.server)
            if let text = try answer(RedisCommand("INFO"), &connection, &state)?.text { state.add(info: text) }
            if case .array(let pair)? = try answer(RedisCommand("CONFIG", "GET", "save"), &connection, &state),
                pair.count == 2
            {
                state.savesSnapshots = pair[1].text?.isEmpty == false
            }
            if case .array(let pair)? = try answer(RedisCommand("TIME"), &connection, &state), pair.count == 2,
                let seconds = pair[0].text.flatMap(Int64.init), let microseconds = pair[1].text.flatMap(Int64.init)
            {
                state.clockLeadMilliseconds = seconds * 1000 + microseconds / 1000 - SystemClock.nowMilliseconds
            }
            return state
        } catch {
            throw Failure(error, at: address)
        }
    }

    /// Returns the commands that the server refuses to its user, of those that daemons and recomputes send.
    ///
    /// Each is sent in a form that changes nothing, about a key that does not exist.
    ///
    /// - Throws: `Failure.unavailable` if the server does not answer, `notPermitted` if it refuses the login.
    package func refusedCommands() throws(Failure) -> [(name: String, reason: String)] {
        let key = layout.prefix + "nothing"
        let probes: [[String]] = [
            ["GET", key], ["MGET", key], ["SET", key, "", "XX"], ["DEL", key], ["UNLINK", key], ["EXISTS", key],
            ["RENAME", key, key], ["PEXPIRE", key, "1"], ["SMEMBERS", key], ["SREM", key, "x"], ["HGET", key, "x"],
            ["HDEL", key, "x"], ["ZSCORE", key, "x"], ["ZRANGE", key, "0", "0"], ["ZREM", key, "x"], ["XLEN", key],
            ["XRANGE", key, "-", "+"], ["XADD", key, "NOMKSTREAM", "*", "x", "y"], ["XTRIM", key, "MAXLEN", "0"],
            ["XDEL", key, "1-1"], ["EVAL", "return 1", "0"],
        ]
        do throws(RedisError) {
            var connection = try RedisConnection(to: address, acceptsReplica: true)
            var refused: [(name: String, reason: String)] = []
            for words in probes {
                var command = RedisCommand(words[0])
                for word in words.dropFirst() { command.append(word) }
                do throws(RedisError) { _ = try connection.command(command) } catch {
                    guard error.code == .refused("NOPERM") else {
                        if case .refused = error.code { continue }
                        throw error
                    }
                    refused.append((words[0], error.message))
                }
            }
            return refused
        } catch { throw Failure(error, at: address) }
    }

    /// Whether the server refuses a write because its memory is full; it is asked for one that changes nothing.
    package var isFull: Bool {
        do throws(Failure) { _ = try ask(RedisCommand("SET", layout.prefix + "nothing", "", "XX")) } catch {
            return error.isOfFullServer
        }
        return false
    }

    /// Returns the reply to a command that some users may not send and some servers lack, or `nil` for a refusal.
    private func answer(
        _ question: RedisCommand, _ connection: inout RedisConnection, _ state: inout RedisServerState
    ) throws(RedisError) -> RedisReply? {
        do throws(RedisError) {
            return try connection.command(question)
        } catch {
            guard case .refused = error.code else { throw error }
            state.refusal = state.refusal ?? error.message
            return nil
        }
    }
}
