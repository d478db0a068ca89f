import ModelStore
import Synchronization

/// The lists of sessions of all daemons that share a store: whichever answers, a session has the same list.
///
/// They are kept on this machine as well: a session that began here continues here while the store is away. A list that
/// is made meanwhile is this machine's alone until its session ends.
final class SharedSessions: SessionStore {
    /// The interval at which `writePending` is called.
    static let writingInterval = Duration.milliseconds(50)

    /// The pause after a failure of the store: not every request must wait for it.
    private static let pause = Duration.seconds(2)

    private let channel: SharedChannel
    private let local: SessionFile
    private let pending: PendingLists
    private let damaged: DamagedLists
    private let nextAttempt = Mutex<ContinuousClock.Instant?>(nil)

    /// Sessions that are shared through a store.
    ///
    /// - Parameters:
    ///   - local: those on this machine.
    ///   - damaged: counts the lists that were damaged in the store.
    init(_ channel: SharedChannel, local: SessionFile, damaged: DamagedLists) {
        self.channel = channel
        self.local = local
        pending = PendingLists(local)
        self.damaged = damaged
    }

    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan? {
        pending.write(ifAnyOf: user)
        if let (plan, isNoted) = try? local.use(user, session, at: now) {
            if isNoted { touch(user, session, at: now) }
            return plan
        }
        let shared: (bytes: [UInt8], usedAt: Int64)? =
            asking { () throws(StoreError) in try channel.list(ofUser: user, session: session ?? "") } ?? nil
        guard let shared, SessionLife.lastUse(ofSession: session, at: now).contains(shared.usedAt),
            let plan = try? opened(shared.bytes, user, session)
        else { return nil }
        touch(user, session, at: now)
        pending.append(SealedList(user: user, session: session, usedAt: now, bytes: shared.bytes))
        return plan
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan
    {
        guard let shared = share(plan, user, session, at: now) else {
            return try local.keep(plan, ofUser: user, session: session, at: now)
        }
        pending.append(SealedList(user: user, session: session, usedAt: now, bytes: shared.bytes))
        return shared.plan
    }

    /// Writes lists that the store has to the file of this machine; called now and again, and at the end.
    func writePending() { pending.write() }

    /// Keeps a list in the store, and returns the one that the session has there; nil if the store does not answer.
    private func share(_ plan: FrozenPlan, _ user: String, _ session: String?, at now: Int64) -> (
        plan: FrozenPlan, bytes: [UInt8]
    )? {
        let bytes = plan.sealed(ofUser: user, session: session)
        // A damaged list that stood there has gone by the second time.
        for _ in 0..<2 {
            let answer = asking { () throws(StoreError) in
                try channel.keep(
                    bytes, ofUser: user, session: session ?? "", at: now,
                    lastUse: SessionLife.lastUse(ofSession: session, at: now), lifetime: Self.lifetime)
            }
            guard let answer else { return nil }
            guard let kept = answer else { return (plan, bytes) }
            do {
                return (try opened(kept, user, session), kept)
            } catch {
                // A newer version of this program, which runs beside this one for a while, may have kept it.
                guard case .damaged = error else { return (plan, bytes) }
            }
        }
        return (plan, bytes)
    }

    /// The list in bytes of the store; damaged ones are counted and removed.
    private func opened(_ bytes: [UInt8], _ user: String, _ session: String?) throws(FrozenPlan.Unreadable)
        -> FrozenPlan
    {
        do {
            return try FrozenPlan(sealed: bytes, ofUser: user, session: session)
        } catch {
            if case .damaged = error {
                damaged.found(in: channel.location)
                _ = asking { () throws(StoreError) in
                    try channel.remove(bytes, ofUser: user, session: session ?? "")
                }
            }
            throw error
        }
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError) {
        touch(user, session, at: instant)
        pending.write(ifAnyOf: user)
        try local.noteUse(ofUser: user, session: session, at: instant)
    }

    func forgetAll(ofUser user: String) throws(ServiceError) {
        try pending.forgetAll(ofUser: user)
        _ = asking { () throws(StoreError) in try channel.forgetSessions(ofUser: user) }
    }

    func probeWriting() throws(ServiceError) { try local.probeWriting() }

    private static let lifetime = Duration.milliseconds(SessionLife.ownMilliseconds)

    private func touch(_ user: String, _ session: String?, at now: Int64) {
        _ = asking { () throws(StoreError) in
            try channel.touch(ofUser: user, session: session ?? "", at: now, lifetime: Self.lifetime)
        }
    }

    /// Asks the store; nil if it does not answer, or did not a moment ago.
    private func asking<Result>(_ body: () throws(StoreError) -> Result) -> Result? {
        let mayAsk = nextAttempt.withLock { next in
            guard let time = next else { return true }
            guard time <= .now else { return false }
            // One request finds out for all whether it answers again.
            next = .now + Self.pause
            return true
        }
        guard mayAsk else { return nil }
        do throws(StoreError) {
            let result = try body()
            nextAttempt.withLock { $0 = nil }
            return result
        } catch {
            nextAttempt.withLock { $0 = .now + Self.pause }
            return nil
        }
    }
}

/// Lists that the store has and the file of this machine does not have yet: no request waits for that file.
///
/// A process that is killed loses the lists of the last moment. The store still has them.
private final class PendingLists: Sendable {
    /// The number of waiting lists from which a request writes them itself.
    private static let most = 256
    /// Lists a transaction: a request that writes to the file itself waits for one transaction.
    private static let atATime = 4

    private let file: SessionFile
    private let lists = Mutex<[SealedList]>([])
    /// Held while the file is written: nothing is written after it was forgotten.
    private let writing = Mutex(())

    init(_ file: SessionFile) { self.file = file }

    func append(_ list: SealedList) {
        let count = lists.withLock { lists in
            lists.append(list)
            return lists.count
        }
        if count >= Self.most { write() }
    }

    /// Writes all lists if one of a member is among them: a reader of the file must find it there.
    func write(ifAnyOf user: String) {
        if lists.withLock({ $0.contains { $0.isOf(user) } }) { write() }
    }

    /// Writes all lists.
    func write() {
        writing.withLock { _ in
            while true {
                // They leave when they are in the file: until then, a reader waits here.
                let next = lists.withLock { Array($0.prefix(Self.atATime)) }
                guard !next.isEmpty else { return }
                // With a full disk here, the store still has them.
                try? file.keep(next)
                lists.withLock { $0.removeFirst(next.count) }
            }
        }
    }

    /// Forgets all lists of a member, also those in the file.
    func forgetAll(ofUser user: String) throws(ServiceError) {
        try writing.withLock { _ throws(ServiceError) in
            lists.withLock { $0.removeAll { $0.isOf(user) } }
            try file.forgetAll(ofUser: user)
        }
    }
}
