/// Sessions that must not keep anybody from a list: while they cannot be read or kept, as on a full disk, each request
/// gets a list made for it; that this begins and ends is logged.
final class LoggedSessions: SessionStore {
    private let sessions: any SessionStore
    private let trouble: TroubleLog

    init(_ sessions: any SessionStore, log: EventLog) {
        self.sessions = sessions
        trouble = TroubleLog(log)
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

    /// Fails if it cannot be done: a member must know.
    func forgetAll(ofUser user: String) throws(ServiceError) { try sessions.forgetAll(ofUser: user) }

    private func watching<Result>(_ body: () throws(ServiceError) -> Result) -> Result? {
        do throws(ServiceError) {
            let result = try body()
            trouble.worked("sessions can be kept again")
            return result
        } catch {
            trouble.failed("\(error.message); lists are made anew for each request")
            return nil
        }
    }
}
