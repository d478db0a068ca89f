/// Sessions whose failure does not fail a request.
///
/// While they cannot be read or kept, as on a full disk, each request gets a new list.
final class LoggedSessions: SessionStore {
    private let sessions: any SessionStore
    private let condition: Condition

    /// - Parameter condition: whether lists can be kept.
    init(_ sessions: any SessionStore, _ condition: Condition) {
        self.sessions = sessions
        self.condition = condition
    }

    func plan(ofUser user: String, session: String?, at now: Int64) -> FrozenPlan? {
        // Reading works on a full disk, too: that it works says nothing.
        watching { () throws(ServiceError) in try sessions.plan(ofUser: user, session: session, at: now) } ?? nil
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) -> FrozenPlan {
        writing { () throws(ServiceError) in
            try sessions.keep(plan, ofUser: user, session: session, at: now)
        } ?? plan
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) {
        _ = writing { () throws(ServiceError) in
            try sessions.noteUse(ofUser: user, session: session, at: instant)
        }
    }

    /// Throws if it cannot be done: the member must be told.
    func forgetAll(ofUser user: String) throws(ServiceError) { try sessions.forgetAll(ofUser: user) }

    /// If lists could not be kept, finds out whether they can be again.
    func probeWriting() {
        guard condition.isFailing else { return }
        _ = writing { () throws(ServiceError) in try sessions.probeWriting() }
    }

    private func writing<Result>(_ body: () throws(ServiceError) -> Result) -> Result? {
        let result = watching(body)
        if result != nil { condition.worked() }
        return result
    }

    private func watching<Result>(_ body: () throws(ServiceError) -> Result) -> Result? {
        do throws(ServiceError) { return try body() } catch {
            condition.failed("\(error.message); lists are made anew for each request")
            return nil
        }
    }
}
