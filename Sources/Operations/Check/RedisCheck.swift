import Changes
import Model
import ModelStore

extension HealthFault {
    static let redisTooOld = HealthFault(.bad, "its version is before 6.2", advice: "upgrade it to 6.2 or later")
    static let redisCluster = HealthFault(
        .bad, "it is a part of a cluster", advice: "use one server, with replicas if you like")
    static let redisReplica = HealthFault(
        .bad, "it is a replica", advice: "name the primary with --store, or promote this server")
    static let redisRights = HealthFault(
        .bad, "its user may not do all that daemons and recomputes do",
        advice: "give the user the rights that the article \"Several daemons\" names")
    static let redisEvictsVersions = HealthFault(
        .bad, "its maxmemory-policy begins with allkeys",
        advice: "set maxmemory-policy to noeviction; volatile-lru removes lists of sessions only")
    static let redisEvicted = HealthFault(
        .warning, "it has evicted keys since the last check, or lately", bound: .evictionDays,
        advice: "raise maxmemory: lists of sessions are lost, and made anew")
    static let redisRefuses = HealthFault(
        .bad, "its memory is full, so it refuses what is written",
        advice: "raise maxmemory, or remove older versions with \"coterie models prune\"")
    static let redisFull = HealthFault(
        .warning, "its memory is nearly used up", bound: .memoryPercent, advice: "raise maxmemory")
    static let redisWithoutRoom = HealthFault(
        .warning, "its free memory is smaller than the newest version",
        advice: "raise maxmemory, or keep fewer versions (\"coterie recompute --keep\")")
    static let redisDisk = HealthFault(
        .bad, "it could not write to its disk", advice: "see its log, and free some space")
    static let redisForgetful = HealthFault(
        .warning, "it keeps nothing on its disk",
        advice: "set \"save\" or \"appendonly yes\"; else recompute after each of its restarts")
    static let redisSilent = HealthFault(
        .warning, "it does not tell its eviction policy",
        advice: "give this user of the server the rights \"+info +config|get\", or look yourself: its "
            + "maxmemory-policy must not begin with \"allkeys\"")
    static let redisClock = HealthFault(
        .bad, "its clock differs from the clock of this machine", bound: .clockSeconds,
        advice: "set the clock that is wrong (\"timedatectl\" says how it is set)")

    static let streamGap = HealthFault(
        .bad, "changes are neither in the current version nor in the stream of their journal",
        advice: "start the daemon of the journal, which sends them again; else recompute with --skip-missing")
    static let streamThin = HealthFault(
        .warning, "a stream lacks changes between others",
        advice: "keep the daemons running: one that has these changes makes the stream anew")
}

extension HealthQuestion {
    static let redis = HealthQuestion(
        "redis", looksAt: "the server of a store in Redis: its role, memory, evictions, disk, rights and clock",
        faults: [
            .redisTooOld, .redisCluster, .redisReplica, .redisRights, .redisEvictsVersions, .redisEvicted,
            .redisRefuses,
            .redisFull, .redisWithoutRoom, .redisDisk, .redisForgetful, .redisSilent, .redisClock,
        ]
    ) { check, record in
        // Another question says why a server does not answer.
        guard let redis = check.store as? RedisStore, let state = try? redis.serverState() else { return [] }
        record.server = state
        let findings =
            [
                check.kind(of: state), check.rights(redis, state), check.eviction(of: state),
                check.room(in: state, redis),
                check.persistence(of: state), check.clock(of: state),
            ].compactMap(\.self)
        return findings.isEmpty ? [check.known(of: state, redis.location)] : findings
    }

    static let streams = HealthQuestion(
        "streams", looksAt: "the streams in Redis, and whether each continues the current version",
        faults: [.streamGap, .streamThin]
    ) { check, record in
        guard let exchange = try? check.store.shared?.exchange() else { return [] }
        let taken = record.manifests.first { $0.version == record.current }?.taken
        let findings = exchange.streams.sorted { $0.key < $1.key }.compactMap { origin, numbers -> Finding? in
            if let taken, numbers.after > taken.last(of: origin), numbers.last > taken.last(of: origin) {
                return .found(
                    .streamGap,
                    "changes \(taken.last(of: origin) + 1) to \(numbers.after) of the journal \(origin) are missing")
            }
            guard !numbers.isWhole else { return nil }
            return .found(
                .streamThin,
                "the stream of the journal \(origin) lacks \(numbers.last - numbers.after - Int64(numbers.count)) changes"
            )
        }
        let count = exchange.streams.values.reduce(0) { $0 + $1.count }
        return findings.isEmpty
            ? [.good("they continue the current version, with \(count) changes")] : findings
    }
}

extension HealthCheck {
    /// Returns the finding about a server without a known problem, with the values that it does not tell.
    ///
    /// A server that refuses `CONFIG` is usual where somebody else operates it. A server that refuses `INFO` as well
    /// does not tell its eviction policy, and eviction may remove versions.
    fileprivate func known(of state: RedisServerState, _ location: String) -> Finding {
        let version = state.version.map { "\(location) is version \($0)" } ?? location
        var (good, unknown) = ([version], [String]())
        if state.version == nil { unknown.append("which version it is") }
        if let policy = state.evictionPolicy {
            good.append(policy == "noeviction" ? "evicts nothing" : "evicts only lists of sessions (\(policy))")
        } else {
            unknown.append("what it evicts")
        }
        if state.keepsData == nil { unknown.append("whether it keeps its data") } else { good.append("keeps its data") }
        guard !unknown.isEmpty else { return .good(good.formatted) }
        let refusal = state.refusal.map { ": \($0)" } ?? ""
        let message = "\(good.formatted); it does not tell \(unknown.formatted)\(refusal)"
        return state.evictionPolicy == nil ? .found(.redisSilent, message) : .good(message)
    }

    fileprivate func kind(of state: RedisServerState) -> Finding? {
        if state.isAtLeast(6, 2) == false { return .found(.redisTooOld, "its version is \(state.version ?? "")") }
        if state.isCluster == true { return .found(.redisCluster, "it is a part of a cluster") }
        guard state.isPrimary == false else { return nil }
        return .found(.redisReplica, "it is a replica, to which nobody can write")
    }

    /// Returns the finding about commands that the server refuses to its user.
    ///
    /// A replica refuses to write, whoever asks.
    fileprivate func rights(_ redis: RedisStore, _ state: RedisServerState) -> Finding? {
        guard state.isPrimary != false, let refused = try? redis.refusedCommands(), !refused.isEmpty else { return nil }
        return .found(.redisRights, "it refuses \(refused.map(\.name).formatted) to its user: \(refused[0].reason)")
    }

    /// Returns the finding about evicted keys, if any.
    ///
    /// Versions and streams have no expiry. Lists of sessions, reports of daemons and the lease of a publisher have
    /// one.
    /// A count since the start of the server says nothing of now, so it counts for some days only.
    fileprivate func eviction(of state: RedisServerState) -> Finding? {
        if let policy = state.evictionPolicy, policy.hasPrefix("allkeys") {
            let harm =
                state.maximumBytes ?? 0 > 0
                ? "without room it removes parts of versions" : "with a limit it would do harm"
            return .found(.redisEvictsVersions, "its maxmemory-policy is \(policy): \(harm)")
        }
        guard let count = state.evictedKeys, count > 0 else { return nil }
        let policy = state.evictionPolicy.map { " (\($0))" } ?? ""
        if let before = evictedBefore, before <= count {
            guard count > before else { return nil }
            return .found(
                .redisEvicted, "it has removed \(count - before) keys since the last check, for lack of memory\(policy)"
            )
        }
        guard let seconds = state.uptimeSeconds, seconds <= self[.evictionDays] * 86_400 else { return nil }
        return .found(
            .redisEvicted,
            "it has removed \(count) keys for lack of memory\(policy) since its start, \(seconds / 3600) h ago"
        )
    }

    /// Returns the finding that memory is short, or that the next version, as large as the newest one, does not fit.
    fileprivate func room(in state: RedisServerState, _ redis: RedisStore) -> Finding? {
        guard let maximum = state.maximumBytes, let used = state.usedBytes, maximum > 0 else { return nil }
        let free = maximum - used
        // A server that evicts may be at its limit all the time, and still makes room.
        guard !redis.isFull else {
            return .found(.redisRefuses, "\(used >> 20) of \(maximum >> 20) MiB of its memory are used")
        }
        if let newest = try? redis.versions().last, free < newest.byteCount {
            return .found(
                .redisWithoutRoom, "\(free >> 20) MiB of its memory are free, and the newest version takes more")
        }
        guard used > maximum / 100 * self[.memoryPercent] else { return nil }
        return .found(.redisFull, "\(used >> 20) of \(maximum >> 20) MiB of its memory are used")
    }

    fileprivate func persistence(of state: RedisServerState) -> Finding? {
        if state.hasDiskFailure {
            return .found(
                .redisDisk, "its last save to its disk failed; by default it refuses all writes until one succeeds")
        }
        guard state.keepsData == false else { return nil }
        return .found(.redisForgetful, "it keeps nothing on its disk: after a restart it is empty")
    }

    fileprivate func clock(of state: RedisServerState) -> Finding? {
        guard let lead = state.clockLeadMilliseconds, abs(lead) > Int64(self[.clockSeconds]) * 1000 else { return nil }
        return .found(
            .redisClock,
            "its clock is \(abs(lead) / 1000) s \(lead > 0 ? "ahead of" : "behind") the clock of this machine")
    }
}

extension [String] {
    /// The texts separated by commas, with "and" before the last one.
    var formatted: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + (count > 2 ? ", and " : " and ") + last
    }
}
