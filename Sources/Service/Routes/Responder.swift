import HTTP

/// What the routes answer from.
struct Responder: Sendable {
    let follower: VersionFollower
    /// Members, photos and the site's decisions, and where changes are recorded; nil if the daemon serves groups alone.
    let community: (any CommunitySource)?
    /// The lists of sessions; nil to make a new one for every request.
    var sessions: SessionsInUse?
    /// Sends changes to the other daemons and receives theirs; nil if there are none.
    var relay: ChangeRelay?
    /// Answers that are given again; nil to make every answer anew.
    var cache: AnswerCache?
    /// Where changes are noted that show in answers.
    var changes = ChangeClock()
    /// Logs that members or photos cannot be read, and that they can again.
    var failures: FailureLog?
    /// How old a version may be before it counts as stale.
    var staleAfter = Duration.seconds(14 * 86400)
    /// The sources of the figures at `/metrics`.
    var metricSources: [any MetricSource] = []
    /// The description of the service at `/openapi.json`.
    var openAPI: [UInt8] = []
    /// The time, in Unix milliseconds.
    let now: @Sendable () -> Int64

    /// Logs that members or photos cannot be read, and that they can again.
    static func failureLog(_ log: EventLog) -> FailureLog {
        FailureLog(log, recovery: "memberships and photos can be read again")
    }

    /// Whether a version is older than it should be.
    func isStale(_ snapshot: ModelSnapshot) -> Bool {
        .seconds(snapshot.ageSeconds(at: now())) > staleAfter
    }
}

extension HTTPResponse {
    /// A JSON object.
    static func json(_ members: (inout JSONWriter) -> Void) -> HTTPResponse {
        .content("application/json", JSONWriter.object(members))
    }

    /// A body of a type.
    static func content(_ type: String, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: .ok, headers: ["Content-Type": type, "X-Content-Type-Options": "nosniff"], body: body)
    }
}
