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

/// The list of a session, as the bytes that are kept.
struct SealedList: Sendable {
    let user: String
    let session: String?
    /// Unix milliseconds.
    let usedAt: Int64
    let bytes: [UInt8]

    /// By their bytes: to Swift, texts are equal already if they look the same.
    func isOf(_ user: String) -> Bool { self.user.utf8.elementsEqual(user.utf8) }
}

/// Lists that a store has, until they are in the file of this machine too: no request waits for that file.
///
/// A process that is killed loses those of the last moment, and only for a time when the store is away.
final class PendingLists: Sendable {
    /// How often they are written.
    static let interval = Duration.milliseconds(50)

    /// With so many, a request writes them after all.
    private static let most = 256
    /// How many are written in one transaction: a request that writes to the file itself waits for as long.
    private static let atATime = 4

    private let file: SessionFile
    private let lists = Mutex<[SealedList]>([])
    /// Held by whoever writes to the file, so that nothing is written after it was forgotten.
    private let writing = Mutex(())

    init(_ file: SessionFile) { self.file = file }

    func append(_ list: SealedList) {
        let count = lists.withLock { lists in
            lists.append(list)
            return lists.count
        }
        if count >= Self.most { write() }
    }

    /// Writes all if a list of a member is among them: what is looked for in the file must be there.
    func write(ifAnyOf user: String) {
        if lists.withLock({ $0.contains { $0.isOf(user) } }) { write() }
    }

    /// Writes all that there are.
    func write() {
        writing.withLock { _ in
            while true {
                // They leave when they are in the file: until then, whoever looks for one waits here.
                let next = lists.withLock { Array($0.prefix(Self.atATime)) }
                guard !next.isEmpty else { return }
                // With a full disk here, the store still has them.
                try? file.keep(next)
                lists.withLock { $0.removeFirst(next.count) }
            }
        }
    }

    /// Forgets all lists of a member, those in the file as well.
    func forgetAll(ofUser user: String) throws(ServiceError) {
        try writing.withLock { _ throws(ServiceError) in
            lists.withLock { $0.removeAll { $0.isOf(user) } }
            try file.forgetAll(ofUser: user)
        }
    }
}
