import Redis

/// The board of a store in Redis: a key for each daemon, which expires, and a set of their ids.
struct RedisBoard: DaemonBoard {
    let store: RedisStore

    func post(_ report: [UInt8], ofDaemon id: String) throws(StoreError) {
        let script = """
            redis.call('SADD', KEYS[1], ARGV[1])
            redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[2])
            return 1
            """
        var command = RedisCommand(
            "EVAL", script, "2", store.layout.daemons, store.layout.daemon(id), id,
            String(DaemonReports.lifetimeSeconds))
        command.append(report)
        _ = try store.ask(command)
    }

    func withdraw(_ id: String) throws(StoreError) {
        let script = "redis.call('SREM', KEYS[1], ARGV[1]) return redis.call('DEL', KEYS[2])"
        _ = try store.ask(RedisCommand("EVAL", script, "2", store.layout.daemons, store.layout.daemon(id), id))
    }

    func reports() throws(StoreError) -> [[UInt8]] {
        let script = """
            local ids, reports = redis.call('SMEMBERS', KEYS[1]), {}
            table.sort(ids)
            for _, id in ipairs(ids) do
              local report = redis.call('GET', KEYS[2] .. id)
              if report then table.insert(reports, report) else redis.call('SREM', KEYS[1], id) end
            end
            return reports
            """
        let reply = try store.ask(RedisCommand("EVAL", script, "2", store.layout.daemons, store.layout.daemon("")))
        guard case .array(let values) = reply else {
            throw StoreError(.corrupt, "\(store.location) did not answer with what daemons say")
        }
        return values.compactMap { value in
            guard case .bytes(let bytes) = value, bytes.count <= DaemonReports.maximumByteCount else { return nil }
            return bytes
        }
    }
}
