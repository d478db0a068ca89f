import HTTP

/// What handlers answer from.
struct Responder: Sendable {
    let follower: VersionFollower
    /// Members, photos and the site's decisions, and where changes are recorded; nil if the daemon serves groups alone.
    let community: (any CommunitySource)?
    /// The lists of sessions; nil to make a new list for every request.
    var sessions: SessionsInUse?
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
