import Redis

/// What a Redis server says of itself, as far as a store depends on it.
public struct RedisServerState: Sendable, Equatable {
    /// The server's version, such as `7.0.15`.
    public var version = ""
    /// Whether it is a primary, to which one may write.
    public var isPrimary = true
    /// Whether it is a part of a cluster.
    public var isCluster = false
    /// Whether it still reads its data from the disk.
    public var isLoading = false
    /// The memory that its data takes, in bytes.
    public var usedBytes = 0
    /// The most memory that its data may take, in bytes; 0 for no limit.
    public var maximumBytes = 0
    /// What it removes when there is no more memory, such as `noeviction`.
    public var evictionPolicy = ""
    /// How many keys it has removed for lack of memory since it was started.
    public var evictedKeys = 0
    /// Whether it writes every change to a log on its disk.
    public var hasLog = false
    /// Whether it saves its data from time to time; nil if this user may not ask.
    public var savesSnapshots: Bool?
    /// Whether it could not write to its disk when it tried last.
    public var hasDiskFailure = false

    init() {}

    /// Reads what `INFO` says.
    init(info text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...])
            switch line[..<colon] {
            case "redis_version": version = value
            case "role": isPrimary = value == "master"
            case "cluster_enabled": isCluster = value == "1"
            case "loading": isLoading = value == "1"
            case "used_memory": usedBytes = Int(value) ?? 0
            case "maxmemory": maximumBytes = Int(value) ?? 0
            case "maxmemory_policy": evictionPolicy = value
            case "evicted_keys": evictedKeys = Int(value) ?? 0
            case "aof_enabled": hasLog = value == "1"
            case "rdb_last_bgsave_status", "aof_last_write_status": hasDiskFailure = hasDiskFailure || value != "ok"
            default: break
            }
        }
    }

    /// Whether the version is at least one of these numbers.
    public func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) >= (major, minor)
    }
}

extension RedisStore {
    /// What the server says of itself.
    ///
    /// - Throws: `StoreError.unavailable` if it does not answer.
    public func serverState() throws(StoreError) -> RedisServerState {
        guard let text = try ask(RedisCommand("INFO")).text else {
            throw StoreError(.corrupt, "\(location) did not say what it is")
        }
        var state = RedisServerState(info: text)
        // Where this is not allowed, it stays unknown.
        if case .array(let pair)? = try? ask(RedisCommand("CONFIG", "GET", "save")), pair.count == 2 {
            state.savesSnapshots = pair[1].text?.isEmpty == false
        }
        return state
    }
}
