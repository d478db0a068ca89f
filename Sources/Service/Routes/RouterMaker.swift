import Glibc
import Recommendation
import Synchronization

/// Makes the router of a daemon, and another one whenever its settings change, of the same parts.
struct RouterMaker: Sendable {
    private let endpoints: [Endpoint]
    private let metrics: RequestMetrics
    private let responder: Responder
    private let log: EventLog
    private let recorder: TapeRecorder?

    /// - Parameters:
    ///   - experiments: those of the store; nil for none.
    ///   - recorder: records what is answered; nil to record nothing.
    ///   - watches: what else has figures to tell.
    init(
        _ configuration: Daemon.Configuration, parts: DeploymentParts, changes: ChangeClock, follower: VersionFollower,
        experiments: ExperimentBoard?, recorder: TapeRecorder?, watches: [any MetricSource]
    ) {
        self.recorder = recorder
        endpoints = Endpoint.table(of: configuration.live.planning.configuration.relations)
        metrics = RequestMetrics(endpoints)
        log = configuration.log
        let conditions = parts.conditions + (experiments == nil ? [] : [follower.otherVersions])
        var sources: [any MetricSource] = [metrics, ModelMetrics(follower: follower, now: configuration.now)]
        sources += conditions
        sources += watches
        if let queue = configuration.log.queue { sources.append(queue) }
        if let recorder { sources.append(recorder) }
        if let relay = parts.relay { sources.append(relay) }
        if parts.sessions != nil {
            sources.append(parts.damagedLists)
            sources.append(parts.exposures)
        }
        let cache =
            configuration.answerCacheBytes < 2
            ? nil
            : AnswerCache(limitBytes: configuration.answerCacheBytes, changes: changes, now: configuration.now)
        if let cache { sources.append(cache) }
        let interactions = InteractionMetrics()
        if parts.community != nil { sources.append(interactions) }
        responder = Responder(
            follower: follower, community: parts.community, decisions: parts.decisions, sessions: parts.sessions,
            relay: parts.relay, cache: cache, interactions: interactions, changes: changes, experiments: experiments,
            exposures: experiments.map { _ in parts.exposures },
            reading: Responder.readingCondition(configuration.log), conditions: conditions,
            metricSources: sources, now: configuration.now)
    }

    /// A router with settings.
    ///
    /// How much callers have asked for is not carried over: they may ask for a burst more.
    ///
    /// - Parameter previous: the router that it takes the place of.
    func router(_ settings: LiveSettings, replacing previous: Router? = nil) -> Router {
        var responder = responder
        responder.quotas = MemberQuotas(settings.quota)
        responder.staleAfter = settings.staleAfter
        responder.openAPI =
            ServiceDescription(
                endpoints: endpoints, relations: settings.planning.configuration.relations, policy: settings.access
            ).json
        return Router(
            endpoints,
            settings: Router.Settings(
                access: settings.access, limits: settings.rateLimits, crossOrigin: settings.crossOrigin,
                now: responder.now),
            responder: responder, metrics: metrics,
            log: RequestLog(log, recordsEveryRequest: settings.logsRequests), recorder: recorder, replacing: previous)
    }
}

/// The router that answers now.
final class CurrentRouter: Sendable {
    private let router: Mutex<Router>

    init(_ router: Router) { self.router = Mutex(router) }

    /// The router; a request asks once, so that one set of settings answers it.
    var current: Router { router.withLock { $0 } }

    /// Lets another router answer from the next request on.
    func replace(with other: Router) { router.withLock { $0 = other } }
}

/// Does work that takes long or waits, on threads of its own: those of the server serve other connections meanwhile.
///
/// Work begins in the order in which it came. There are threads only while there is work.
final class WorkThreads: Sendable {
    /// How many threads there are at most.
    let threadLimit: Int
    /// How many pieces of work may wait while every thread does one.
    let waitingLimit: Int
    /// The nice value of the threads.
    private let niceness: Int32

    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threadCount = 0
    }

    private let state = Mutex(State())

    /// - Parameter niceness: 0 to 19; at 10, where all processors are busy, a thread gets about a tenth of one.
    init(_ threadLimit: Int, waiting waitingLimit: Int, niceness: Int32 = 0) {
        self.threadLimit = threadLimit
        self.waitingLimit = waitingLimit
        self.niceness = niceness
    }

    /// Takes work to be done.
    ///
    /// - Returns: false if too much waits already, or there can be no thread; then it is not done.
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
        var thread = pthread_t()
        let threads = unsafe Unmanaged.passRetained(self)
        let outcome = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<WorkThreads>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, threads.toOpaque())
        guard outcome == 0 else {
            unsafe threads.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private func run() {
        // On Linux each thread has a nice value of its own, and 0 is the one that asks.
        if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
        while let work = next() { work() }
    }

    /// The next work; nil if there is none, and the thread ends.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threadCount -= 1
            return nil
        }
    }
}
