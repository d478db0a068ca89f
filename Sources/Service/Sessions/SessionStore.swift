import Basics

/// A store of the lists of sessions.
///
/// A list stays the same after a restart, a new version or a change of the time bucket. The methods are called from
/// several threads at a time.
protocol SessionStore: Sendable {
    /// Returns the list of a session that has not ended, and counts a use of the session.
    ///
    /// - Parameters:
    ///   - user: the member's id.
    ///   - session: the client's own id with the filters of the list, in the form of `RequestParameters.sessionName`;
    ///     or `nil` if there is neither.
    ///   - now: the time, in Unix milliseconds.
    /// - Returns: `nil` if there is no such session.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(Failure) -> FrozenPlan?

    /// Stores the list of a session that has none.
    ///
    /// - Returns: the list that the session has now; it is another one if another request was faster.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
        -> FrozenPlan

    /// Records a use of a session, if it has a list, at a time in Unix milliseconds.
    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure)

    /// Removes the lists of all sessions of a member, which reveal the groups that the member was in.
    func forgetAll(ofUser user: String) throws(Failure)

    /// Tests whether writing is possible, without changing anything.
    func probeWriting() throws(Failure)
}

/// The lifetimes of sessions.
enum SessionLife {
    /// The longest time without a request in a session without a client's id, in milliseconds.
    static let inactivityMilliseconds: Int64 = 30 * 60_000
    /// The longest time without a request in a session with a client's id, in milliseconds.
    static let ownMilliseconds: Int64 = 24 * 3_600_000
    /// The precision of the stored last use of a session; a write for every request would be slow.
    static let touchMilliseconds: Int64 = 60_000

    /// Returns the longest time without a request in a session, in milliseconds.
    ///
    /// - Parameter session: the name, as in `RequestParameters.sessionName`: the filters follow a NUL.
    static func milliseconds(ofSession session: String?) -> Int64 {
        session == nil || session?.utf8.first == 0 ? inactivityMilliseconds : ownMilliseconds
    }

    /// Returns the possible last uses of a session that has not ended, in Unix milliseconds.
    ///
    /// The clocks of daemons may differ a little. A last use further in the future comes from a wrong clock. Such a
    /// session counts as ended; otherwise it would live too long.
    static func lastUse(ofSession session: String?, at now: Int64) -> ClosedRange<Int64> {
        now - milliseconds(ofSession: session) + 1...now + touchMilliseconds
    }
}
