import Basics
import Model
import ModelStore
import Synchronization

/// Follows the current version of a store: loads the new version while the old one serves, and then swaps them.
///
/// Whatever happens to the store, the old version serves until the new one has been loaded and verified.
final class VersionFollower: Sendable {
    /// The state that requests see.
    struct State {
        /// The serving version, or `nil` before the first.
        var snapshot: ModelSnapshot?
        /// The other versions that arms of experiments name, and make lists from.
        var others: [VersionName: ModelSnapshot] = [:]
        /// The time at which the serving version was taken up, in Unix milliseconds, or `nil` before the first.
        var takenAtMilliseconds: Int64?
        /// The state of the site, for a daemon that does not read it in the catalog.
        var site: PublishedSite?
        /// A number that grows with every change of the groups of this state.
        var siteRevision: UInt64 = 0
        /// The reason that the serving version may not be the current one, or `nil` if there is no problem.
        var problem: String? = Self.notYet
        /// Whether the store answered the last time.
        var storeIsReachable = false
        /// The first time that the store did not answer, in Unix milliseconds, or `nil` if it answers.
        var storeUnreachableSinceMilliseconds: Int64?

        private static let notYet = "no version has been looked for yet"
        /// Whether the store was asked for a version.
        var hasLooked: Bool { problem != Self.notYet }

        /// Whether the members of the serving version are not here yet, or were erased or made anew since.
        var mustLoadMembers: Bool { snapshot.map { $0.lacksMembers || isOutdated($0) } ?? false }

        /// Whether members of a version were erased or made anew after it was loaded.
        func isOutdated(_ snapshot: ModelSnapshot) -> Bool {
            let number = snapshot.manifest.erasure?.number ?? 0
            return snapshot.members != nil && number < site?.erasures?[snapshot.version.description] ?? 0
        }

        /// Returns a loaded version, or `nil` if it is not loaded.
        func snapshot(of version: VersionName) -> ModelSnapshot? {
            snapshot?.version == version ? snapshot : others[version]
        }
    }

    /// A version that could not be loaded, and the number of attempts.
    private struct FailedVersion {
        let error: Failure
        var count: Int
        /// The polls to skip before the next attempt, because loading reads and verifies a whole version.
        var pause: Int
    }

    /// The knowledge of whether the store still has all parts of a version.
    private struct Presence {
        var version: VersionName?
        /// The polls since the version serves.
        var polls = 0
        /// The number of the next question.
        var turn = 0
        /// The part that was missing the last time.
        var missing: String?
    }

    /// The number of polls of which one asks whether the store still has the serving version.
    private static let pollsPerPresence = 8
    /// The longest pause between attempts to load a failing version, in polls.
    static let longestPause = 64

    let store: any VersionStore
    private let neededParts: Mutex<VersionNeeds>
    /// The beginning of the state of the site that was read last.
    private let siteMark = Mutex<[UInt8]?>(nil)
    private let planning: Mutex<Planning>
    /// Whether a new configuration waits to be taken up.
    private let hasNewPlanning = Atomic(false)
    private let changes: ChangeClock
    private let log: EventLog
    private let now: @Sendable () -> Int64
    private let failedPolls = Atomic<UInt64>(0)
    private let state = Mutex(State())
    private let failures = Mutex<[VersionName: FailedVersion]>([:])
    /// The versions that arms of experiments name.
    private let wanted = Mutex<Set<VersionName>>([])
    /// The last answer to whether the store still has all parts of the serving version.
    private let presence = Mutex(Presence())
    /// The condition that shows whether these versions can be loaded.
    let otherVersions: HealthCondition
    /// Whether the version loaded last may still be asked for, which is done once.
    private let mayAskForLastLoaded = Mutex(true)

    /// Creates a follower, which loads nothing until `poll`.
    ///
    /// - Parameters:
    ///   - needs: the data that is read from the store besides groups.
    ///   - log: the log for events.
    ///   - now: returns the time, in Unix milliseconds.
    init(
        store: any VersionStore, needs: VersionNeeds = VersionNeeds(),
        planning: Planning, changes: ChangeClock = ChangeClock(), log: EventLog,
        now: @escaping @Sendable () -> Int64
    ) {
        self.store = store
        neededParts = Mutex(needs)
        self.planning = Mutex(planning)
        self.changes = changes
        self.log = log
        self.now = now
        otherVersions = HealthCondition(
            "experiment_versions", "Whether the versions that arms of experiments name can be loaded",
            recovery: "the versions that arms of experiments name can be loaded again", log: log, calmSeconds: 0)
    }

    /// The current state; a request reads it once.
    var current: State { state.withLock { $0 } }

    /// The number of failures to ask for the current version, or to load it.
    var pollFailureCount: UInt64 { failedPolls.load(ordering: .relaxed) }

    private var needs: VersionNeeds { neededParts.withLock { $0 } }

    /// Reads other data from the store, from the next poll on.
    func use(_ needs: VersionNeeds) {
        neededParts.withLock { $0 = needs }
        guard !needs.site else { return }
        update { state in
            state.site = nil
            state.siteRevision += 1
        }
    }

    /// Sets another configuration of lists, from the next poll on.
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

    /// Keeps only these versions loaded besides the current one, from the next poll on.
    func keepLoaded(_ versions: Set<VersionName>) { wanted.withLock { $0 = versions } }

    /// Loads the wanted versions, and drops others.
    private func loadOthers() {
        let wanted = wanted.withLock { $0 }
        let state = current
        func isKept(_ other: (key: VersionName, value: ModelSnapshot)) -> Bool {
            wanted.contains(other.key) && !state.isOutdated(other.value)
        }
        if !state.others.allSatisfy(isKept) { update { $0.others = $0.others.filter(isKept) } }
        var problem: String?
        for version in wanted.sorted() where current.snapshot(of: version) == nil {
            do throws(Failure) {
                try rejectDuringPause(of: version)
                let snapshot = try load(version)
                update { $0.others[version] = snapshot }
                log.info("making lists from version \(version) as well: arms of experiments name it")
            } catch { problem = "an arm of an experiment names a version, and has no members: \(error.message)" }
        }
        if let problem { otherVersions.failed(problem) } else { otherVersions.worked() }
    }

    /// Changes the state that requests see.
    ///
    /// The change is noted before it is visible, so that nobody who has seen it gets an older answer from the cache.
    private func update(_ change: (inout State) -> Void) {
        state.withLock { state in
            let (version, takenAt) = (state.snapshot?.version, state.takenAtMilliseconds)
            change(&state)
            state.takenAtMilliseconds = state.snapshot?.version == version ? takenAt : now()
            changes.everythingChanged()
        }
    }

    /// Asks the store once, then loads and serves the current version; called by one thread at a time.
    func poll() {
        defer { loadOthers() }
        // Done first, because the store may be away, empty or slow.
        serveLastLoaded()
        takeUpPlanning()
        do throws(Failure) {
            guard let version = try currentVersion() else {
                return note(problem: "the store \(store.location) has no current version yet", reachable: true)
            }
            guard version != current.snapshot?.version || current.mustLoadMembers else {
                if needs.site, try store.siteMark() != siteMark.withLock({ $0 }) { try learnSite() }
                return note(problem: try lostPart() ?? current.site?.gap(at: store.location), reachable: true)
            }
            try rejectDuringPause(of: version)
            do throws(Failure) { try loadAndServe(version) } catch {
                serveOlder(than: version)
                throw error
            }
            note(problem: current.site?.gap(at: store.location), reachable: true)
        } catch {
            failedPolls.wrappingAdd(1, ordering: .relaxed)
            note(problem: error.message, reachable: !error.code.isOutOfReach)
        }
    }

    /// Returns the problem that the store has lost a part of the serving version, or `nil` if it has not.
    ///
    /// This daemon goes on serving its copy, but another one could not load the version. The store is asked at every
    /// eighth poll only; in between, the last answer holds.
    private func lostPart() throws(Failure) -> String? {
        guard let shared = store.shared, let snapshot = current.snapshot else { return nil }
        var presence = presence.withLock { $0 }
        if presence.version != snapshot.version { presence = Presence(version: snapshot.version) }
        if presence.polls.isMultiple(of: Self.pollsPerPresence) {
            let loaded = LoadedVersion(manifest: snapshot.manifest, model: snapshot.model)
            presence.missing = try shared.missingPart(of: loaded, turn: presence.turn)
            // While something is missing, the same turn asks for it again.
            if presence.missing == nil { presence.turn += 1 }
        }
        presence.polls += 1
        let asked = presence
        self.presence.withLock { $0 = asked }
        return presence.missing.map { part in
            """
            the store has lost a part of version \(snapshot.version), \(part): Redis has evicted it, or somebody \
            removed it; recompute, and see maxmemory-policy
            """
        }
    }

    /// Serves, at the start of the daemon, the version that was loaded last on this machine.
    ///
    /// This works even if the store is away, or has lost or damaged the version.
    private func serveLastLoaded() {
        let mayAsk = mayAskForLastLoaded.withLock { mayAsk in
            defer { mayAsk = false }
            return mayAsk
        }
        // A failure does not matter: the next start sweeps again.
        if mayAsk { try? store.shared?.sweep() }
        guard mayAsk, current.snapshot == nil, let loaded = try? store.shared?.lastLoaded() else { return }
        // The members may be damaged and the store away. Then groups are served now, and members after the store is
        // back.
        let snapshot = (try? self.snapshot(of: loaded)) ?? ModelSnapshot(loaded, planning: planning.withLock { $0 })
        try? learnSite()
        update { $0.snapshot = snapshot }
        log.info("serving version \(snapshot.version): \(snapshot.model.groupCount) groups, from the image kept of it")
    }

    /// Returns the name of the current version.
    ///
    /// If its record is damaged, as after a loss of power on a disk that lies, the newest version serves meanwhile.
    private func currentVersion() throws(Failure) -> VersionName? {
        do throws(Failure) { return try store.current() } catch {
            if error.code == .corrupt { serveOlder(than: nil) }
            throw error
        }
    }

    /// Serves the newest older version if nothing serves and a version cannot be loaded; skips refused versions.
    ///
    /// - Parameter version: the version that cannot be loaded; nil if all may be tried.
    private func serveOlder(than version: VersionName?) {
        guard current.snapshot == nil, let names = try? store.versionNames() else { return }
        for name in names.reversed() where version.map({ name < $0 }) ?? true {
            guard let loaded = try? store.load(name), loaded.manifest.objections == nil,
                let snapshot = try? snapshot(of: loaded)
            else { continue }
            guard (try? learnSite()) != nil else { return }
            update { $0.snapshot = snapshot }
            log.warning("serving version \(name), an older one: \(snapshot.model.groupCount) groups")
            return
        }
    }

    /// Asks for the state of the site.
    private func learnSite() throws(Failure) {
        guard needs.site else { return }
        // Read first: a state that is replaced in between is read again.
        let mark = try? store.siteMark()
        let found = try store.site()
        siteMark.withLock { $0 = mark ?? nil }
        // Most often, only more changes of members are taken.
        guard found.map({ $0.hasGroups(of: current.site) }) != true else {
            return state.withLock { $0.site = found }
        }
        guard found != current.site else { return }
        update { state in
            state.site = found
            state.siteRevision += 1
        }
    }

    /// Returns a version as this daemon would serve it.
    func snapshot(of loaded: LoadedVersion) throws(Failure) -> ModelSnapshot {
        let needsMembers = needs.members(loaded.manifest)
        return ModelSnapshot(
            loaded, members: needsMembers ? try store.members(of: loaded) : nil, needsMembers: needsMembers,
            planning: planning.withLock { $0 })
    }

    private func loadAndServe(_ version: VersionName) throws(Failure) {
        let snapshot = if let other = current.others[version] { other } else { try load(version) }
        // What must not be shown is known before a version serves that may have it.
        try learnSite()
        let wanted = wanted.withLock { $0 }
        update { state in
            var others = state.others
            // Arms that name the version served so far keep it, without a pause.
            if let before = state.snapshot, wanted.contains(before.version), !state.mustLoadMembers {
                others[before.version] = before
            }
            (state.snapshot, state.others, state.problem) = (snapshot, others, nil)
            (state.storeIsReachable, state.storeUnreachableSinceMilliseconds) = (true, nil)
        }
        log.info("serving version \(version): \(snapshot.model.groupCount) groups, from \(store.location)")
        remember(version)
    }

    /// Loads a version; after each failure, the next attempts are paused for longer.
    private func load(_ version: VersionName) throws(Failure) -> ModelSnapshot {
        do throws(Failure) {
            let snapshot = try snapshot(of: store.load(version))
            failures.withLock { $0[version] = nil }
            return snapshot
        } catch {
            let error = Failure(error.code, "version \(version) cannot be loaded: \(error.message)")
            failures.withLock { failures in
                let count = (failures[version]?.count ?? 0) + 1
                failures[version] = FailedVersion(
                    error: error, count: count, pause: min(1 << min(count, 6), Self.longestPause))
            }
            throw error
        }
    }

    /// Stores the version to serve when the daemon starts while the store is away.
    ///
    /// A failure is only logged, as the version serves now in any case.
    private func remember(_ version: VersionName) {
        do throws(Failure) {
            try store.shared?.remember(version)
        } catch {
            log.warning("version \(version) will not be served while the store is away: \(error.message)")
        }
    }

    /// Throws the last error of a failing version during its pause.
    private func rejectDuringPause(of version: VersionName) throws(Failure) {
        let error: Failure? = failures.withLock { failures in
            guard let last = failures[version], last.pause > 0 else { return nil }
            failures[version]?.pause = last.pause - 1
            return last.error
        }
        if let error { throw error }
    }

    /// Sets the problem, and logs it if it has changed.
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

/// The data that a daemon reads from its store besides groups.
struct VersionNeeds: Sendable {
    /// Returns whether members are read from a version with this manifest.
    var members: @Sendable (Manifest) -> Bool = { _ in true }
    /// Whether the store says what the site decided; otherwise a catalog does.
    var site = true
}
