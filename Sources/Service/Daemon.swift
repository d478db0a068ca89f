import Dispatch
import HTTP
import Recommendation
import Synchronization
import Tokens

/// The serving daemon, from `init` until `stop`.
///
/// It listens from the start; until a version has been loaded, data is answered with 503. Versions that
/// become current are followed within the poll interval, without a request that fails or sees two versions.
public final class Daemon: Sendable {
    /// The port it listens at.
    public let port: UInt16

    private let configuration: Configuration
    private let server: HTTPServer
    private let timers: [RepeatingTimer]
    private let relay: ChangeRelay?
    private let keyWatch: KeyWatch?
    private let hasStopped = DispatchSemaphore(value: 0)
    private let isStopping = Atomic(false)

    /// Starts to listen, and to follow the store.
    ///
    /// - Throws: `ServiceError.addressRefused` for an address that other machines can reach if no tokens are asked
    ///   for, `startFailed` if the port is taken or a limit is out of bounds.
    public init(_ configuration: Configuration) throws(ServiceError) {
        try configuration.validate()
        let log = configuration.log
        let changes = ChangeClock()
        let follower = VersionFollower(
            store: configuration.deployment.store, planning: configuration.planning, changes: changes, log: log,
            now: configuration.now)
        let parts = try DeploymentParts(
            configuration.deployment, follower: follower, changes: changes, log: log, now: configuration.now)
        let keyWatch = configuration.access.keys.map { KeyWatch($0, log: log) }
        let router = Self.router(
            configuration, parts: parts, changes: changes, follower: follower, keyWatch: keyWatch)
        do {
            server = try HTTPServer(
                configuration.server, refusal: { router.refuse($0) }, handler: { router.respond(to: $0) })
        } catch {
            throw ServiceError(.startFailed, error.message)
        }
        self.configuration = configuration
        port = server.port
        Self.announce(server, configuration)
        let interval = configuration.pollInterval
        var timers = [RepeatingTimer(label: "version-follower", interval: interval) { follower.poll() }]
        if let keyWatch {
            timers.append(RepeatingTimer(label: "key-watch", interval: interval) { keyWatch.refresh() })
        }
        if let community = parts.community, let sessions = parts.sessions {
            timers.append(
                RepeatingTimer(label: "write-probe", interval: .seconds(1)) {
                    community.probeWriting()
                    sessions.probeWriting()
                })
            timers.append(
                RepeatingTimer(label: "change-watch", interval: configuration.changePollInterval) {
                    community.noteOutsideChanges()
                })
        }
        self.timers = timers
        self.keyWatch = keyWatch
        relay = parts.relay
        relay?.start()
    }

    private static func router(
        _ configuration: Configuration, parts: DeploymentParts, changes: ChangeClock, follower: VersionFollower,
        keyWatch: KeyWatch?
    ) -> Router {
        let relations = configuration.planning.configuration.relations
        let endpoints = Endpoint.table(of: relations)
        let metrics = RequestMetrics(endpoints)
        var sources: [any MetricSource] = [metrics, ModelMetrics(follower: follower, now: configuration.now)]
        sources += parts.conditions
        if let keyWatch { sources.append(keyWatch) }
        if let relay = parts.relay { sources.append(relay) }
        if parts.sessions != nil { sources.append(parts.damagedLists) }
        let cache =
            configuration.answerCacheBytes < 2
            ? nil
            : AnswerCache(limitBytes: configuration.answerCacheBytes, changes: changes, now: configuration.now)
        if let cache { sources.append(cache) }
        let responder = Responder(
            follower: follower, community: parts.community, sessions: parts.sessions, relay: parts.relay, cache: cache,
            quotas: MemberQuotas(configuration.quota), changes: changes,
            reading: Responder.readingCondition(configuration.log), conditions: parts.conditions,
            staleAfter: configuration.staleAfter, metricSources: sources,
            openAPI: ServiceDescription(
                endpoints: endpoints, relations: relations, policy: configuration.access
            ).json,
            now: configuration.now)
        return Router(
            endpoints,
            settings: Router.Settings(
                access: configuration.access, limits: configuration.rateLimits, crossOrigin: configuration.crossOrigin,
                now: configuration.now),
            responder: responder, metrics: metrics,
            log: RequestLog(configuration.log, recordsEveryRequest: configuration.logsRequests))
    }

    private static func announce(_ server: HTTPServer, _ configuration: Configuration) {
        let log = configuration.log
        log.info("listening at port \(server.port) of \(server.address)")
        guard configuration.access.keys != nil else {
            return log.warning("no keys: everything is open to every process of this machine, and to no other")
        }
        let open = configuration.access.openAreas.map(\.rawValue).sorted().joined(separator: ", ")
        log.info("tokens are asked for\(open.isEmpty ? "" : ", but not for \(open)")")
    }

    /// Reads again what was read when the daemon started and may change: the keys.
    ///
    /// Versions, and changes of the catalog and of the key file, are noticed without it.
    public func reload() {
        configuration.log.info(keyWatch == nil ? "there are no keys to reload" : "reloading the keys")
        keyWatch?.refresh(isForced: true)
    }

    /// Waits until `stop` has been called and is done.
    public func run() {
        hasStopped.wait()
        // For whoever else waits.
        hasStopped.signal()
    }

    /// Stops: no new connections, responses under way are sent; returns when all is over.
    ///
    /// To be called from any thread but those that answer requests; a second call returns at once.
    public func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        configuration.log.info("stopping")
        for timer in timers { timer.cancel() }
        server.stop(waitingAtMost: configuration.stopGrace)
        relay?.stop()
        configuration.log.info("stopped")
        hasStopped.signal()
    }
}
