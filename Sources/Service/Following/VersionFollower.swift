import Model
import ModelStore
import Synchronization

/// Follows the current version of a store: loads what becomes current beside the version that serves, then swaps.
///
/// Whatever the store does, the version that serves stays until another has been loaded and verified.
final class VersionFollower: Sendable {
    /// What requests see.
    struct State {
        /// The version that serves; nil before the first.
        var snapshot: ModelSnapshot?
        /// Other versions from which lists are made, for arms of experiments that name them.
        var others: [VersionName: ModelSnapshot] = [:]
        /// When the version that serves was taken up, in Unix milliseconds; nil before the first.
        var takenAtMilliseconds: Int64?
        /// Of the newest version that the store had when the one that serves was loaded; nil if it is not known yet.
        ///
        /// After a rollback, it tells what was hidden by then.
        var newest: Manifest?
        /// Why the version that serves may not be the current one; nil if all is well.
        var problem: String? = "no version has been looked for yet"
        /// Whether the store answered when it was last asked.
        var storeIsReachable = false
        /// When the store was first found not to answer, in Unix milliseconds; nil if it answers.
        var storeUnreachableSinceMilliseconds: Int64?

        /// A version that is loaded; nil if it is not.
        func snapshot(of version: VersionName) -> ModelSnapshot? {
            snapshot?.version == version ? snapshot : others[version]
        }
    }

    /// A version that could not be loaded, and how often that was tried.
    private struct Failure {
        let error: StoreError
        var count: Int
        /// Polls to let pass before the next attempt: loading reads and verifies all of a version.
        var pause: Int
    }

    /// The longest pause between attempts to load a version that fails, in polls.
    static let longestPause = 64

    let store: any VersionStore
    private let planning: Mutex<Planning>
    /// Whether lists are to be made in another way than the version that serves makes them.
    private let hasNewPlanning = Atomic(false)
    private let changes: ChangeClock
    private let log: EventLog
    private let now: @Sendable () -> Int64
    private let failedPolls = Atomic<UInt64>(0)
    private let state = Mutex(State())
    private let failures = Mutex<[VersionName: Failure]>([:])
    /// The versions that arms of experiments name.
    private let wanted = Mutex<Set<VersionName>>([])
    /// Whether they can be loaded.
    let otherVersions: Condition
    /// Whether the version loaded last may still be asked for; only once, as it does not change by itself.
    private let mayAskForLastLoaded = Mutex(true)

    /// - Parameters:
    ///   - changes: where it is noted that answers have changed.
    ///   - now: the time, in Unix milliseconds.
    init(
        store: any VersionStore, planning: Planning, changes: ChangeClock = ChangeClock(), log: EventLog,
        now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        self.planning = Mutex(planning)
        self.changes = changes
        self.log = log
        self.now = now
        otherVersions = Condition(
            "experiment_versions", "Whether the versions that arms of experiments name can be loaded",
            recovery: "the versions that arms of experiments name can be loaded again", log: log, calmSeconds: 0)
    }

    /// The state right now; requests ask once.
    var current: State { state.withLock { $0 } }

    /// How often asking for the current version, or loading it, failed.
    var pollFailureCount: UInt64 { failedPolls.load(ordering: .relaxed) }

    /// Makes lists in another way, from the next poll on.
    func use(_ planning: Planning) {
        self.planning.withLock { $0 = planning }
        hasNewPlanning.store(true, ordering: .releasing)
    }

    private func takeUpPlanning() {
        guard hasNewPlanning.exchange(false, ordering: .acquiring) else { return }
        let planning = planning.withLock { $0 }
        update { state in
            state.snapshot = state.snapshot.map { ModelSnapshot($0, planning: planning) }
            state.others = state.others.mapValues { ModelSnapshot($0, planning: planning) }
        }
    }

    /// Keeps these versions loaded beside the current one, from the next poll on, and no others.
    func keepLoaded(_ versions: Set<VersionName>) { wanted.withLock { $0 = versions } }

    /// Loads the versions that are wanted, and lets go of others.
    private func loadOthers() {
        let wanted = wanted.withLock { $0 }
        let state = current
        if state.others.keys.contains(where: { !wanted.contains($0) }) {
            update { $0.others = $0.others.filter { wanted.contains($0.key) } }
        }
        var problem: String?
        for version in wanted.sorted() where state.snapshot(of: version) == nil {
            do throws(StoreError) {
                try rejectDuringPause(of: version)
                let snapshot = try load(version)
                update { $0.others[version] = snapshot }
                log.info("making lists from version \(version) as well: arms of experiments name it")
            } catch { problem = "an arm of an experiment names a version, and has no members: \(error.message)" }
        }
        if let problem { otherVersions.failed(problem) } else { otherVersions.worked() }
    }

    /// Changes what requests see.
    ///
    /// It is noted before anybody can see it, so that who has seen it is not given an answer from before.
    private func update(_ change: (inout State) -> Void) {
        state.withLock { state in
            let (version, takenAt) = (state.snapshot?.version, state.takenAtMilliseconds)
            change(&state)
            state.takenAtMilliseconds = state.snapshot?.version == version ? takenAt : now()
            changes.everythingChanged()
        }
    }

    /// Asks the store once, and loads and serves what is current; called by one thread at a time.
    func poll() {
        defer { loadOthers() }
        // First: a server may be away, have lost everything, or be slow to answer.
        serveLastLoaded()
        takeUpPlanning()
        do throws(StoreError) {
            guard let version = try store.current() else {
                return note(problem: "the store \(store.location) has no current version yet", reachable: true)
            }
            guard version != current.snapshot?.version || current.snapshot?.lacksMembers == true else {
                if current.newest == nil { try learnNewest() }
                return note(problem: nil, reachable: true)
            }
            try rejectDuringPause(of: version)
            do throws(StoreError) { try loadAndServe(version) } catch {
                serveOlder(than: version)
                throw error
            }
        } catch {
            failedPolls.wrappingAdd(1, ordering: .relaxed)
            note(problem: error.message, reachable: !error.code.isOutOfReach)
        }
    }

    /// When the daemon starts, serves the version that was loaded last on this machine: that works while the store is
    /// away, and with a store that has lost or damaged the version.
    private func serveLastLoaded() {
        let mayAsk = mayAskForLastLoaded.withLock { mayAsk in
            defer { mayAsk = false }
            return mayAsk
        }
        // Nothing depends on it: if it fails, the next start does it.
        if mayAsk { try? store.shared?.sweep() }
        guard mayAsk, current.snapshot == nil, let loaded = try? store.shared?.lastLoaded() else { return }
        // Its members may be damaged, and the store away: then groups are served, and members when the store is back.
        let snapshot = (try? self.snapshot(of: loaded)) ?? ModelSnapshot(loaded, planning: planning.withLock { $0 })
        update { $0.snapshot = snapshot }
        log.info("serving version \(snapshot.version): \(snapshot.model.groupCount) groups, from the image kept of it")
    }

    /// With nothing to serve, serves the newest version before one that cannot be loaded, but none that was refused.
    private func serveOlder(than version: VersionName) {
        guard current.snapshot == nil, let names = try? store.versionNames() else { return }
        for name in names.reversed() where name < version {
            guard let loaded = try? store.load(name), loaded.manifest.objections == nil,
                let snapshot = try? snapshot(of: loaded)
            else { continue }
            update { $0.snapshot = snapshot }
            log.warning("serving version \(name), an older one: \(snapshot.model.groupCount) groups")
            return
        }
    }

    /// Asks what the newest version is, where the one that serves was taken up without the store.
    private func learnNewest() throws(StoreError) {
        let newest = try store.versions().last
        update { $0.newest = newest }
    }

    private func snapshot(of loaded: LoadedVersion) throws(StoreError) -> ModelSnapshot {
        ModelSnapshot(loaded, members: try store.shared?.members(of: loaded), planning: planning.withLock { $0 })
    }

    private func loadAndServe(_ version: VersionName) throws(StoreError) {
        let snapshot = if let other = current.others[version] { other } else { try load(version) }
        let newest = try? store.versions().last
        let wanted = wanted.withLock { $0 }
        update { state in
            var others = state.others
            // Arms that name the version that served go on with it, without a pause.
            if let before = state.snapshot, wanted.contains(before.version), !before.lacksMembers {
                others[before.version] = before
            }
            state = State(
                snapshot: snapshot, others: others, newest: newest, problem: nil, storeIsReachable: true)
        }
        log.info("serving version \(version): \(snapshot.model.groupCount) groups, from \(store.location)")
        remember(version)
    }

    /// Loads a version; after a failure only from time to time.
    private func load(_ version: VersionName) throws(StoreError) -> ModelSnapshot {
        do throws(StoreError) {
            let snapshot = try snapshot(of: store.load(version))
            failures.withLock { $0[version] = nil }
            return snapshot
        } catch {
            let error = StoreError(error.code, "version \(version) cannot be loaded: \(error.message)")
            failures.withLock { failures in
                let count = (failures[version]?.count ?? 0) + 1
                failures[version] = Failure(
                    error: error, count: count, pause: min(1 << min(count, 6), Self.longestPause))
            }
            throw error
        }
    }

    /// Notes which version to serve if the daemon starts again while the store is away; whether or not that works, the
    /// version serves now.
    private func remember(_ version: VersionName) {
        do throws(StoreError) {
            try store.shared?.remember(version)
        } catch {
            log.warning("version \(version) will not be served while the store is away: \(error.message)")
        }
    }

    /// Throws the error of a version that failed, as long as its pause lasts.
    private func rejectDuringPause(of version: VersionName) throws(StoreError) {
        let error: StoreError? = failures.withLock { failures in
            guard let last = failures[version], last.pause > 0 else { return nil }
            failures[version]?.pause = last.pause - 1
            return last.error
        }
        if let error { throw error }
    }

    /// Notes what is wrong, and logs it if it was not so before.
    private func note(problem: String?, reachable: Bool) {
        let (before, snapshot) = state.withLock { state in
            let before = state.problem
            state.problem = problem
            state.storeIsReachable = reachable
            state.storeUnreachableSinceMilliseconds =
                reachable ? nil : state.storeUnreachableSinceMilliseconds ?? now()
            if problem != before { changes.everythingChanged() }
            return (before, state.snapshot)
        }
        guard problem != before else { return }
        let serving = snapshot.map { "goes on serving version \($0.version)" } ?? "has no version to serve"
        if let problem {
            log.warning("\(problem); the daemon \(serving)")
        } else {
            log.info("the store answers again; the daemon \(serving)")
        }
    }
}
