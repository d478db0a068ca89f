/// Sessions whose failure does not fail a request.
///
/// While they cannot be read or kept, as on a full disk, each request gets a new list. The beginning and the end of
/// that are logged.
final class LoggedSessions: SessionStore {
    private let sessions: any SessionStore
    private let failures: FailureLog

    init(_ sessions: any SessionStore, log: EventLog) {
        self.sessions = sessions
        failures = FailureLog(log, recovery: "sessions can be kept again")
    }

    func plan(ofUser user: String, session: String?, at now: Int64) -> FrozenPlan? {
        watching { () throws(ServiceError) in try sessions.plan(ofUser: user, session: session, at: now) } ?? nil
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) -> FrozenPlan {
        watching { () throws(ServiceError) in
            try sessions.keep(plan, ofUser: user, session: session, at: now)
        } ?? plan
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) {
        _ = watching { () throws(ServiceError) in
            try sessions.noteUse(ofUser: user, session: session, at: instant)
        }
    }

    /// Throws if it cannot be done: the member must be told.
    func forgetAll(ofUser user: String) throws(ServiceError) { try sessions.forgetAll(ofUser: user) }

    private func watching<Result>(_ body: () throws(ServiceError) -> Result) -> Result? {
        do throws(ServiceError) {
            let result = try body()
            failures.worked()
            return result
        } catch {
            failures.failed("\(error.message); lists are made anew for each request")
            return nil
        }
    }
}
