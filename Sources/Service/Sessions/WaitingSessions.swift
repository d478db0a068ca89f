import Basics
import Synchronization

/// The lists of sessions in a file, which new lists reach a moment later: several in one transaction.
///
/// A transaction of its own takes longer than the rest of writing a list. A killed process loses the lists of the last
/// moment.
final class WaitingSessions: SessionStore {
    /// The interval at which `writeWaiting` is called.
    static let interval = Duration.milliseconds(20)
    /// The number of waiting lists at which a request writes them itself.
    private static let most = 256
    /// The lists in a transaction, which is short because a request that writes waits for it.
    private static let atATime = 16

    private let file: SessionFile
    private let lists = Mutex<[SealedList]>([])
    /// A lock held while the file is written, so that no list is written after it was removed.
    private let writing = Mutex(())
    /// Whether lists could not be written the last time.
    private let hasFailed = Atomic(false)

    init(_ file: SessionFile) { self.file = file }

    func plan(ofUser user: String, session: String?, at now: Int64) throws(Failure) -> FrozenPlan? {
        try use(user, session, at: now)?.plan
    }

    /// Returns the list of a session that has not ended, and whether the use was recorded; see `SessionFile.use`.
    func use(_ user: String, _ session: String?, at now: Int64) throws(Failure) -> (
        plan: FrozenPlan, isNoted: Bool
    )? {
        try writeWaiting(ifAnyOf: user)
        return try file.use(user, session, at: now)
    }

    /// Keeps a list a moment later, or at once while lists cannot be written: each request then learns of it.
    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
        -> FrozenPlan
    {
        let bytes = plan.sealed(ofUser: user, session: session)
        try append(SealedList(user: user, session: session, usedAt: now, bytes: bytes))
        return plan
    }

    /// Keeps a list a moment later, or at once while lists cannot be written.
    func append(_ list: SealedList) throws(Failure) {
        let count = lists.withLock { lists in
            lists.append(list)
            return lists.count
        }
        if count >= Self.most || hasFailed.load(ordering: .relaxed) { try writeWaiting() }
    }

    /// Writes the lists that wait, if one of them is of a member, so that a reader finds it in the file.
    private func writeWaiting(ifAnyOf user: String) throws(Failure) {
        if lists.withLock({ $0.contains { $0.isOf(user) } }) { try writeWaiting() }
    }

    func writeWaiting() throws(Failure) {
        try writing.withLock { _ throws(Failure) in
            while true {
                // Lists are removed here only after they are in the file; a reader waits until then.
                let next = lists.withLock { Array($0.prefix(Self.atATime)) }
                guard !next.isEmpty else { return }
                defer { lists.withLock { $0.removeFirst(next.count) } }
                hasFailed.store(true, ordering: .relaxed)
                try file.keep(next)
                hasFailed.store(false, ordering: .relaxed)
            }
        }
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure) {
        try writeWaiting(ifAnyOf: user)
        try file.noteUse(ofUser: user, session: session, at: instant)
    }

    func forgetAll(ofUser user: String) throws(Failure) {
        try writing.withLock { _ throws(Failure) in
            lists.withLock { $0.removeAll { $0.isOf(user) } }
            try file.forgetAll(ofUser: user)
        }
    }

    func probeWriting() throws(Failure) { try file.probeWriting() }
}
