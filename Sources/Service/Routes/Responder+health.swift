import HTTP
import Model
import ModelStore

extension Endpoint {
    /// Whether the daemon is alive, and can serve.
    static let health = [
        Endpoint(
            "health", .get, "/healthz", .open, summary: "Whether the process is alive",
            content: .json(schema: "Health"), caching: .never, handler: Responder.health),
        Endpoint(
            "readiness", .get, "/readyz", .open, summary: "Which version serves, and what is missing or stale",
            content: .json(schema: "Readiness"), caching: .never, problems: [.serviceUnavailable],
            handler: Responder.readiness),
    ]
}

extension Responder {
    /// `GET /healthz`: the process is alive.
    @Sendable
    fileprivate static func health(_ call: Call) -> HTTPResponse {
        .json { $0.member("status", "alive") }
    }

    /// `GET /readyz`: which version serves, and whether it is known to be the current one.
    ///
    /// - Throws: a `Problem` of status 503 if no version is loaded.
    @Sendable
    fileprivate static func readiness(_ call: Call) throws(Problem) -> HTTPResponse {
        let snapshot = try call.snapshot
        return .json { json in
            json.member("status", "ready")
            json.freshness(of: snapshot, call)
            json.texts("missing", call.responder.missingParts)
            if let backlog = call.responder.relay?.backlog {
                json.object("outbox") { json in
                    json.member("changes", backlog.count)
                    if let since = backlog.since { json.member("sinceMilliseconds", since) }
                }
            }
        }
    }

    /// What the daemon was started without, and cannot answer about.
    private var missingParts: [String] {
        guard let community else { return ["memberships", "photos"] }
        return community.knowsPhotos ? [] : ["photos"]
    }
}

extension JSONWriter {
    /// Members that tell how fresh a version is, and what is known of the store.
    mutating func freshness(of snapshot: ModelSnapshot, _ call: Call) {
        member("modelVersion", snapshot.version.description)
        member("modelAgeSeconds", snapshot.ageSeconds(at: call.responder.now()))
        member("groupCount", snapshot.model.groupCount)
        member("stale", call.responder.isStale(snapshot))
        member("degraded", call.problem != nil)
        if let problem = call.problem { member("reason", problem) }
        object("store") { json in
            json.member("location", call.responder.follower.store.location)
            json.member("reachable", call.state.storeIsReachable)
            if let since = call.state.storeUnreachableSinceMilliseconds {
                json.member("unreachableSinceMilliseconds", since)
            }
        }
    }
}
