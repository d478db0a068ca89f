/// Where the lists of sessions are kept: they stay the same through restarts, new versions, and changes of the time
/// bucket.
///
/// Called from several threads at a time.
protocol SessionStore: Sendable {
    /// The list of a session that has not ended; this counts as a use of the session.
    ///
    /// - Parameters:
    ///   - session: the client's own id with the filters of the list, as `RequestParameters.sessionName` writes them;
    ///     nil for neither.
    ///   - now: Unix milliseconds.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan?

    /// Keeps the list of a session that has none.
    ///
    /// - Returns: the list that the session has now: another one, if another request was quicker.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan

    /// Notes that a session, if it has a list, was used at an instant, in Unix milliseconds.
    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError)

    /// Forgets the lists of all sessions of a member, which tell what the member was in.
    func forgetAll(ofUser user: String) throws(ServiceError)

    /// Writes, but changes nothing, to find out whether it is possible.
    func probeWriting() throws(ServiceError)
}

/// When sessions end.
enum SessionLife {
    /// A session without a client's id ends after so long without a request, in milliseconds.
    static let inactivityMilliseconds: Int64 = 30 * 60_000
    /// A session with a client's id ends after so long without a request, in milliseconds.
    static let ownMilliseconds: Int64 = 24 * 3_600_000
    /// How exactly the last use of a session is stored: writing at every request would be slow.
    static let touchMilliseconds: Int64 = 60_000

    /// How long a session may go without a request, in milliseconds.
    ///
    /// - Parameter session: as in `RequestParameters.sessionName`: filters stand behind a NUL.
    static func milliseconds(ofSession session: String?) -> Int64 {
        session == nil || session?.utf8.first == 0 ? inactivityMilliseconds : ownMilliseconds
    }

    /// When a session that has not ended was used last, in Unix milliseconds.
    ///
    /// Clocks of daemons differ a little. One that was used in the future, by a clock that was wrong, has ended: it
    /// would not end for as long.
    static func lastUse(ofSession session: String?, at now: Int64) -> ClosedRange<Int64> {
        now - milliseconds(ofSession: session) + 1...now + touchMilliseconds
    }
}
