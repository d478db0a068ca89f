import Model
import Synchronization

/// The moment a session was last used, in Unix milliseconds: an answer from the cache notes it without a lock.
final class SessionUse: Sendable {
    private let latest: Atomic<Int64>

    init(atMilliseconds instant: Int64) { latest = Atomic(instant) }

    /// Unix milliseconds.
    var atMilliseconds: Int64 { latest.load(ordering: .relaxed) }

    func note(atMilliseconds instant: Int64) { latest.store(instant, ordering: .relaxed) }
}

/// The lists of sessions, as requests see them.
///
/// A failure of the store costs the session, never the request: each request then gets a new list. The stored time of
/// the last use is up to two minutes behind, since answers from the cache do not come to the store. A session that seems
/// to have ended by its stored time goes on if this daemon remembers a later use.
final class Sessions: Sendable {
    private struct Key: Hashable {
        let user: BytewiseString
        let session: BytewiseString?

        init(_ user: String, _ session: String?) {
            self.user = BytewiseString(user)
            self.session = session.map(BytewiseString.init)
        }

        /// What it takes in memory with its use, in bytes, about.
        var weight: Int { 256 + user.text.utf8.count + (session?.text.utf8.count ?? 0) }
    }

    /// The memory that uses may take, in bytes: of the sessions used last, some ten thousand.
    private static let limitBytes = 4 << 20

    private let stored: any SessionStore
    private let condition: Condition
    private let uses = Mutex(RecentTable<Key, SessionUse>(limit: limitBytes))

    /// - Parameter condition: whether lists can be kept.
    init(_ stored: any SessionStore, _ condition: Condition) {
        self.stored = stored
        self.condition = condition
    }

    /// The use of a session whose list was asked for or kept here; `nil` if that is not remembered.
    func use(ofUser user: String, session: String?) -> SessionUse? {
        uses.withLock { $0.value(of: Key(user, session)) }
    }

    /// The list of a session that has not ended, which thereby goes on; as `SessionStore.plan`.
    func plan(ofUser user: String, session: String?, at now: Int64) -> FrozenPlan? {
        var plan = read(user, session, at: now)
        if plan == nil, let use = use(ofUser: user, session: session),
            SessionLife.lastUse(ofSession: session, at: now).contains(use.atMilliseconds)
        {
            _ = writing { () throws(ServiceError) in
                try stored.noteUse(ofUser: user, session: session, at: use.atMilliseconds)
            }
            plan = read(user, session, at: now)
        }
        if plan != nil { remember(user, session, at: now) }
        return plan
    }

    /// Keeps the list of a session that has none; as `SessionStore.keep`.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) -> FrozenPlan {
        let kept = writing { () throws(ServiceError) in
            try stored.keep(plan, ofUser: user, session: session, at: now)
        }
        remember(user, session, at: now)
        return kept ?? plan
    }

    /// Forgets the lists of all sessions of a member.
    ///
    /// - Throws: if that fails: the member must be told.
    func forgetAll(ofUser user: String) throws(ServiceError) { try stored.forgetAll(ofUser: user) }

    /// Finds out, if lists could not be kept, whether they can be again; called once a second.
    func probeWriting() {
        guard condition.isFailing else { return }
        _ = writing { () throws(ServiceError) in try stored.probeWriting() }
    }

    /// Reads a list.
    ///
    /// Reading works on a full disk, too: a success says nothing about the condition.
    private func read(_ user: String, _ session: String?, at now: Int64) -> FrozenPlan? {
        watching { () throws(ServiceError) in try stored.plan(ofUser: user, session: session, at: now) } ?? nil
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

    private func remember(_ user: String, _ session: String?, at now: Int64) {
        let key = Key(user, session)
        uses.withLock { uses in
            // Answers in the cache have this very object.
            if let use = uses.value(of: key) { return use.note(atMilliseconds: now) }
            uses.insert(SessionUse(atMilliseconds: now), for: key, weight: key.weight)
        }
    }
}
