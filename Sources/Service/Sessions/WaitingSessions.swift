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
        try current(of: user).plan(ofUser: user, session: session, at: now)
    }

    func keep(_ plan: FrozenPlan, ofUser user: String, session: String?, at now: Int64) throws(Failure)
        -> FrozenPlan
    {
        let bytes = plan.sealed(ofUser: user, session: session)
        try keep(SealedList(user: user, session: session, usedAt: now, bytes: bytes))
        return plan
    }

    /// Keeps a list a moment later, or at once while lists cannot be written: each request then learns of it.
    func keep(_ list: SealedList) throws(Failure) {
        let count = lists.withLock { lists in
            lists.append(list)
            return lists.count
        }
        if count >= Self.most || hasFailed.load(ordering: .relaxed) { try writeWaiting() }
    }

    /// Returns the file, after the lists that wait were written if one of them is of a member.
    func current(of user: String) throws(Failure) -> SessionFile {
        if lists.withLock({ $0.contains { $0.isOf(user) } }) { try writeWaiting() }
        return file
    }

    func writeWaiting() throws(Failure) {
        try writing.withLock { _ throws(Failure) in
            while true {
                // Lists are removed here only after they are in the file; a reader waits until then.
                let next = lists.withLock { Array($0.prefix(Self.atATime)) }
                guard !next.isEmpty else { return }
                defer { lists.withLock { $0.removeFirst(next.count) } }
                do throws(Failure) { try file.keep(next) } catch {
                    hasFailed.store(true, ordering: .relaxed)
                    throw error
                }
                hasFailed.store(false, ordering: .relaxed)
            }
        }
    }

    func noteUse(ofUser user: String, session: String?, at instant: Int64) throws(Failure) {
        try current(of: user).noteUse(ofUser: user, session: session, at: instant)
    }

    func forgetAll(ofUser user: String) throws(Failure) {
        try writing.withLock { _ throws(Failure) in
            lists.withLock { $0.removeAll { $0.isOf(user) } }
            try file.forgetAll(ofUser: user)
        }
    }

    func probeWriting() throws(Failure) { try file.probeWriting() }
}
