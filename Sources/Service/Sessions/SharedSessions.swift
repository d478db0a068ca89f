import ModelStore
import Synchronization

/// The lists of sessions of all daemons that share a store: whichever answers, a session has the same list.
///
/// They are kept on this machine as well: a session that began here continues here while the store is away. A list that
/// is made meanwhile is this machine's alone until its session ends.
final class SharedSessions: SessionStore {
    /// How long the store is not asked again after it failed to answer: not every request must wait for it.
    private static let pause = Duration.seconds(2)

    private let channel: SharedChannel
    private let local: SessionFile
    private let nextAttempt = Mutex<ContinuousClock.Instant?>(nil)

    /// Sessions that are shared through a store.
    ///
    /// - Parameter local: those on this machine.
    init(_ channel: SharedChannel, local: SessionFile) {
        self.channel = channel
        self.local = local
    }

    func plan(ofUser user: String, session: String?, at now: Int64) throws(ServiceError) -> FrozenPlan? {
        if let (plan, isNoted) = try? local.use(user, session, at: now) {
            if isNoted { touch(user, session, at: now) }
            return plan
        }
        let shared: (bytes: [UInt8], usedAt: Int64)? =
            asking { () throws(StoreError) in try channel.list(ofUser: user, session: session ?? "") } ?? nil
        guard let shared, SessionLife.lastUse(ofSession: session, at: now).contains(shared.usedAt),
            let plan = FrozenPlan(bytes: shared.bytes)
        else { return nil }
        touch(user, session, at: now)
        // With a full disk here, the store still has it.
        return (try? local.keep(plan, ofUser: user, session: session, at: now)) ?? plan
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError)
        -> FrozenPlan
    {
        let kept = asking { () throws(StoreError) in
            try channel.keep(
                plan.bytes, ofUser: user, session: session ?? "", at: now,
                lastUse: SessionLife.lastUse(ofSession: session, at: now), lifetime: Self.lifetime)
        }
        // A list that cannot be read was made by a newer version of this program, which runs beside this one for a
        // while.
        let list = kept.flatMap { FrozenPlan(bytes: $0) } ?? plan
        guard kept == nil else { return (try? local.keep(list, ofUser: user, session: session, at: now)) ?? list }
        return try local.keep(list, ofUser: user, session: session, at: now)
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError) {
        touch(user, session, at: instant)
        try local.noteUse(ofUser: user, session: session, at: instant)
    }

    func forgetAll(ofUser user: String) throws(ServiceError) {
        try local.forgetAll(ofUser: user)
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
