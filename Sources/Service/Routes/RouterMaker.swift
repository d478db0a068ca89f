import Basics
import HTTP
import Recommendation
import Synchronization

/// Makes the routers of a daemon, one after each change of its settings, from the same parts.
struct RouterMaker: Sendable {
    private let endpoints: [Endpoint]
    private let metrics: RequestMetrics
    private let responder: Responder
    private let log: EventLog
    private let recorder: TapeRecorder?

    /// Creates the parts that all routers share.
    ///
    /// - Parameters:
    ///   - experiments: the experiments of the store; nil for no experiments.
    ///   - recorder: records answered requests; nil to record none.
    ///   - watches: further sources of metrics.
    ///   - previous: the replaced maker, whose counts and sessions of pages stay in use.
    init(
        _ configuration: Daemon.Configuration, parts: DeploymentParts, changes: ChangeClock, follower: VersionFollower,
        experiments: ExperimentBoard?, recorder: TapeRecorder?, watches: [any MetricSource],
        replacing previous: RouterMaker? = nil
    ) {
        self.recorder = recorder
        let relations = configuration.live.planning.configuration.relations
        endpoints = Endpoint.table(of: relations) + (configuration.hasPages ? Endpoint.pages(of: relations) : [])
        metrics = previous?.metrics ?? RequestMetrics(endpoints)
        log = configuration.log
        let conditions = parts.conditions + (experiments == nil ? [] : [follower.otherVersions])
        let problems = DaemonProblems(
            follower: follower, replicator: parts.replicator, community: parts.community, conditions: conditions)
        var sources: [any MetricSource] = [
            ProgramVersion.current, metrics, ModelMetrics(problems: problems, now: configuration.now),
        ]
        sources += conditions
        sources += watches
        if let queue = configuration.log.queue { sources.append(queue) }
        if let recorder { sources.append(recorder) }
        if let replicator = parts.replicator { sources.append(replicator) }
        if parts.sessions != nil {
            sources.append(parts.damagedLists)
            sources.append(parts.exposures)
        }
        let cache =
            configuration.answerCacheBytes < 2
            ? nil
            : AnswerCache(limitBytes: configuration.answerCacheBytes, changes: changes, now: configuration.now)
        if let cache { sources.append(cache) }
        let interactions = previous?.responder.interactions ?? InteractionMetrics()
        if parts.community.knows(.memberChanges, in: nil) { sources.append(interactions) }
        responder = Responder(
            follower: follower, community: parts.community, sessions: parts.sessions, replicator: parts.replicator,
            cache: cache, interactions: interactions,
            figures: previous?.responder.figures ?? ListFigures(follower.store), changes: changes,
            experiments: experiments,
            exposures: experiments.map { _ in parts.exposures },
            reading: Responder.readingCondition(configuration.log), conditions: conditions,
            drain: configuration.drain, metricSources: sources,
            pages: configuration.hasPages ? previous?.responder.pages ?? PageSessions(follower.store) : nil,
            requests: metrics, log: configuration.log, now: configuration.now)
    }

    /// Posts what members did with lists.
    func postFigures() { responder.figures?.post(at: responder.now()) }

    /// Takes up which sessions of the pages were ended on other daemons.
    func followSessions() { responder.pages?.follow() }

    /// Returns a router with settings.
    ///
    /// The counts of the rate limits are not carried over, so clients may send one more burst.
    ///
    /// - Parameter previous: the replaced router.
    func router(_ settings: LiveSettings, replacing previous: Router? = nil) -> Router {
        var responder = responder
        responder.quotas = MemberQuotas(settings.quota)
        responder.staleAfter = settings.staleAfter
        responder.addresses = settings.addresses
        responder.apps = settings.apps
        responder.description = ServiceDescription(
            endpoints: endpoints.filter { !$0.isPage }, relations: settings.planning.configuration.relations,
            policy: settings.access)
        return Router(
            endpoints,
            settings: Router.Settings(
                access: settings.access, limits: settings.rateLimits, crossOrigin: settings.crossOrigin,
                listSettings: settings.listSettings, now: responder.now),
            responder: responder, metrics: metrics,
            log: RequestLog(
                log, recordsEveryRequest: settings.logsRequests,
                digests: settings.logsMembers ? nil : PathDigests(endpoints)), recorder: recorder, replacing: previous)
    }
}

/// The router that answers requests now.
final class CurrentRouter: Sendable {
    private struct State {
        var maker: RouterMaker
        var settings: LiveSettings
        var router: Router
    }

    private let state: Mutex<State>

    init(_ maker: RouterMaker, _ settings: LiveSettings) {
        state = Mutex(State(maker: maker, settings: settings, router: maker.router(settings)))
    }

    /// The current router; a request reads it once, so one set of settings answers it.
    var current: Router { state.withLock { $0.router } }

    var maker: RouterMaker { state.withLock { $0.maker } }

    /// Answers with other settings from the next request on.
    func use(_ settings: LiveSettings) { replace { $0.settings = settings } }

    /// Answers from other parts from the next request on.
    func use(_ maker: RouterMaker) { replace { $0.maker = maker } }

    private func replace(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.router = state.maker.router(state.settings, replacing: state.router)
        }
    }
}

/// Threads for slow or waiting work, apart from the threads of the server, which meanwhile serve other connections.
///
/// Work begins in the order of arrival. Threads exist only while there is work.
final class WorkThreads: Sendable {
    /// The largest number of threads, inclusive.
    let threadLimit: Int
    /// The largest number of waiting tasks while all threads are busy, inclusive.
    let waitingLimit: Int
    /// The nice value of the threads.
    private let niceness: Int32

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threadCount = 0
    }

    private let state = Mutex(State())

    /// Creates a pool, which has no threads yet.
    ///
    /// - Parameter niceness: the nice value of the threads, as of a `WorkThread`.
    init(_ threadLimit: Int, waiting waitingLimit: Int, niceness: Int32 = 0) {
        self.threadLimit = threadLimit
        self.waitingLimit = waitingLimit
        self.niceness = niceness
    }

    /// Queues a task.
    ///
    /// - Returns: false if the queue is full, or there is no thread and none can be started. The task is then not run.
    func add(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.threadCount < threadLimit, start() {
                state.threadCount += 1
            } else if state.threadCount == 0 || state.waiting.count >= waitingLimit {
                return false
            }
            state.waiting.append(work)
            return true
        }
    }

    private func start() -> Bool {
        let thread = try? WorkThread(niceness: niceness) { [self] in
            while let work = next() { work() }
        }
        return thread != nil
    }

    /// Returns the next task, or nil if there is none and the thread must end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
