import Dispatch
import Synchronization

/// The lists of sessions on this machine, beside those that all daemons share.
///
/// A list that the others have, too, is written to the file a moment later, so that no request waits for it: if the
/// daemon is killed before, a copy is lost and nothing else. Who reads sees what is still to be written.
final class LocalSessions: Sendable {
    /// A list that is still to be written.
    private struct Copy {
        /// Which of all copies it is; its use gives it a new number.
        let number: UInt64
        let plan: FrozenPlan
        let user: String
        let session: String?
        /// Unix milliseconds.
        var usedAt: Int64
    }

    private struct Waiting {
        var copies: [SessionKey: Copy] = [:]
        var lastNumber: UInt64 = 0
        /// Whether they are to be written after a while.
        var isScheduled = false

        mutating func put(_ plan: FrozenPlan, _ user: String, _ session: String?, usedAt: Int64) {
            lastNumber += 1
            copies[SessionKey(user, session)] = Copy(
                number: lastNumber, plan: plan, user: user, session: session, usedAt: usedAt)
        }
    }

    private let file: SessionFile
    private let limit: Int
    private let delay: Duration
    private let waiting = Mutex(Waiting())
    /// Held while a copy goes into the file: who forgets a member waits for it, so that nothing comes back.
    private let writing = Mutex(())
    private let queue = DispatchQueue(label: "session-copies")

    /// The lists in a file.
    ///
    /// - Parameters:
    ///   - limit: how many lists may wait; one more is written at once.
    ///   - delay: how long a list waits, if others do not wait longer.
    init(_ file: SessionFile, limit: Int = 256, delay: Duration = .milliseconds(50)) {
        self.file = file
        self.limit = limit
        self.delay = delay
    }

    /// The list of a session that has not ended, and whether its use was noted, which is not done at every request.
    func use(_ user: String, _ session: String?, at now: Int64) throws(ServiceError) -> (
        plan: FrozenPlan, isNoted: Bool
    )? {
        // First what waits: it leaves only once it is in the file.
        let copy: (found: (plan: FrozenPlan, isNoted: Bool)?, waits: Bool) = waiting.withLock { waiting in
            guard let copy = waiting.copies[SessionKey(user, session)] else { return (nil, false) }
            guard SessionLife.lastUse(ofSession: session, at: now).contains(copy.usedAt) else { return (nil, true) }
            let isDue = now - copy.usedAt >= SessionLife.touchMilliseconds
            if isDue { waiting.put(copy.plan, user, session, usedAt: now) }
            return ((copy.plan, isDue), true)
        }
        return copy.waits ? copy.found : try file.use(user, session, at: now)
    }

    /// Keeps the list of a session in the file before it returns.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(ServiceError) {
        try writing.withLock { (_) throws(ServiceError) in
            waiting.withLock { $0.copies[SessionKey(user, session)] = nil }
            _ = try file.keep(plan, ofUser: user, session: session, at: now)
        }
    }

    /// Keeps the copy of a list that all daemons share; if that fails, as on a full disk, the others still have it.
    func keepLater(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) {
        let (hasRoom, mustSchedule) = waiting.withLock { waiting in
            guard waiting.copies.count < limit else { return (false, false) }
            waiting.put(plan, user, session, usedAt: now)
            defer { waiting.isScheduled = true }
            return (true, !waiting.isScheduled)
        }
        if !hasRoom { try? keep(plan, ofUser: user, session: session, at: now) }
        if mustSchedule { schedule() }
    }

    /// Notes that a session, if it has a list, was used at an instant, in Unix milliseconds.
    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(ServiceError) {
        let waits = waiting.withLock { waiting in
            guard let copy = waiting.copies[SessionKey(user, session)] else { return false }
            waiting.put(copy.plan, user, session, usedAt: instant)
            return true
        }
        if !waits { try file.noteUse(ofUser: user, session: session, at: instant) }
    }

    /// Forgets all lists of a member, also those that are still to be written.
    func forgetAll(ofUser user: String) throws(ServiceError) {
        try writing.withLock { (_) throws(ServiceError) in
            waiting.withLock { waiting in
                let user = SessionKey(user, nil).user
                waiting.copies = waiting.copies.filter { $0.key.user != user }
            }
            try file.forgetAll(ofUser: user)
        }
    }

    /// Writes, but changes nothing, to find out whether it is possible.
    func probeWriting() throws(ServiceError) { try file.probeWriting() }

    /// Writes all that waits.
    func flush() {
        // One at a time: a request that comes in between waits for one at most.
        while writing.withLock({ _ in writeOne() }) {}
    }

    private func schedule() {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.flush() }
    }

    /// Writes one that waits.
    ///
    /// - Returns: false if none does.
    private func writeOne() -> Bool {
        let copy = waiting.withLock { waiting in
            let copy = waiting.copies.first?.value
            if copy == nil { waiting.isScheduled = false }
            return copy
        }
        guard let copy else { return false }
        _ = try? file.keep(copy.plan, ofUser: copy.user, session: copy.session, at: copy.usedAt)
        waiting.withLock { waiting in
            let key = SessionKey(copy.user, copy.session)
            // If it was used meanwhile, that is still to be written.
            if waiting.copies[key]?.number == copy.number { waiting.copies[key] = nil }
        }
        return true
    }
}
