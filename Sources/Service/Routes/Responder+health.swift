import Answers
import HTTP
import Model
import ModelStore

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
