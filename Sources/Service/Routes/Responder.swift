import Answers
import HTTP
import Model
import ModelStore
import Recommendation

/// The parts of a daemon, of which a handler takes its own, and the settings of this moment.
///
/// It is a class because every call has it.
final class Responder: Sendable {
    /// The lists of members, and what depends on them.
    struct Lists: Sendable {
        /// The lists of sessions; nil if every request gets a new list.
        let sessions: Sessions?
        /// The counts of what members do with lists.
        let figures: ListFigures
        /// The experiments on lists; nil for none.
        let experiments: Experiments?
        /// The clock that notes changes to answers.
        let changes: ChangeClock
    }

    /// The experiments of the store.
    struct Experiments: Sendable {
        let board: ExperimentBoard
        /// The log of the groups that their members are shown.
        let exposures: ExposureLog
    }

    /// The recording of what members do.
    struct Recording: Sendable {
        let quotas: MemberQuotas
        let interactions: InteractionMetrics
    }

    /// The state of the daemon.
    struct HealthState: Sendable {
        let problems: DaemonProblems
        /// The condition that members and photos can be read.
        let reading: HealthCondition
        /// The end of the daemon, once it was told to stop.
        var drain = Drain(.zero)
    }

    /// The documents about the daemon.
    struct Documents: Sendable {
        /// The endpoints that `/openapi.json` describes.
        let endpoints: [Endpoint]
        let metricSources: [any MetricSource]
    }

    /// The pages for operators.
    struct Pages: Sendable {
        let sessions: PageSessions
        /// The list of what operators decide.
        let decisions: DecisionNotes
        /// The costly parts of pages.
        let cache = PageCache()
        let requests: RequestMetrics
        let log: EventLog
    }

    let follower: VersionFollower
    /// Members, photos and decisions, and the place for changes; nil if the daemon serves groups alone.
    let community: (any CommunitySource)?
    let lists: Lists
    let recording: Recording
    let health: HealthState
    let documents: Documents
    let pages: Pages
    let settings: LiveSettings
    /// The clock, in Unix milliseconds.
    let now: @Sendable () -> Int64

    init(
        _ follower: VersionFollower, _ community: (any CommunitySource)?, lists: Lists,
        interactions: InteractionMetrics, health: HealthState, documents: Documents, pages: Pages,
        settings: LiveSettings,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.follower, self.community, self.now) = (follower, community, now)
        (self.lists, self.health, self.documents, self.pages) = (lists, health, documents, pages)
        (self.settings, recording) = (
            settings, Recording(quotas: MemberQuotas(settings.quota), interactions: interactions)
        )
    }

    /// Returns the same parts with other settings, and new counts of the quotas.
    func with(_ settings: LiveSettings) -> Responder {
        Responder(
            follower, community, lists: lists, interactions: recording.interactions, health: health,
            documents: documents, pages: pages, settings: settings, now: now)
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
        let settings = call.responder.settings
        let description = ServiceDescription(
            endpoints: call.responder.documents.endpoints, relations: settings.planning.configuration.relations,
            policy: settings.access)
        return .content("application/json", description.json)
    }

    /// Answers `GET /metrics`.
    @Sendable
    fileprivate static func metrics(_ call: Call) -> HTTPResponse {
        var text = MetricsText()
        for source in call.responder.documents.metricSources { source.write(to: &text) }
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
        return ModelReport(freshness: call.freshness(of: snapshot), manifest: snapshot.manifest)
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
        let health = call.responder.health
        guard !health.drain.isUnderWay else { throw .stopping() }
        let outbox = health.problems.replicator?.backlog.map { backlog in
            Readiness.Outbox(changes: backlog.count, sinceMilliseconds: backlog.since)
        }
        var freshness = call.freshness(of: try call.loadedSnapshot)
        // Not all of these problems affect answers, so only readiness reports all of them as degraded.
        let problems = health.problems.sentences
        freshness.version.degraded = !problems.isEmpty
        freshness.reason = problems.isEmpty ? nil : problems.joined(separator: "; ")
        return Readiness(freshness: freshness, missing: call.responder.missingParts, outbox: outbox)
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
        let age = snapshot.ageSeconds(at: responder.now())
        return Freshness(
            version: ServedVersion(snapshot.version, degraded: problem != nil),
            modelAgeSeconds: age, groupCount: snapshot.model.groupCount,
            stale: .seconds(age) > responder.settings.staleAfter, reason: problem,
            store: StoreState(
                location: responder.follower.store.location, reachable: state.storeIsReachable,
                unreachableSinceMilliseconds: state.storeUnreachableSinceMilliseconds))
    }
}
