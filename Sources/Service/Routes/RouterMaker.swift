import Basics
import Recommendation
import Synchronization

/// Makes the routers of a daemon, one after each change of its settings, from the same parts.
struct RouterMaker: Sendable {
    private let endpoints: [Endpoint]
    private let metrics: RequestMetrics
    private let cache: AnswerCache?
    private let responder: Responder
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
        experiments: ExperimentBoard?, recorder: TapeRecorder?, watches: [(any MetricSource)?],
        replacing previous: RouterMaker? = nil
    ) {
        self.recorder = recorder
        let relations = configuration.live.planning.configuration.relations
        let described = Endpoint.table(of: relations)
        endpoints = described + (configuration.hasPages ? Endpoint.pages(of: relations) : [])
        let (metrics, kept) = (previous?.metrics ?? RequestMetrics(endpoints), previous?.responder)
        let (bytes, now) = (configuration.answerCacheBytes, configuration.now)
        let cache = bytes < 2 ? nil : AnswerCache(limitBytes: bytes, changes: changes, now: now)
        (self.metrics, self.cache) = (metrics, cache)
        let interactions = kept?.recording.interactions ?? InteractionMetrics()
        let problems = DaemonProblems(
            follower: follower, replicator: parts.replicator, community: parts.community,
            conditions: parts.conditions + (experiments == nil ? [] : [follower.otherVersions]))
        let decisions = kept?.pages.decisions ?? DecisionNotes(follower.store, log: configuration.log)
        let sessions =
            kept?.pages.sessions
            ?? PageSessions(follower.store, file: configuration.deployment.endingsPath, log: configuration.log)
        let own: [any MetricSource] = [
            ProgramVersion.current, metrics, ModelMetrics(problems: problems, now: now), decisions,
        ]
        let further: [(any MetricSource)?] = [
            configuration.log.queue, recorder, parts.replicator, parts.sessions.map { _ in parts.damagedLists },
            parts.sessions.map { _ in parts.exposures }, cache,
            parts.community.knows(.memberChanges, in: nil) ? interactions : nil,
            configuration.hasPages ? sessions : nil,
        ]
        let sources = own + problems.conditions + (watches + further).compactMap(\.self)
        responder = Responder(
            follower, parts.community,
            lists: Responder.Lists(
                sessions: parts.sessions, figures: kept?.lists.figures ?? ListFigures(follower.store),
                experiments: experiments.map { Responder.Experiments(board: $0, exposures: parts.exposures) },
                changes: changes),
            interactions: interactions,
            health: Responder.HealthState(
                problems: problems, reading: .reading(configuration.log), drain: configuration.drain),
            documents: Responder.Documents(endpoints: described, metricSources: sources),
            pages: Responder.Pages(
                sessions: sessions, decisions: decisions, requests: metrics, log: configuration.log),
            settings: configuration.live, now: now)
    }

    /// Posts what members did with lists, and decisions that wait.
    func postFigures() {
        responder.lists.figures.post(at: responder.now())
        responder.pages.decisions.send()
    }

    /// Takes up which sessions of the pages were ended on other daemons.
    func followSessions() { responder.pages.sessions.follow() }

    /// Returns a router with settings.
    ///
    /// The counts of the rate limits are not carried over, so clients may send one more burst.
    ///
    /// - Parameter previous: the replaced router.
    func router(_ settings: LiveSettings, replacing previous: Router? = nil) -> Router {
        Router(
            endpoints, responder: responder.with(settings), cache: cache, metrics: metrics,
            log: RequestLog(
                responder.pages.log, recordsEveryRequest: settings.logsRequests,
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
