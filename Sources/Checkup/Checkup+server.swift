import Model
import ModelStore

extension Checkup {
    /// What is wrong with the server of a store in Redis; nothing for a folder.
    func serverFindings(_ store: any VersionStore) throws(StoreError) -> [Finding] {
        guard let redis = store as? RedisStore else { return [] }
        let state = try redis.serverState()
        let findings = [
            kind(of: state), eviction(of: state), room(in: state, redis), persistence(of: state),
        ].compactMap(\.self)
        return findings.isEmpty
            ? [.good("redis", "\(redis.location) is version \(state.version), evicts nothing, and keeps its data")]
            : findings
    }

    private func kind(of state: RedisServerState) -> Finding? {
        if !state.isAtLeast(6, 2) {
            return .bad("redis", "its version is \(state.version)", advice: "upgrade it to 6.2 or later")
        }
        if state.isCluster {
            return .bad("redis", "it is a part of a cluster", advice: "use one server, with replicas if you like")
        }
        guard !state.isPrimary else { return nil }
        return .bad("redis", "it is a replica, to which nobody can write", advice: "name the primary with --store")
    }

    /// Without an expiry are versions and streams, with one only the lists of sessions.
    private func eviction(of state: RedisServerState) -> Finding? {
        if state.evictionPolicy.hasPrefix("allkeys") {
            let harm =
                state.maximumBytes > 0 ? "without room it removes parts of versions" : "with a limit it would do harm"
            return .bad(
                "redis", "its maxmemory-policy is \(state.evictionPolicy): \(harm)",
                advice: "set maxmemory-policy to noeviction; volatile-lru removes lists of sessions only")
        }
        guard state.evictedKeys > 0 else { return nil }
        return .warning(
            "redis", "it has removed \(state.evictedKeys) keys for lack of memory",
            advice: "raise maxmemory: lists of sessions are lost, and made anew")
    }

    /// The next version needs as much room as the last one.
    private func room(in state: RedisServerState, _ redis: RedisStore) -> Finding? {
        guard state.maximumBytes > 0, let newest = try? redis.versions().last else { return nil }
        let free = state.maximumBytes - state.usedBytes
        guard free < newest.byteCount else { return nil }
        return .warning(
            "redis", "\(free >> 20) MiB of its memory are free, and the newest version takes more",
            advice: "raise maxmemory, or keep fewer versions (\"coterie recompute --keep\")")
    }

    private func persistence(of state: RedisServerState) -> Finding? {
        if state.hasDiskFailure {
            return .bad("redis", "it could not write to its disk", advice: "see its log, and free some space")
        }
        guard !state.hasLog, state.savesSnapshots == false else { return nil }
        return .warning(
            "redis", "it keeps nothing on its disk: after a restart it is empty",
            advice: "set \"save\" or \"appendonly yes\"; else recompute after each of its restarts")
    }
}
