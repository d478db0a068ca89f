import Basics
import Model
import Synchronization

/// The last use of a session, in Unix milliseconds; a cache hit records it without a lock.
final class SessionUse: Sendable {
    private let latest: Atomic<Int64>

    init(atMilliseconds instant: Int64) { latest = Atomic(instant) }

    /// The time, in Unix milliseconds.
    var atMilliseconds: Int64 { latest.load(ordering: .relaxed) }

    func note(atMilliseconds instant: Int64) { latest.store(instant, ordering: .relaxed) }
}

/// The lists of sessions, as requests see them.
///
/// A failure of the store costs the session, never the request: each request then gets a new list. The stored last use
/// is up to two minutes late, since cache hits do not reach the store. A session that has ended by its stored time
/// continues if this daemon remembers a later use.
final class Sessions: Sendable {
    private struct Key: Hashable {
        let user: BytewiseString
        let session: BytewiseString?

        init(_ user: String, _ session: String?) {
            self.user = BytewiseString(user)
            self.session = session.map(BytewiseString.init)
        }

        /// The approximate size in memory with its use, in bytes.
        var weight: Int { 256 + user.text.utf8.count + (session?.text.utf8.count ?? 0) }
    }

    /// The memory limit for uses, in bytes; it suffices for the last ten thousand sessions or more.
    private static let limitBytes = 4 << 20

    private let stored: any SessionStore
    private let condition: HealthCondition
    private let removals = ChangeClock()
    private let uses = Mutex(RecentTable<Key, SessionUse>(limit: limitBytes))

    /// Creates sessions on top of a store.
    ///
    /// - Parameters:
    ///   - stored: the store.
    ///   - condition: the condition that shows whether lists can be stored.
    init(_ stored: any SessionStore, _ condition: HealthCondition) {
        self.stored = stored
        self.condition = condition
    }

    /// Returns the use of a session whose list was read or stored here, or `nil` if it is not remembered.
    func use(ofUser user: String, session: String?) -> SessionUse? {
        uses.withLock { $0.value(of: Key(user, session)) }
    }

    /// Returns the list of a session that has not ended, and counts a use; see `SessionStore.plan`.
    func plan(ofUser user: String, session: String?, at now: Int64) -> FrozenPlan? {
        var plan = read(user, session, at: now)
        if plan == nil, let use = use(ofUser: user, session: session),
            SessionLife.lastUse(ofSession: session, at: now).contains(use.atMilliseconds)
        {
            _ = writing { () throws(Failure) in
                try stored.noteUse(ofUser: user, session: session, at: use.atMilliseconds)
            }
            plan = read(user, session, at: now)
        }
        if plan != nil { remember(user, session, at: now) }
        return plan
    }

    /// Returns how far the removals of a member's lists are; a list is made of what is read afterwards.
    func removals(ofUser user: String) -> ChangeClock.Stamp { removals.stamp(ofMember: user) }

    /// Stores the list of a session that has none; see `SessionStore.keep`.
    ///
    /// - Parameter begun: how far the removals were before the member was read. If the member's lists were removed
    ///   since, this one, which may show what was removed, is not kept either.
    func keep(
        _ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64, madeAfter begun: ChangeClock.Stamp
    ) -> FrozenPlan {
        let kept = writing { () throws(Failure) in
            let kept = try stored.keep(plan, ofUser: user, session: session, at: now)
            if removals(ofUser: user) != begun { try stored.forgetAll(ofUser: user) }
            return kept
        }
        remember(user, session, at: now)
        return kept ?? plan
    }

    /// Removes the lists of all sessions of a member, also those that are being made.
    ///
    /// The change that is the reason must be readable by then.
    ///
    /// - Throws: `Failure` if that fails, because the member must be told.
    func forgetAll(ofUser user: String) throws(Failure) {
        removals.memberChanged(user)
        try stored.forgetAll(ofUser: user)
    }

    /// Tests, after a failure, whether lists can be stored again; called once a second.
    func probeWriting() { if condition.isFailing { testWriting() } }

    func testWriting() { _ = writing { () throws(Failure) in try stored.probeWriting() } }

    /// Reads a list.
    ///
    /// A success does not clear the condition, because reading also works on a full disk.
    private func read(_ user: String, _ session: String?, at now: Int64) -> FrozenPlan? {
        watching { () throws(Failure) in try stored.plan(ofUser: user, session: session, at: now) } ?? nil
    }

    private func writing<Result>(_ body: () throws(Failure) -> Result) -> Result? {
        let result = watching(body)
        if result != nil { condition.worked() }
        return result
    }

    private func watching<Result>(_ body: () throws(Failure) -> Result) -> Result? {
        do throws(Failure) { return try body() } catch {
            condition.failed("\(error.message); lists are made anew for each request")
            return nil
        }
    }

    private func remember(_ user: String, _ session: String?, at now: Int64) {
        let key = Key(user, session)
        uses.withLock { uses in
            // The same object is kept, because cached answers refer to it.
            if let use = uses.value(of: key) { return use.note(atMilliseconds: now) }
            uses.insert(SessionUse(atMilliseconds: now), for: key, weight: key.weight)
        }
    }
}
