import CatalogStore
import Changes
import Model
import SQLite
import Synchronization

/// The journal of a daemon that shares its store with others: a file of its own that changes are committed to first;
/// then they are sent on through streams that all daemons follow, and that the next recompute applies to the catalog.
final class DaemonJournal: Sendable {
    /// Held for as long as the journal is used: the other daemons would take two daemons on one journal for one.
    private struct Lock: @unchecked Sendable {
        let database: Database
    }

    /// Whether all changes of other daemons are here.
    final class Completeness: Sendable {
        let isComplete = Atomic(false)
    }

    /// Commits this daemon's changes.
    private struct Writer: ChangeWriter {
        let journal: ChangeJournal
        let decisions: JournaledDecisions
        let now: @Sendable () -> Int64

        let completeness: Completeness

        func apply(_ changes: [Change]) throws(CatalogError) -> [Change.Outcome] {
            do throws(ChangeError) {
                let isComplete = completeness.isComplete.load(ordering: .relaxed)
                let outcomes = try journal.record(changes, at: now(), isComplete: isComplete)
                if changes.contains(where: { $0.userID == nil }) {
                    try decisions.renew { () throws(ChangeError) in try journal.siteChanges() }
                }
                return outcomes
            } catch { throw CatalogError(error) }
        }

        /// The relay erases, also what others forget.
        func eraseRemoved(waits: Bool) -> Bool { true }

        /// Always the same: the only other writer is the relay, which notes what it writes.
        func outsideRevision() -> Int64 { 0 }

        func probeWriting() throws(CatalogError) {
            do throws(ChangeError) { try journal.probeWriting() } catch { throw CatalogError(error) }
        }
    }

    let path: String
    /// Where changes are noted that show in answers.
    let changes: ChangeClock
    /// The site's decisions, here and elsewhere.
    let decisions: JournaledDecisions
    /// Whether changes can be written, those of this daemon and those of others.
    let recording: Condition
    /// The changes that were found damaged in the file.
    let damaged: DamagedChanges
    /// Whether all changes of other daemons are here, as far as the relay knows.
    let completeness: Completeness
    private let lock: Lock
    private let readers: ConnectionPool<ChangeJournal, ChangeError>
    private let commits: GroupCommit

    /// Opens the journal, which is made if there is none.
    ///
    /// - Parameters:
    ///   - now: the time, in Unix milliseconds.
    ///   - patience: how long a request waits for its commit.
    /// - Throws: `ServiceError.startFailed` if the file cannot be written, with what to do.
    init(
        path: String, changes: ChangeClock, recording: Condition = .recording(nil),
        now: @escaping @Sendable () -> Int64, patience: Duration = .seconds(10)
    ) throws(ServiceError) {
        self.path = path
        self.changes = changes
        self.recording = recording
        lock = try Self.lock(path)
        let (decisions, completeness, damaged) = (JournaledDecisions(), Completeness(), DamagedChanges())
        self.decisions = decisions
        self.completeness = completeness
        self.damaged = damaged
        commits = GroupCommit(changes: changes, recording: recording, patience: patience) { () throws(CatalogError) in
            do throws(ChangeError) {
                let journal = try ChangeJournal(path: path, mode: .recording, damaged: damaged)
                return Writer(journal: journal, decisions: decisions, now: now, completeness: completeness)
            } catch { throw CatalogError(error) }
        }
        do throws(CatalogError) { try commits.open() } catch { throw ServiceError(.startFailed, error.message) }
        do throws(ChangeError) {
            readers = try ConnectionPool { () throws(ChangeError) in
                try ChangeJournal(path: path, mode: .reading, damaged: damaged)
            }
            try decisions.renew { [readers] () throws(ChangeError) in
                try readers.read { journal throws(ChangeError) in try journal.siteChanges() }
            }
        } catch { throw ServiceError(.startFailed, error.message) }
    }

    private static func lock(_ path: String) throws(ServiceError) -> Lock {
        do throws(DatabaseError) {
            // It ends with the process, however that ends.
            let database = try Database(path: path + "-lock", mode: .create, busyTimeoutSeconds: 0)
            try database.execute("BEGIN EXCLUSIVE")
            return Lock(database: database)
        } catch {
            throw ServiceError(
                .startFailed,
                error.isBusy
                    ? "another daemon has the journal \(path): each needs one of its own, named with --journal"
                    : "the journal \(path) cannot be locked: \(error.message); name another with --journal")
        }
    }

    /// Commits a change, which is not checked; it is durable when this returns.
    func apply(_ change: Change) throws(ServiceError) -> Change.Outcome {
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Commits changes, which are not checked, in one transaction; they are durable when this returns.
    func apply(_ changes: [Change]) throws(ServiceError) {
        do {
            _ = try commits.apply(changes)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Interactions of a member that the journal has, in the order in which their changes apply; nil if there is none
    /// with the id `after`.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try read { journal throws(ChangeError) in try journal.interactions(ofUser: id, after: after, limit: limit) }
    }

    /// The latest time of what a member did last, in Unix milliseconds; nil if the journal has nothing.
    func latestInteractionTime(ofUser id: String) throws(ServiceError) -> Int64? {
        try read { journal throws(ChangeError) in try journal.latestInteractionTime(ofUser: id) }
    }

    /// How much the journal has of what a member did: since a moment, in Unix milliseconds, and in all.
    func recordedAmount(ofUser id: String, recent: Int64) throws(ServiceError) -> RecordedAmount {
        try read { journal throws(ChangeError) in try journal.recordedAmount(ofUser: id, recent: recent) }
    }

    /// What a member changed that is not in a version; nil if that is nothing.
    func recentChanges(ofUser id: String, beyond taken: TakenChanges) throws(ServiceError) -> RecentMemberChanges? {
        try read { journal throws(ChangeError) in try journal.recentChanges(ofUser: id, beyond: taken) }
    }

    /// Whether a member is forgotten by a change that is not in a version.
    func isForgotten(user id: String, beyond taken: TakenChanges) throws(ServiceError) -> Bool {
        try read { journal throws(ChangeError) in try journal.isForgotten(user: id, beyond: taken) }
    }

    /// How many changes are not in the streams, and since when the first of them waits, in Unix milliseconds.
    ///
    /// - Parameter exchange: what the streams have, and what nobody needs to be sent.
    func backlog(in exchange: ChangeExchange) throws(ServiceError) -> (count: Int, since: Int64?) {
        try read { journal throws(ChangeError) in try journal.backlog(in: exchange) }
    }

    /// Reads the site's decisions again, and notes that answers have changed.
    ///
    /// - Parameter connection: to this journal, through which a decision has been added.
    func renewDecisions(from connection: ChangeJournal) throws(ChangeError) {
        try decisions.renew { () throws(ChangeError) in try connection.siteChanges() }
        changes.everythingChanged()
    }

    /// Shows decisions of others that cannot be written to the journal just now.
    func show(unwritten changes: [JournaledChange]) {
        guard decisions.add(unwritten: changes) else { return }
        self.changes.everythingChanged()
    }

    /// If the journal could not be written, finds out whether it can be again.
    func probeWriting() { commits.probe() }

    private func read<Result>(_ body: (ChangeJournal) throws(ChangeError) -> Result) throws(ServiceError) -> Result {
        do throws(ChangeError) {
            return try readers.read(body)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be read: \(error.message)") }
    }
}

/// The site's decisions, in the order in which they apply; in memory, as every answer needs them.
///
/// They are those of the journal and, while that cannot be written, those of others that it lacks: what another daemon
/// hid is hidden here even if the disk is full.
final class JournaledDecisions: Sendable {
    private struct Log {
        var journaled: [JournaledChange] = []
        /// Those that the journal lacks, by their stamps.
        var unwritten: [ChangeStamp: JournaledChange] = [:]
        /// All, in their order.
        var changes: [JournaledChange] = []
        var revision: UInt64 = 0

        mutating func arrange() {
            for change in journaled { unwritten[change.stamp] = nil }
            changes = unwritten.isEmpty ? journaled : (journaled + unwritten.values).sorted { $0.stamp < $1.stamp }
            revision += 1
        }
    }

    private let log = Mutex(Log())
    /// Held while decisions are read again: of two threads, the one that began to read last must win.
    private let renewal = Mutex(())

    /// Replaces the decisions of the journal by those that `read` reads from it.
    func renew(_ read: () throws(ChangeError) -> [JournaledChange]) throws(ChangeError) {
        try renewal.withLock { _ throws(ChangeError) in
            let changes = try read()
            log.withLock { log in
                log.journaled = changes
                log.arrange()
            }
        }
    }

    /// Adds decisions of others that cannot be written to the journal just now.
    ///
    /// - Returns: whether there was any among the changes.
    func add(unwritten changes: [JournaledChange]) -> Bool {
        let decisions = changes.filter { $0.change.map { $0.userID == nil } == true }
        guard !decisions.isEmpty else { return false }
        log.withLock { log in
            for decision in decisions { log.unwritten[decision.stamp] = decision }
            log.arrange()
        }
        return true
    }

    /// A number that grows with every change of the decisions.
    var revision: UInt64 { log.withLock { $0.revision } }

    /// A state with newer decisions replayed on top.
    ///
    /// - Parameter taken: decisions that are in the state already.
    func replayed(on state: SiteState, beyond taken: TakenChanges) -> SiteState {
        var state = state
        for decision in log.withLock({ $0.changes }) where !taken.contains(decision.sequence, of: decision.origin) {
            if case .site(let change) = decision.change { _ = state.apply(change) }
        }
        return state
    }

    /// What was removed, of a kind.
    ///
    /// - Parameters:
    ///   - taken: changes that are in the version already.
    ///   - subjectID: gives the id of a subject of that kind; nil for others.
    func removed(beyond taken: TakenChanges, _ subjectID: (RemovalChange.Subject) -> String?) -> Set<BytewiseString> {
        var ids: Set<BytewiseString> = []
        for change in log.withLock({ $0.changes }) where !taken.contains(change.sequence, of: change.origin) {
            guard case .removal(let removal) = change.change, let id = subjectID(removal.subject) else { continue }
            ids.insert(BytewiseString(id))
        }
        return ids
    }
}
