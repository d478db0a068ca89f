import Redis

/// A Redis server as it describes itself, as far as a store depends on it; what it does not tell this user is nil.
public struct RedisServerState: Sendable, Equatable {
    /// The server's version, such as `7.0.15`.
    public var version: String?
    /// Whether it is a primary, to which one may write.
    public var isPrimary: Bool?
    /// Whether it is a part of a cluster.
    public var isCluster: Bool?
    /// The memory that its data takes, in bytes.
    public var usedBytes: Int?
    /// The most memory that its data may take, in bytes; 0 for no limit.
    public var maximumBytes: Int?
    /// What it removes when there is no more memory, such as `noeviction`.
    public var evictionPolicy: String?
    /// How many keys it has removed for lack of memory since it was started.
    public var evictedKeys: Int?
    /// Whether it writes every change to a log on its disk.
    public var hasLog: Bool?
    /// Whether it saves its data from time to time.
    public var savesSnapshots: Bool?
    /// Whether it could not write to its disk when it tried last.
    public var hasDiskFailure = false
    /// How it refused to tell more; nil if it told all.
    public var refusal: String?

    /// Whether its data is on a disk; nil if that is not known.
    public var keepsData: Bool? {
        switch (hasLog, savesSnapshots) {
        case (true, _), (_, true): true
        case (false, false): false
        default: nil
        }
    }

    /// A server as it describes itself to everybody.
    init(_ server: RedisServer) {
        version = server.version
        isPrimary = server.isReplica.map { !$0 }
        isCluster = server.isCluster
    }

    /// Adds what `INFO` says.
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
            case "aof_enabled": hasLog = value == "1"
            case "rdb_last_bgsave_status", "aof_last_write_status": hasDiskFailure = hasDiskFailure || value != "ok"
            default: break
            }
        }
    }

    /// Whether the version is at least one of these numbers; nil if it is not known.
    public func isAtLeast(_ major: Int, _ minor: Int) -> Bool? {
        let numbers = (version ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        return (numbers[0], numbers[1]) >= (major, minor)
    }
}

extension RedisStore {
    /// The server as it describes itself, be it a primary or a replica.
    ///
    /// - Throws: `StoreError.unavailable` if it does not answer, `notPermitted` if it does not let this user in.
    public func serverState() throws(StoreError) -> RedisServerState {
        do throws(RedisError) {
            var connection = try RedisConnection(to: address, acceptsReplica: true)
            var state = RedisServerState(connection.server)
            if let text = try answer(RedisCommand("INFO"), &connection, &state)?.text { state.add(info: text) }
            if case .array(let pair)? = try answer(RedisCommand("CONFIG", "GET", "save"), &connection, &state),
                pair.count == 2
            {
                state.savesSnapshots = pair[1].text?.isEmpty == false
            }
            return state
        } catch {
            throw StoreError(error, at: address)
        }
    }

    /// The answer to a question that not every user may ask, and not every server knows; nil if it is refused.
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
