import HTTP

/// Answers requests, whether they come over a socket or not.
struct Responder: Sendable {
    /// A request to a route that needs a model, with all it needs.
    struct Call {
        /// The segment that stands for `{id}` in the route's pattern.
        let id: String
        let parameters: RequestParameters
        /// The version that answers; everything in the answer is of this one.
        let snapshot: ModelSnapshot
        let directory: (any MemberDirectory)?
    }

    /// What answers a route.
    enum Endpoint: Sendable {
        /// Without a model, and without parameters.
        case plain(@Sendable (Responder) throws(Problem) -> HTTPResponse)
        /// With the model that is loaded; these query parameters are known.
        case model(parameters: [String], @Sendable (Call) throws(Problem) -> HTTPResponse)
    }

    /// All routes.
    static let routes = RouteTable<Endpoint>([
        .init(.get, "/healthz", .plain(Responder.health)),
        .init(.get, "/readyz", .plain(Responder.readiness)),
        .init(.get, "/v1/groups/{id}/similar", .model(parameters: ["by", "limit"], Responder.similarGroups)),
        .init(.get, "/v1/users/{id}/recommendations", .model(parameters: ["limit"], Responder.recommendations)),
        .init(.get, "/v1/photos/{id}/groups", .model(parameters: ["limit"], Responder.groupsForPhoto)),
    ])

    let follower: VersionFollower
    let directory: (any MemberDirectory)?
    /// The time, in Unix milliseconds.
    let now: @Sendable () -> Int64

    /// The answer to a request.
    func respond(to request: HTTPRequest) -> HTTPResponse {
        do throws(Problem) {
            switch Self.routes.match(request.method, request.segments) {
            case .found(let endpoint, _, let segments): return try answer(request, endpoint, segments: segments)
            case .methodNotAllowed(let allowed): throw .methodNotAllowed(request.method, allowed: allowed)
            case .notFound: throw .noSuchPath()
            }
        } catch {
            return error.response(instance: request.rawPath)
        }
    }

    private func answer(_ request: HTTPRequest, _ endpoint: Endpoint, segments: [String]) throws(Problem)
        -> HTTPResponse
    {
        switch endpoint {
        case .plain(let answer):
            _ = try RequestParameters(request.query, allowed: [])
            return try answer(self)
        case .model(let names, let answer):
            let parameters = try RequestParameters(request.query, allowed: names)
            let state = follower.current
            guard let snapshot = state.snapshot else { throw .noModel(reason: state.problem ?? "no version is loaded") }
            let call = Call(id: segments[0], parameters: parameters, snapshot: snapshot, directory: directory)
            return try answer(call)
        }
    }
}

extension HTTPResponse {
    /// Whether others than the client may keep an answer, and for how long.
    enum Caching: String {
        /// The same for everybody until the next version, which comes once a week or so.
        case shared = "public, max-age=60"
        /// About one person.
        case personal = "private, no-cache"
        /// About this very moment.
        case never = "no-store"
    }

    /// A JSON object.
    static func json(_ caching: Caching, _ members: (inout JSONWriter) -> Void) -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            headers: [
                "Content-Type": "application/json", "Cache-Control": caching.rawValue,
                "X-Content-Type-Options": "nosniff",
            ],
            body: JSONWriter.object(members))
    }
}
