import Answers
import HTTP
import Model
import ModelStore

/// What handlers answer from.
struct Responder: Sendable {
    let follower: VersionFollower
    /// Members, photos and the site's decisions, and where changes are recorded; nil if the daemon serves groups alone.
    let community: (any CommunitySource)?
    /// What the site has decided, if the daemon serves groups alone.
    var decisions = SiteDecisions.asPublished
    /// The lists of sessions; nil to make a new list for every request.
    var sessions: Sessions?
    /// Sends changes to the other daemons and receives theirs; nil if there are none.
    var relay: ChangeRelay?
    /// The cache of answers; nil for none.
    var cache: AnswerCache?
    /// How much of what each member does is recorded.
    var quotas = MemberQuotas(MemberQuota())
    /// Counts what members do.
    var interactions = InteractionMetrics()
    /// Notes the changes that invalidate answers.
    var changes = ChangeClock()
    /// The experiments of the store; nil for none.
    var experiments: ExperimentBoard?
    /// Records what members of experiments are shown.
    var exposures: ExposureLog?
    /// Whether members and photos can be read.
    var reading: Condition?
    /// What else must work for the daemon to do all that it should.
    var conditions: [Condition] = []
    /// The age from which on a version is stale.
    var staleAfter = Duration.seconds(14 * 86400)
    /// The sources of `/metrics`.
    var metricSources: [any MetricSource] = []
    /// The description of the service at `/openapi.json`.
    var openAPI: [UInt8] = []
    /// The time, in Unix milliseconds.
    let now: @Sendable () -> Int64

    /// Whether members and photos can be read.
    static func readingCondition(_ log: EventLog) -> Condition {
        Condition(
            "reading", "Whether memberships and photos can be read",
            recovery: "memberships and photos can be read again", log: log, calmSeconds: 0)
    }

    /// Whether a version is older than it should be.
    func isStale(_ snapshot: ModelSnapshot) -> Bool {
        .seconds(snapshot.ageSeconds(at: now())) > staleAfter
    }
}

extension HTTPResponse {
    /// A body of a type.
    static func content(_ type: String, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: .ok, headers: ["Content-Type": type, "X-Content-Type-Options": "nosniff"], body: body)
    }
}

extension Endpoint {
    /// Endpoints about the service itself.
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

    /// `GET /openapi.json`.
    @Sendable
    fileprivate static func serviceDescription(_ call: Call) -> HTTPResponse {
        .content("application/json", call.responder.openAPI)
    }

    /// `GET /metrics`.
    @Sendable
    fileprivate static func metrics(_ call: Call) -> HTTPResponse {
        var text = MetricsText()
        for source in call.responder.metricSources { source.write(to: &text) }
        return .content(metricsType, text.bytes)
    }
}

extension Endpoint {
    /// Endpoints for administrators.
    static let administration = [
        Endpoint(
            "model", .get, "/v1/admin/model", .admin, summary: "What the version that serves was built from, and how",
            caching: .never, problems: [.serviceUnavailable], handler: Responder.modelReport)
    ]
}

extension Responder {
    /// `GET /v1/admin/model`: the version that serves, and what its manifest says.
    @Sendable
    fileprivate static func modelReport(_ call: Call) throws(Problem) -> ModelReport {
        let snapshot = try call.loadedSnapshot
        return ModelReport(call.freshness(of: snapshot), snapshot.manifest)
    }
}

extension Endpoint {
    /// Health and readiness.
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
    /// `GET /healthz`: the process is alive.
    @Sendable
    fileprivate static func health(_ call: Call) -> Health { Health() }

    /// `GET /readyz`: which version serves, and whether it is known to be the current one.
    ///
    /// - Throws: a `Problem` of status 503 if no version is loaded.
    @Sendable
    fileprivate static func readiness(_ call: Call) throws(Problem) -> Readiness {
        let outbox = call.responder.relay?.backlog.map { backlog in
            Readiness.Outbox(changes: backlog.count, sinceMilliseconds: backlog.since)
        }
        var freshness = call.freshness(of: try call.loadedSnapshot)
        // Answers do not depend on these: only here they count as degraded.
        for case let problem? in call.responder.conditions.map(\.problem) where freshness.reason != problem {
            freshness.version.degraded = true
            freshness.reason = [freshness.reason, problem].compactMap(\.self).joined(separator: "; ")
        }
        return Readiness(freshness, missing: call.responder.missingParts, outbox: outbox)
    }

    /// The data that the daemon was started without.
    private var missingParts: [String] {
        guard let community else { return ["memberships", "photos"] }
        return community.knowsPhotos ? [] : ["photos"]
    }
}

extension Call {
    /// Which version the answer is made of, and whether all was well.
    func served(_ version: VersionName) -> ServedVersion {
        ServedVersion(version, degraded: problem != nil)
    }

    /// How fresh a version is, and the state of the store.
    func freshness(of snapshot: ModelSnapshot) -> Freshness {
        Freshness(
            served(snapshot.version), modelAgeSeconds: snapshot.ageSeconds(at: responder.now()),
            groupCount: snapshot.model.groupCount, stale: responder.isStale(snapshot), reason: problem,
            store: StoreState(
                location: responder.follower.store.location, reachable: state.storeIsReachable,
                unreachableSinceMilliseconds: state.storeUnreachableSinceMilliseconds))
    }
}
