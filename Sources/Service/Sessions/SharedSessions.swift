import Basics
import ModelStore
import Synchronization

/// The lists of sessions that all daemons of a shared store have in common: a session has the same list on all.
///
/// Lists are also stored on this machine, so a session that began here continues while the store is away. A list that
/// is made during that time stays on this machine until its session ends.
final class SharedSessions: SessionStore {
    /// The interval at which `writePending` is called.
    static let writingInterval = Duration.milliseconds(50)

    /// The pause after a failure of the store, so that not every request waits for a timeout.
    private static let pause = Duration.seconds(2)

    private let channel: SharedChannel
    private let local: SessionFile
    private let pending: PendingLists
    private let damaged: DamagedLists
    private let nextAttempt = Mutex<ContinuousClock.Instant?>(nil)

    /// Creates sessions that are shared through a store.
    ///
    /// - Parameters:
    ///   - channel: the connection to the store.
    ///   - local: the sessions on this machine.
    ///   - damaged: counts the lists that were damaged in the store.
    init(_ channel: SharedChannel, local: SessionFile, damaged: DamagedLists) {
        self.channel = channel
        self.local = local
        pending = PendingLists(local)
        self.damaged = damaged
    }

    func plan(ofUser user: String, session: String?, at now: Int64) throws(Failure) -> FrozenPlan? {
        pending.write(ifAnyOf: user)
        if let (plan, isNoted) = try? local.use(user, session, at: now) {
            if isNoted { touch(user, session, at: now) }
            return plan
        }
        let shared: (bytes: [UInt8], usedAt: Int64)? =
            asking { () throws(Failure) in try channel.list(ofUser: user, session: session ?? "") } ?? nil
        guard let shared, SessionLife.lastUse(ofSession: session, at: now).contains(shared.usedAt),
            let plan = try? opened(shared.bytes, user, session)
        else { return nil }
        touch(user, session, at: now)
        pending.append(SealedList(user: user, session: session, usedAt: now, bytes: shared.bytes))
        return plan
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
        -> FrozenPlan
    {
        guard let shared = share(plan, user, session, at: now) else {
            return try local.keep(plan, ofUser: user, session: session, at: now)
        }
        pending.append(SealedList(user: user, session: session, usedAt: now, bytes: shared.bytes))
        return shared.plan
    }

    /// Writes the lists that only the store has to the local file; called at intervals and at the end.
    func writePending() { pending.write() }

    /// Puts a list into the store, and returns the list that the session has there.
    ///
    /// - Returns: `nil` if the store does not answer.
    private func share(_ plan: FrozenPlan, _ user: String, _ session: String?, at now: Int64) -> (
        plan: FrozenPlan, bytes: [UInt8]
    )? {
        let bytes = plan.sealed(ofUser: user, session: session)
        // On the second attempt, a damaged list is gone.
        for _ in 0..<2 {
            let answer = asking { () throws(Failure) in
                try channel.keep(
                    bytes, ofUser: user, session: session ?? "", at: now,
                    lastUse: SessionLife.lastUse(ofSession: session, at: now), lifetime: Self.lifetime)
            }
            guard let answer else { return nil }
            guard let kept = answer else { return (plan, bytes) }
            do {
                return (try opened(kept, user, session), kept)
            } catch {
                // A newer version of this program may run at the same time, and have stored the list.
                guard case .damaged = error else { return (plan, bytes) }
            }
        }
        return (plan, bytes)
    }

    /// Decodes a list of the store; damaged lists are counted and removed.
    private func opened(_ bytes: [UInt8], _ user: String, _ session: String?) throws(FrozenPlan.Unreadable)
        -> FrozenPlan
    {
        do {
            return try FrozenPlan(sealed: bytes, ofUser: user, session: session)
        } catch {
            if case .damaged = error {
                damaged.found(in: channel.location)
                _ = asking { () throws(Failure) in
                    try channel.remove(bytes, ofUser: user, session: session ?? "")
                }
            }
            throw error
        }
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure) {
        touch(user, session, at: instant)
        pending.write(ifAnyOf: user)
        try local.noteUse(ofUser: user, session: session, at: instant)
    }

    func forgetAll(ofUser user: String) throws(Failure) {
        try pending.forgetAll(ofUser: user)
        _ = asking { () throws(Failure) in try channel.forgetSessions(ofUser: user) }
    }

    func probeWriting() throws(Failure) { try local.probeWriting() }

    private static let lifetime = Duration.milliseconds(SessionLife.ownMilliseconds)

    private func touch(_ user: String, _ session: String?, at now: Int64) {
        _ = asking { () throws(Failure) in
            try channel.touch(ofUser: user, session: session ?? "", at: now, lifetime: Self.lifetime)
        }
    }

    /// Asks the store, or returns `nil` if it does not answer or failed a moment ago.
    private func asking<Result>(_ body: () throws(Failure) -> Result) -> Result? {
        let mayAsk = nextAttempt.withLock { next in
            guard let time = next else { return true }
            guard time <= .now else { return false }
            // One request tests for all others whether the store answers again.
            next = .now + Self.pause
            return true
        }
        guard mayAsk else { return nil }
        do throws(Failure) {
            let result = try body()
            nextAttempt.withLock { $0 = nil }
            return result
        } catch {
            nextAttempt.withLock { $0 = .now + Self.pause }
            return nil
        }
    }
}

/// The lists in the store that are not yet in the local file; so no request waits for the file.
///
/// A killed process loses the lists of the last moment, but the store still has them.
private final class PendingLists: Sendable {
    /// The number of waiting lists at which a request writes them itself.
    private static let most = 256
    /// The lists in a transaction, which is short because a request that writes waits for it.
    private static let atATime = 4

    private let file: SessionFile
    private let lists = Mutex<[SealedList]>([])
    /// A lock held while the file is written, so that no list is written after it was removed.
    private let writing = Mutex(())

    init(_ file: SessionFile) { self.file = file }

    func append(_ list: SealedList) {
        let count = lists.withLock { lists in
            lists.append(list)
            return lists.count
        }
        if count >= Self.most { write() }
    }

    /// Writes all lists if one of them is of a member, so that a reader finds it in the file.
    func write(ifAnyOf user: String) {
        if lists.withLock({ $0.contains { $0.isOf(user) } }) { write() }
    }

    /// Writes all lists.
    func write() {
        writing.withLock { _ in
            while true {
                // Lists are removed here only after they are in the file; a reader waits until then.
                let next = lists.withLock { Array($0.prefix(Self.atATime)) }
                guard !next.isEmpty else { return }
                // If the local disk is full, the store still has them.
                try? file.keep(next)
                lists.withLock { $0.removeFirst(next.count) }
            }
        }
    }

    /// Removes all lists of a member, also from the file.
    func forgetAll(ofUser user: String) throws(Failure) {
        try writing.withLock { _ throws(Failure) in
            lists.withLock { $0.removeAll { $0.isOf(user) } }
            try file.forgetAll(ofUser: user)
        }
    }
}
