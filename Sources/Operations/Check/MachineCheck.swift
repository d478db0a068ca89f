import CatalogStore
import CivilTime
import FoundationEssentials
import Glibc
import Model
import ModelStore
import Service

extension HealthCheck {
    /// The tolerated lead of records over the clock, in milliseconds: clocks differ a little.
    private static let clockMilliseconds: Int64 = 60_000
    /// The free space, in bytes, below which a disk is reported, even if less is needed.
    private static let leastFreeBytes = 256 << 20

    /// Returns the findings about the lists of sessions; none is bad, because the lists can be lost.
    func sessionFindings() -> [Finding] {
        places.sessions.map { path in
            let subject = "sessions \(path)"
            do throws(ServiceError) {
                guard let examination = try SessionFileReader(path: path)?.examine() else {
                    return .good(subject, "there are none")
                }
                guard examination.damage.isEmpty, examination.damagedLists == 0 else {
                    return .warning(
                        subject,
                        examination.damage.isEmpty
                            ? "\(examination.damagedLists) of \(examination.lists) lists are damaged"
                            : "it is damaged: \(examination.damage.joined(separator: "; "))",
                        advice: "the daemon makes new lists by itself; see whether the disk is failing")
                }
                return .good(subject, "it is whole, with \(examination.lists) lists")
            } catch {
                return .warning(
                    subject, error.message, advice: "see who owns it; without it, each request gets a new list")
            }
        }
    }

    /// Returns the finding about the clock, which is bad if a record is newer than the present.
    func clockFinding(_ times: NewestTimes) -> Finding {
        guard let newest = times.newest, newest.milliseconds > now + Self.clockMilliseconds else {
            return .good("clock", "nothing is newer than now")
        }
        let time = UnixTime(seconds: newest.milliseconds / 1000)?.description ?? "\(newest.milliseconds) ms"
        return .bad(
            "clock", "\(newest.what) is dated in the future (\(time))",
            advice: "set the clock of this machine, or of the one that was ahead (\"timedatectl\" says how it is set)")
    }

    /// Returns the findings about free space on the disks for the next data.
    func diskFindings() -> [Finding] {
        var needs: [String: Int] = [Catalog.folder(of: places.catalog): size(of: places.catalog) / 10]
        for path in places.journals + places.sessions {
            needs[Catalog.folder(of: path), default: 0] += size(of: path) / 10
        }
        // A new version, and a daemon's private copy of it.
        if case .folder(let path) = places.store { needs[path, default: 0] += 2 * newestVersionBytes(path) }
        return needs.sorted { $0.key < $1.key }.compactMap { folder, need -> Finding? in
            guard let free = Self.freeBytes(folder) else { return nil }
            guard free < max(need, Self.leastFreeBytes) else {
                return .good("disk", "\(free >> 20) MiB are free in \(folder)")
            }
            return .bad(
                "disk",
                "\(free >> 20) MiB are free in \(folder), and \(max(need, Self.leastFreeBytes) >> 20) may be needed",
                advice: "free some space, or keep fewer versions (\"coterie models prune --keep\")")
        }
    }

    private func newestVersionBytes(_ folder: String) -> Int {
        (try? FolderStore(folder).versions().last?.byteCount) ?? 0
    }

    private func size(of path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns the space that this user may still write on a folder's disk, or `nil` if there is no such folder.
    private static func freeBytes(_ folder: String) -> Int? {
        var disk = statvfs()
        return unsafe statvfs(folder, &disk) == 0 ? Int(disk.f_bavail) * Int(disk.f_frsize) : nil
    }
}

extension HealthCheck {
    /// Returns the findings about the server of a store in Redis; none for a folder.
    func serverFindings(_ store: any VersionStore) throws(StoreError) -> [Finding] {
        guard let redis = store as? RedisStore else { return [] }
        let state = try redis.serverState()
        let findings = [
            kind(of: state), eviction(of: state), room(in: state, redis), persistence(of: state),
        ].compactMap(\.self)
        return findings.isEmpty ? [known(of: state, redis.location)] : findings
    }

    /// Returns the finding about a server without a known problem, with the values that it does not tell.
    ///
    /// A server that refuses `CONFIG` is usual where somebody else operates it. A server that refuses `INFO` as well
    /// does not tell its eviction policy, and eviction may remove versions.
    private func known(of state: RedisServerState, _ location: String) -> Finding {
        let version = state.version.map { "\(location) is version \($0)" } ?? location
        var (good, unknown) = ([version], [String]())
        if state.version == nil { unknown.append("which version it is") }
        if state.evictionPolicy == nil { unknown.append("what it evicts") } else { good.append("evicts nothing") }
        if state.keepsData == nil { unknown.append("whether it keeps its data") } else { good.append("keeps its data") }
        guard !unknown.isEmpty else { return .good("redis", good.formatted) }
        let refusal = state.refusal.map { ": \($0)" } ?? ""
        let message = "\(good.formatted); it does not tell \(unknown.formatted)\(refusal)"
        guard state.evictionPolicy == nil else { return .good("redis", message) }
        return .warning(
            "redis", message,
            advice: "give this user of the server the rights \"+info +config|get\", or look yourself: its "
                + "maxmemory-policy must not begin with \"allkeys\"")
    }

    private func kind(of state: RedisServerState) -> Finding? {
        if state.isAtLeast(6, 2) == false {
            return .bad("redis", "its version is \(state.version ?? "")", advice: "upgrade it to 6.2 or later")
        }
        if state.isCluster == true {
            return .bad("redis", "it is a part of a cluster", advice: "use one server, with replicas if you like")
        }
        guard state.isPrimary == false else { return nil }
        return .bad(
            "redis", "it is a replica, to which nobody can write",
            advice: "name the primary with --store, or promote this server")
    }

    /// Returns the finding about evicted keys, if any.
    ///
    /// Versions and streams have no expiry; only lists of sessions have one.
    private func eviction(of state: RedisServerState) -> Finding? {
        if let policy = state.evictionPolicy, policy.hasPrefix("allkeys") {
            let harm =
                state.maximumBytes ?? 0 > 0
                ? "without room it removes parts of versions" : "with a limit it would do harm"
            return .bad(
                "redis", "its maxmemory-policy is \(policy): \(harm)",
                advice: "set maxmemory-policy to noeviction; volatile-lru removes lists of sessions only")
        }
        guard let count = state.evictedKeys, count > 0 else { return nil }
        return .warning(
            "redis", "it has removed \(count) keys for lack of memory",
            advice: "raise maxmemory: lists of sessions are lost, and made anew")
    }

    /// Returns the finding that the next version, as large as the newest one, does not fit into memory.
    private func room(in state: RedisServerState, _ redis: RedisStore) -> Finding? {
        guard let maximum = state.maximumBytes, let used = state.usedBytes, maximum > 0,
            let newest = try? redis.versions().last
        else { return nil }
        let free = maximum - used
        guard free < newest.byteCount else { return nil }
        return .warning(
            "redis", "\(free >> 20) MiB of its memory are free, and the newest version takes more",
            advice: "raise maxmemory, or keep fewer versions (\"coterie recompute --keep\")")
    }

    private func persistence(of state: RedisServerState) -> Finding? {
        if state.hasDiskFailure {
            return .bad("redis", "it could not write to its disk", advice: "see its log, and free some space")
        }
        guard state.keepsData == false else { return nil }
        return .warning(
            "redis", "it keeps nothing on its disk: after a restart it is empty",
            advice: "set \"save\" or \"appendonly yes\"; else recompute after each of its restarts")
    }
}

extension [String] {
    /// The texts separated by commas, with "and" before the last one.
    fileprivate var formatted: String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + (count > 2 ? ", and " : " and ") + last
    }
}

extension HealthCheck {
    /// The age in days above which the current version is reported; a daemon calls it stale by default.
    private static let staleDays: Int64 = 14

    /// Returns the findings about the store and its versions.
    func storeFindings(_ times: inout NewestTimes) -> [Finding] {
        defer { removeScratch() }
        let store = store
        var server: [Finding] = []
        do throws(StoreError) {
            server = try serverFindings(store)
            let names = try store.versionNames()
            let current = try store.current()
            return server + [currentFinding(current, of: names, store)]
                + names.map { versionFinding($0, isCurrent: $0 == current, store, &times) }
        } catch {
            return server + [.bad("store", error.message, advice: Self.advice(on: error))]
        }
    }

    private func currentFinding(_ current: VersionName?, of names: [VersionName], _ store: any VersionStore) -> Finding
    {
        guard let current else {
            return .bad("store", "\(store.location) has no current version", advice: "run \"coterie recompute\"")
        }
        guard names.contains(current) else {
            return .bad(
                "store", "\(store.location) says that \(current) is current, but does not have it",
                advice: names.isEmpty
                    ? "run \"coterie recompute\"" : "run \"coterie rollback\" to a version that is listed, or recompute"
            )
        }
        let count = names.count == 1 ? "one version" : "\(names.count) versions"
        return .good("store", "\(store.location) has \(count); \(current) is current")
    }

    /// Returns the finding about a version, after reading all of it and comparing it with its checksums.
    private func versionFinding(
        _ name: VersionName, isCurrent: Bool, _ store: any VersionStore, _ times: inout NewestTimes
    ) -> Finding {
        let subject = "version \(name)"
        do throws(StoreError) {
            let loaded = try store.load(name)
            _ = try store.members(of: loaded)
            let created = loaded.manifest.createdAtMilliseconds
            times.note("version \(name)", created)
            let days = (now - created) / 86_400_000
            if isCurrent, days > Self.staleDays {
                return .warning(
                    subject, "it is whole, but \(days) days old, and current",
                    advice: "see why \"coterie recompute\" does not run, or is refused (\"coterie models\")")
            }
            return .good(subject, "it has its checksums")
        } catch {
            if isCurrent {
                return .bad(
                    subject, error.message,
                    advice: "run \"coterie recompute\"; until then \"coterie rollback\" returns to one that is whole")
            }
            if error.code == .otherFormat {
                return .warning(
                    subject, error.message, advice: "nothing serves it, and the next recomputes remove it in time")
            }
            return .bad(
                subject, error.message,
                advice: "nothing serves it; the next recomputes remove it, or \"coterie models prune\"")
        }
    }

    static func advice(on error: StoreError) -> String {
        switch error.code {
        case .unavailable: "start the server, or name another store with --store"
        case .replica: "name the primary with --store, or promote this server"
        case .notPermitted: "give the user of the server these rights, or log in as another user, and check again"
        case .busy: "try again when it is done"
        case .corrupt, .otherFormat, .unknownVersion: "run \"coterie recompute\""
        case .badLocation, .writeFailed: "do what the message says, and check again"
        }
    }

    /// Removes the data read from a server.
    private func removeScratch() { try? FileManager.default.removeItem(atPath: scratchFolder) }
}
