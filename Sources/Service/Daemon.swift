package import Basics
import Dispatch
import Glibc
import HTTP
import ModelStore
import Synchronization

/// The serving daemon, from `init` until `stop`.
///
/// It listens from the start. Requests for data get status 503 until a version has been loaded. The daemon takes a new
/// current version up within the poll interval; no request fails meanwhile or sees two versions.
package final class Daemon: Sendable {
    package let port: UInt16

    private let configuration: Configuration
    private let server: HTTPServer
    private let follower: VersionFollower
    private let changes: ChangeClock
    private let troubles: RecentTroubles
    private let routers: CurrentRouter
    private let works: Mutex<Works>
    private let watching = Mutex<[RepeatingTimer]>([])
    private let recorder: TapeRecorder?
    private let keyWatch: KeyWatch?
    private let settingsWatch: SettingsWatch?
    /// The condition that the catalog was found; nil if the daemon has none.
    private let found: HealthCondition?
    private let startedAt: Int64
    private let hasStopped = DispatchSemaphore(value: 0)
    private let isStopping = Atomic(false)

    /// Everything that depends on whether there is a catalog.
    private struct Works: Sendable {
        let parts: DeploymentParts
        /// The experiments of the store; nil where what their members are shown is not recorded.
        let board: ExperimentBoard?
        let reporter: DaemonReporter?
        let timers: [RepeatingTimer]
    }

    /// Starts to listen, and to follow the store.
    ///
    /// - Throws: `Failure` with the code `general` if the port is taken, a file cannot be opened, or a limit is out of
    ///   bounds. So it is if other machines can reach the address, and there are no keys.
    package init(_ configuration: Configuration) throws(Failure) {
        try configuration.validate()
        let troubles = RecentTroubles()
        var configuration = configuration
        configuration.log = configuration.log.counting(in: troubles)
        let log = configuration.log
        let changes = ChangeClock()
        let follower = VersionFollower(
            store: configuration.deployment.store, needs: configuration.deployment.needs,
            planning: configuration.live.planning, changes: changes, log: log, now: configuration.now)
        var parts = try DeploymentParts(
            configuration.deployment, follower: follower, changes: changes, log: log, now: configuration.now)
        found = (configuration.awaited?.path ?? parts.community.catalogPath).map { .catalog($0, log) }
        if let found { parts.conditions.append(found) }
        if let awaited = configuration.awaited { found?.failed(awaited.problem) }
        keyWatch = configuration.live.access.keys.map { KeyWatch($0, log: log) }
        settingsWatch = configuration.settingsSource.map { SettingsWatch($0, log: log) }
        recorder = try configuration.tape.map { settings throws(Failure) in
            try TapeRecorder(settings, log: log, now: configuration.now)
        }
        let board = Self.board(for: parts, follower, changes, log)
        let maker = RouterMaker(
            configuration, parts: parts, changes: changes, follower: follower, experiments: board, recorder: recorder,
            watches: [keyWatch, settingsWatch])
        let routers = CurrentRouter(maker, configuration.live)
        do {
            server = try HTTPServer(
                configuration.server, refusal: { routers.current.refuse($0) },
                handler: { routers.current.respond(to: $0) })
        } catch {
            recorder?.stop()
            throw Failure(.general, error.message)
        }
        self.configuration = configuration
        (self.follower, self.changes, self.troubles, self.routers) = (follower, changes, troubles, routers)
        startedAt = configuration.now()
        port = server.port
        Self.announce(server, configuration)
        let reporter = Self.reporter(configuration, server, follower, parts, troubles, startedAt)
        works = Mutex(
            Works(
                parts: parts, board: board, reporter: reporter,
                timers: Self.timers(Self.duties(configuration, parts, board: board, reporter: reporter))))
        let watching = Self.timers(watchDuties())
        self.watching.withLock { $0 = watching }
        try parts.replicator?.start()
    }

    /// The name of the task that finds out whether files can be written, and checks the journal.
    private static let writeProbe = "write-probe"

    /// A task that a timer repeats, on a queue of its own.
    private struct Duty {
        var name: String
        var interval: Duration
        var perform: @Sendable () -> Void

        init(_ name: String, every interval: Duration, _ perform: @escaping @Sendable () -> Void) {
            self.name = name
            self.interval = interval
            self.perform = perform
        }
    }

    private static func timers(_ duties: [Duty]) -> [RepeatingTimer] {
        duties.map { RepeatingTimer(label: $0.name, interval: $0.interval, $0.perform) }
    }

    /// Returns the experiments of the store, or nil if their members cannot be told apart.
    private static func board(
        for parts: DeploymentParts, _ follower: VersionFollower, _ changes: ChangeClock, _ log: EventLog
    ) -> ExperimentBoard? {
        // Their exposures must be recorded.
        guard parts.community.knows(.memberChanges, in: nil) else { return nil }
        let board = ExperimentBoard(follower, changes: changes, log: log)
        board.poll()
        return board
    }

    private static func reporter(
        _ configuration: Configuration, _ server: HTTPServer, _ follower: VersionFollower, _ parts: DeploymentParts,
        _ troubles: RecentTroubles, _ startedAt: Int64
    ) -> DaemonReporter? {
        DaemonReporter(
            configuration.deployment.store, server: (server.address, server.port), follower: follower, parts: parts,
            troubles: troubles, startedAt: startedAt, now: configuration.now)
    }

    /// Returns the tasks that watch the store, files and settings.
    private func watchDuties() -> [Duty] {
        let (poll, follower, routers) = (configuration.pollInterval, follower, routers)
        var duties = [
            Duty("version-follower", every: poll) { follower.poll() },
            Duty("list-figures", every: ListFigures.interval) { routers.maker.postFigures() },
        ]
        if configuration.hasPages {
            duties.append(Duty("page-sessions", every: poll) { routers.maker.followSessions() })
        }
        if let keyWatch { duties.append(Duty("key-watch", every: poll) { keyWatch.refresh() }) }
        if let settingsWatch {
            duties.append(
                Duty("settings-watch", every: configuration.settingsPollInterval) { [weak self] in
                    settingsWatch.refresh { self?.takeUp($0) }
                })
        }
        if configuration.awaited != nil {
            duties.append(Duty("catalog-watch", every: poll) { [weak self] in self?.takeUpCatalog() })
        }
        return duties
    }

    /// Returns the tasks of a deployment's parts.
    private static func duties(
        _ configuration: Configuration, _ parts: DeploymentParts, board: ExperimentBoard?, reporter: DaemonReporter?
    ) -> [Duty] {
        var duties: [Duty] = []
        if let board { duties.append(Duty("experiment-watch", every: configuration.pollInterval) { board.poll() }) }
        if let reporter { duties.append(Duty("reporter", every: DaemonReporter.interval) { reporter.report() }) }
        if let sessions = parts.sharedSessions {
            duties.append(Duty("session-writer", every: SharedSessions.writingInterval) { sessions.writePending() })
        }
        guard let sessions = parts.sessions else { return duties }
        let (community, exposures) = (parts.community, parts.exposures)
        return duties + [
            Duty("change-watch", every: configuration.changePollInterval) { community.noteOutsideChanges() },
            Duty("session-forgetting", every: configuration.changePollInterval) {
                community.forgetSessions(in: sessions)
            },
            Duty("exposures", every: .seconds(1)) { exposures.flush(to: community) },
            Duty(writeProbe, every: .seconds(1)) {
                community.probeWriting()
                sessions.probeWriting()
            },
        ]
    }

    /// Takes settings up, between two requests.
    private func takeUp(_ settings: LiveSettings) {
        follower.use(settings.planning)
        routers.use(settings)
        changes.everythingChanged()
    }

    /// Reads the catalog that was missing at the start, if it is there now.
    ///
    /// No request fails meanwhile: each is answered with the parts before or with the new ones.
    private func takeUpCatalog() {
        guard let awaited = configuration.awaited, let found, found.isFailing else { return }
        let log = configuration.log
        do {
            guard let deployment = try awaited.deployment() else { return found.failed(awaited.problem) }
            let before = works.withLock { $0 }
            var parts = try before.parts.takingUpCatalog(
                of: deployment, follower: follower, changes: changes, log: log, now: configuration.now)
            if !parts.conditions.contains(where: { $0 === found }) { parts.conditions.append(found) }
            follower.use(deployment.needs)
            let board = before.board ?? Self.board(for: parts, follower, changes, log)
            routers.use(
                RouterMaker(
                    configuration, parts: parts, changes: changes, follower: follower, experiments: board,
                    recorder: recorder, watches: [keyWatch, settingsWatch], replacing: routers.maker))
            changes.everythingChanged()
            let reporter = Self.reporter(configuration, server, follower, parts, troubles, startedAt)
            let duties = Self.duties(configuration, parts, board: board, reporter: reporter)
            works.withLock { works in
                for timer in works.timers { timer.cancel() }
                let isEnding = isStopping.load(ordering: .acquiring)
                works = Works(
                    parts: parts, board: board, reporter: reporter, timers: isEnding ? [] : Self.timers(duties))
            }
            found.worked()
        } catch { found.failed("the catalog \(awaited.path) cannot be read yet: \(error)") }
    }

    private static func announce(_ server: HTTPServer, _ configuration: Configuration) {
        let log = configuration.log
        log.info("listening at port \(server.port) of \(server.address)")
        let wanted = configuration.server.connectionLimit
        if server.connectionLimit < wanted {
            log.warning(
                """
                the limit on open files leaves room for \(server.connectionLimit) connections instead of \(wanted): \
                raise the hard limit (LimitNOFILE=, ulimit -Hn)
                """)
        }
        guard configuration.live.access.keys != nil else {
            return log.warning("no keys: everything is open to every process of this machine, and to no other")
        }
        let open = configuration.live.access.openAreas.map(\.rawValue).sorted().joined(separator: ", ")
        log.info("tokens are asked for\(open.isEmpty ? "" : ", but not for \(open)")")
    }

    /// Reads the keys and the settings again, even if their files seem unchanged.
    ///
    /// It is not needed after a change: the daemon polls the store, the catalog, the key file and the configuration
    /// files.
    package func reload() {
        let parts = [keyWatch == nil ? nil : "keys", settingsWatch == nil ? nil : "settings"].compactMap(\.self)
        configuration.log.info(
            parts.isEmpty ? "there is nothing to reload" : "reloading the \(parts.joined(separator: " and the "))")
        keyWatch?.refresh(isForced: true)
        settingsWatch?.refresh(isForced: true) { takeUp($0) }
    }

    /// Waits until `stop` has finished.
    package func run() {
        hasStopped.wait()
        // This wakes other waiting threads.
        hasStopped.signal()
    }

    /// Stops the daemon, and returns when it has stopped.
    ///
    /// The daemon takes no new connections and sends the responses under way. Threads that answer requests must not
    /// call this. A second call returns at once.
    package func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let (log, end) = (configuration.log, ContinuousClock.now + configuration.stopLimit)
        log.info("stopping")
        let watching = watching.withLock { $0 }
        let works = works.withLock { $0 }
        for timer in watching + works.timers { timer.cancel() }
        server.stop(waitingAtMost: min(configuration.stopGrace, configuration.stopLimit))
        // The last answers have noted what they showed.
        let exposures = works.parts.exposures
        let waitingCount = exposures.waitingCount
        let isDone = writeAll(of: works, before: end)
        let lostCount = exposures.waitingCount
        let written = "stopped; \(waitingCount - lostCount) exposures of experiments were written at the end"
        switch (waitingCount, lostCount, isDone) {
        case (0, 0, true): log.info("stopped")
        case (_, 0, true): log.info(written)
        case (_, 0, false): log.error("\(written), but other writes took longer than \(configuration.stopLimit)")
        default: log.error("\(written), and \(lostCount) were not: a report of experiments lacks them")
        }
        hasStopped.signal()
    }

    /// Writes everything that waits in memory, on another thread, as a disk or a store may hang.
    ///
    /// - Returns: whether all is done before the end.
    private func writeAll(of works: Works, before end: ContinuousClock.Instant) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        let write = { @Sendable [recorder, routers] in
            let parts = works.parts
            recorder?.stop()
            // A run under way has taken some of what waits, and would report the daemon after its report is withdrawn.
            // The probe has not, and the first check of a long journal takes longer than a stop may.
            for timer in works.timers where timer.label != Self.writeProbe { timer.finish() }
            works.reporter?.withdraw()
            parts.sharedSessions?.writePending()
            parts.exposures.finish(to: parts.community, before: end)
            routers.maker.postFigures()
            parts.replicator?.stop()
            works.reporter?.withdrawSender()
            for timer in works.timers { timer.finish() }
            parts.close()
            isDone.signal()
        }
        do { try WorkThread(write) } catch { write() }
        let left = max(.zero, end - .now)
        return isDone.wait(timeout: .now() + .milliseconds(Int(left / .milliseconds(1)))) == .success
    }
}

extension Daemon {
    /// Blocks SIGTERM, SIGINT and SIGHUP until `runUntilTerminated` takes them.
    ///
    /// A signal that arrives while the daemon starts is neither lost nor fatal. From now on, a write beyond the limit
    /// on file size fails instead of killing the process (SIGXFSZ). SIGUSR1 and SIGUSR2 are ignored: scripts that
    /// rotate logs send them, and the daemon has no log file to open again.
    ///
    /// Call this before the process has any other thread, and only if the daemon is its main purpose. Signal handling
    /// is a setting of the whole process.
    package static func holdSignals() {
        var signals = heldSignals
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        for number in [SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
    }

    /// Reloads on SIGHUP and stops on SIGTERM and SIGINT; returns when the daemon has stopped.
    ///
    /// `holdSignals` must have been called before the daemon was created.
    ///
    /// - Throws: `Failure.tryLater` if there can be no thread for them.
    package func runUntilTerminated() throws(Failure) {
        try WorkThread { [self] in
            var signals = Self.heldSignals
            var number: Int32 = 0
            repeat {
                // The call fails only for an empty set of signals.
                unsafe sigwait(&signals, &number)
                if number == SIGHUP { reload() }
            } while number == SIGHUP
            drain(until: signals)
            stop()
        }
        run()
    }

    /// Lets `/readyz` fail for a while, until one more signal, and answers everything else as before.
    private func drain(until signals: sigset_t) {
        let time = configuration.drain.time
        guard time > .zero else { return }
        configuration.drain.begin()
        server.leave()
        configuration.log.info("draining for \(time): /readyz answers 503, so that load balancers look elsewhere")
        var (signals, timeout) = (signals, timespec(tv_sec: Int(time.components.seconds), tv_nsec: 0))
        _ = unsafe sigtimedwait(&signals, nil, &timeout)
    }

    private static var heldSignals: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, number) }
        return signals
    }
}
