import Model
import Synchronization

/// When a session was used last: an answer from the cache notes it here, without a lock and without writing to a disk.
final class SessionUse: Sendable {
    private let latest: Atomic<Int64>

    init(atMilliseconds instant: Int64) { latest = Atomic(instant) }

    /// Unix milliseconds.
    var atMilliseconds: Int64 { latest.load(ordering: .relaxed) }

    func note(atMilliseconds instant: Int64) { latest.store(instant, ordering: .relaxed) }
}

/// Sessions of which this daemon remembers when each was used last.
///
/// What is stored of that is behind by up to two minutes: it is not written at every request, and answers from the
/// cache do not come to the store. A session that seems to have ended by what is stored goes on if it is remembered to
/// have been used since.
final class SessionsInUse: Sendable {
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
    private let uses = Mutex(RecentTable<Key, SessionUse>(limit: limitBytes))

    init(_ stored: any SessionStore) { self.stored = stored }

    /// The use of a session whose list was asked for or kept here; nil if that is not remembered.
    func use(ofUser user: String, session: String?) -> SessionUse? {
        uses.withLock { $0.value(of: Key(user, session)) }
    }

    /// The list of a session that has not ended, which thereby goes on; as `SessionStore.plan`.
    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan? {
        var plan = try stored.plan(ofUser: user, session: session, at: now)
        if plan == nil, let use = use(ofUser: user, session: session),
            SessionLife.lastUse(ofSession: session, at: now).contains(use.atMilliseconds)
        {
            try stored.noteUse(ofUser: user, session: session, at: use.atMilliseconds)
            plan = try stored.plan(ofUser: user, session: session, at: now)
        }
        if plan != nil { remember(user, session, at: now) }
        return plan
    }

    /// Keeps the list of a session that has none; as `SessionStore.keep`.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan
    {
        let kept = try stored.keep(plan, ofUser: user, session: session, at: now)
        remember(user, session, at: now)
        return kept
    }

    /// Forgets the lists of all sessions of a member.
    func forgetAll(ofUser user: String) throws(ServiceError) { try stored.forgetAll(ofUser: user) }

    /// If lists could not be kept, finds out whether they can be again; called now and again.
    func probeWriting() { try? stored.probeWriting() }

    private func remember(_ user: String, _ session: String?, at now: Int64) {
        let key = Key(user, session)
        uses.withLock { uses in
            // Answers in the cache have this very object.
            if let use = uses.value(of: key) { return use.note(atMilliseconds: now) }
            uses.insert(SessionUse(atMilliseconds: now), for: key, weight: key.weight)
        }
    }
}
