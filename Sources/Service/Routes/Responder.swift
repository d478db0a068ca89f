import Answers
import HTTP
import Model
import ModelStore

/// The sources and settings that handlers use to answer requests.
struct Responder: Sendable {
    let follower: VersionFollower
    /// Members, photos and decisions, and the place for changes; nil if the daemon serves groups alone.
    let community: (any CommunitySource)?
    /// The lists of sessions; nil if every request gets a new list.
    var sessions: Sessions?
    /// The exchange of changes with other daemons; nil unless the store is shared.
    var replicator: ChangeReplicator?
    /// The cache of answers; nil for no cache.
    var cache: AnswerCache?
    /// The quotas of recorded interactions.
    var quotas = MemberQuotas(MemberQuota())
    var interactions = InteractionMetrics()
    /// The counts of what members do with lists; nil for none.
    var figures: ListFigures?
    /// The clock that notes changes to answers.
    var changes = ChangeClock()
    /// The experiments of the store; nil for no experiments.
    var experiments: ExperimentBoard?
    /// The log of the groups that members of experiments are shown; nil for no log.
    var exposures: ExposureLog?
    /// The condition that members and photos can be read; nil if it is not watched.
    var reading: HealthCondition?
    /// Further conditions that must hold for the daemon to do all its work.
    var conditions: [HealthCondition] = []
    /// The end of the daemon, once it was told to stop.
    var drain = Drain(.zero)
    /// The age above which a version is stale.
    var staleAfter = Duration.seconds(14 * 86400)
    var metricSources: [any MetricSource] = []
    /// The sessions of the pages for operators; nil for no pages.
    var pages: PageSessions?
    /// The costly parts of pages.
    let pageCache = PageCache()
    /// The counters of requests; nil for none.
    var requests: RequestMetrics?
    /// The log of events; nil for none.
    var log: EventLog?
    /// The addresses of the site's pages and pictures.
    var addresses = SiteAddresses()
    /// The apps that open these addresses.
    var apps = AppLinks()
    /// The description of the service at `/openapi.json`, which is written when it is asked for.
    var description: ServiceDescription?
    /// The clock, in Unix milliseconds.
    let now: @Sendable () -> Int64

    /// The problems of the daemon.
    var problems: DaemonProblems {
        DaemonProblems(follower: follower, replicator: replicator, community: community, conditions: conditions)
    }

    /// Returns the condition that members and photos can be read.
    static func readingCondition(_ log: EventLog) -> HealthCondition {
        HealthCondition(
            "reading", "Whether memberships and photos can be read",
            recovery: "memberships and photos can be read again", log: log, calmSeconds: 0)
    }

    /// Whether a version is older than `staleAfter`.
    func isStale(_ snapshot: ModelSnapshot) -> Bool {
        .seconds(snapshot.ageSeconds(at: now())) > staleAfter
    }
}

extension HTTPResponse {
    /// Creates a response of status 200 with a body of a media type.
    static func content(_ type: String, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: .ok, headers: ["Content-Type": type, "X-Content-Type-Options": "nosniff"], body: body)
    }
}

extension Endpoint {
    /// Endpoints for the description of the service and for its metrics.
    static let documents = [
        Endpoint(
            "description", .get, "/openapi.json", .open, summary: "This description, in OpenAPI 3.1",
            content: .json({ _ in .component("Description", .anyObject) }), caching: .shared, reuse: .untilChange,
            handler: Responder.serviceDescription),
        Endpoint(
            "metrics", .get, "/metrics", .site(.metrics), summary: "Figures about the daemon, for Prometheus",
            content: .text(type: Responder.metricsType), caching: .never, handler: Responder.metrics),
    ]
}

extension Responder {
    static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

    /// Answers `GET /openapi.json`.
    @Sendable
    fileprivate static func serviceDescription(_ call: Call) -> HTTPResponse {
        .content("application/json", call.responder.description?.json ?? [])
    }

    /// Answers `GET /metrics`.
    @Sendable
    fileprivate static func metrics(_ call: Call) -> HTTPResponse {
        var text = MetricsText()
        for source in call.responder.metricSources { source.write(to: &text) }
        return .content(metricsType, text.bytes)
    }
}

extension Endpoint {
    static let administration = [
        Endpoint(
            "model", .get, "/v1/admin/model", .admin(.look),
            summary: "What the version that serves was built from, and how",
            caching: .never, problems: [.serviceUnavailable], handler: Responder.modelReport)
    ]
}

extension Responder {
    /// Answers `GET /v1/admin/model`: the loaded version, and the facts of its manifest.
    @Sendable
    fileprivate static func modelReport(_ call: Call) throws(Problem) -> ModelReport {
        let snapshot = try call.loadedSnapshot
        return ModelReport(call.freshness(of: snapshot), snapshot.manifest)
    }
}

extension Endpoint {
    /// Endpoints for health checks and readiness checks.
    static let health = [
        Endpoint(
            "health", .get, "/healthz", .open, summary: "Whether the process is alive",
            caching: .never, handler: Responder.health),
        Endpoint(
            "readiness", .get, "/readyz", .open, summary: "Which version serves, and what is missing or stale",
            caching: .never, problems: [.serviceUnavailable],
            handler: Responder.readiness),
    ]
}

extension Responder {
    /// Answers `GET /healthz`: the process is alive.
    @Sendable
    fileprivate static func health(_ call: Call) -> Health { Health() }

    /// Answers `GET /readyz`: the loaded version, and whether it is known to be the current one.
    ///
    /// - Throws: a `Problem` of status 503 if no version is loaded, or if the daemon was told to stop.
    @Sendable
    static func readiness(_ call: Call) throws(Problem) -> Readiness {
        guard !call.responder.drain.isUnderWay else { throw .stopping() }
        let outbox = call.responder.replicator?.backlog.map { backlog in
            Readiness.Outbox(changes: backlog.count, sinceMilliseconds: backlog.since)
        }
        var freshness = call.freshness(of: try call.loadedSnapshot)
        // Not all of these problems affect answers, so only readiness reports all of them as degraded.
        let problems = call.responder.problems.sentences
        freshness.version.degraded = !problems.isEmpty
        freshness.reason = problems.isEmpty ? nil : problems.joined(separator: "; ")
        return Readiness(freshness, missing: call.responder.missingParts, outbox: outbox)
    }

    /// The kinds of data that the daemon was started without, and `recording` if nothing may be recorded.
    private var missingParts: [String] {
        let snapshot = follower.current.snapshot
        let unknown = [CommunitySubject.memberships, .photos].filter { community?.knows($0, in: snapshot) != true }
            .map { $0 == .photos ? "photos" : "memberships" }
        return unknown + (community?.records == false ? ["recording"] : [])
    }
}

extension Call {
    /// Returns the age of a version, and the state of the store.
    func freshness(of snapshot: ModelSnapshot) -> Freshness {
        Freshness(
            ServedVersion(snapshot.version, degraded: problem != nil),
            modelAgeSeconds: snapshot.ageSeconds(at: responder.now()),
            groupCount: snapshot.model.groupCount, stale: responder.isStale(snapshot), reason: problem,
            store: StoreState(
                location: responder.follower.store.location, reachable: state.storeIsReachable,
                unreachableSinceMilliseconds: state.storeUnreachableSinceMilliseconds))
    }
}
