import HTTP

/// What the routes answer from.
struct Responder: Sendable {
    let follower: VersionFollower
    let directory: (any MemberDirectory)?
    /// What members do and the site decides; nil if nobody can keep it.
    var journal: (any Journal)?
    /// The lists of sessions; nil to make a new one for every request.
    var sessions: SessionsInUse?
    /// Tells the other daemons what is changed here, and takes down their changes; nil if there are none.
    var pump: StreamPump?
    /// Answers that are given again; nil to make every answer anew.
    var cache: AnswerCache?
    /// Where changes are noted that make answers others.
    var changes = ChangeClock()
    /// How old a version may be before it counts as stale.
    var staleAfter = Duration.seconds(14 * 86400)
    /// Who has figures to tell at `/metrics`.
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
