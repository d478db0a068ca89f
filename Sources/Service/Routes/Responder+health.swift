import HTTP
import Model
import ModelStore

extension Responder {
    /// `GET /healthz`: the process is alive.
    @Sendable
    static func health(_ responder: Responder) -> HTTPResponse {
        .json(.never) { $0.member("status", "alive") }
    }

    /// `GET /readyz`: which version serves, and whether it is known to be the current one.
    ///
    /// - Throws: a `Problem` of status 503 if no version is loaded.
    @Sendable
    static func readiness(_ responder: Responder) throws(Problem) -> HTTPResponse {
        let state = responder.follower.current
        guard let snapshot = state.snapshot else { throw .noModel(reason: state.problem ?? "no version is loaded") }
        let ageMilliseconds = max(0, responder.now() - snapshot.createdAtMilliseconds)
        return .json(.never) { json in
            json.member("status", "ready")
            json.member("modelVersion", snapshot.version.description)
            json.member("modelAgeSeconds", ageMilliseconds / 1000)
            json.member("groupCount", snapshot.model.groupCount)
            json.member("degraded", state.problem != nil)
            if let problem = state.problem { json.member("reason", problem) }
            json.object("store") { json in
                json.member("location", responder.follower.store.location)
                json.member("reachable", state.storeIsReachable)
            }
        }
    }
}
