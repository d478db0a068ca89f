import HTTP

/// What handlers answer from.
struct Responder: Sendable {
    let follower: VersionFollower
    let directory: (any MemberDirectory)?
    /// Keeps what members do and the site decides; nil if the daemon cannot.
    var journal: (any Journal)?
    /// The lists of sessions; nil to make a new list for every request.
    var sessions: SessionsInUse?
    /// Tells the other daemons what is changed here, and takes down their changes; nil if there are none.
    var pump: StreamPump?
    /// The cache of answers; nil for none.
    var cache: AnswerCache?
    /// Notes the changes that invalidate answers.
    var changes = ChangeClock()
    /// The age from which on a version is stale.
    var staleAfter = Duration.seconds(14 * 86400)
    /// The sources of `/metrics`.
    var metricSources: [any MetricSource] = []
    /// The description of the service at `/openapi.json`.
    var openAPI: [UInt8] = []
    /// The time, in Unix milliseconds.
    let now: @Sendable () -> Int64

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
