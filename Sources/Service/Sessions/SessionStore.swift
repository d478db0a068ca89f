/// Where the lists of sessions are kept: they stay the same through restarts, new versions, and the edges of buckets.
///
/// Called from several threads at a time.
protocol SessionStore: Sendable {
    /// The list of a session that has not ended, which thereby goes on.
    ///
    /// - Parameters:
    ///   - session: the client's own id; nil for none.
    ///   - now: Unix milliseconds.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan?

    /// Keeps the list of a session that has none.
    ///
    /// - Returns: the list that the session has now: another one, if somebody else was quicker.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan

    /// Notes that a session, if it has a list, was used at an instant, in Unix milliseconds.
    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError)

    /// Forgets the lists of all sessions of a member, which tell what the member was in.
    func forgetAll(ofUser user: String) throws(ServiceError)
}

/// When sessions end.
enum SessionLife {
    /// A session without an id of the client's ends when nothing was asked for so long, in milliseconds.
    static let inactivityMilliseconds: Int64 = 30 * 60_000
    /// A session with one ends when nothing was asked for so long, in milliseconds.
    static let ownMilliseconds: Int64 = 24 * 3_600_000
    /// How exactly it is known when a session was used last: writing at every request would be dear.
    static let touchMilliseconds: Int64 = 60_000

    /// How long a session may go without a request, in milliseconds.
    static func milliseconds(ofSession session: String?) -> Int64 {
        session == nil ? inactivityMilliseconds : ownMilliseconds
    }
}
