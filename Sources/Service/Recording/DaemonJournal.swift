import CatalogStore
import Model
import SQLite

/// The journal of a daemon that shares its store with others: a file of its own that changes are committed to first;
/// then they are sent on through streams that all daemons follow, and that the next recompute applies to the catalog.
final class DaemonJournal: Sendable {
    /// Held for as long as the journal is used: the other daemons would take two daemons on one journal for one.
    private struct Lock: @unchecked Sendable {
        let database: Database
    }

    /// Commits this daemon's changes.
    private struct Writer: ChangeWriter {
        let journal: ChangeJournal
        let decisions: JournaledDecisions
        let now: @Sendable () -> Int64

        func apply(_ changes: [CatalogChange]) throws(CatalogError) -> [CatalogChange.Outcome] {
            let outcomes = try journal.record(changes, at: now())
            if changes.contains(where: { $0.userID == nil }) {
                try decisions.renew { () throws(CatalogError) in try journal.siteChanges() }
            }
            return outcomes
        }

        /// The relay erases, also what others forget.
        func eraseRemoved(waits: Bool) -> Bool { true }

        /// Always the same: the only other writer is the relay, which notes what it writes.
        func outsideRevision() -> Int64 { 0 }

        func probeWriting() throws(CatalogError) { try journal.probeWriting() }
    }

    let path: String
    /// Where changes are noted that show in answers.
    let changes: ChangeClock
    /// The site's decisions, here and elsewhere.
    let decisions: JournaledDecisions
    /// Whether changes can be written, those of this daemon and those of others.
    let recording: Condition
    private let lock: Lock
    private let readers: ConnectionPool<ChangeJournal, CatalogError>
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
        let decisions = JournaledDecisions()
        self.decisions = decisions
        commits = GroupCommit(changes: changes, recording: recording, patience: patience) { () throws(CatalogError) in
            Writer(journal: try ChangeJournal(path: path, mode: .recording), decisions: decisions, now: now)
        }
        do throws(CatalogError) {
            try commits.open()
            readers = try ConnectionPool { () throws(CatalogError) in try ChangeJournal(path: path, mode: .reading) }
            try decisions.renew { [readers] () throws(CatalogError) in
                try readers.read { journal throws(CatalogError) in try journal.siteChanges() }
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
    func apply(_ change: CatalogChange) throws(ServiceError) -> CatalogChange.Outcome {
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Commits changes, which are not checked, in one transaction; they are durable when this returns.
    func apply(_ changes: [CatalogChange]) throws(ServiceError) {
        do {
            _ = try commits.apply(changes)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Interactions of a member that the journal has, in the order in which their changes apply; nil if there is none
    /// with the id `after`.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try read { journal throws(CatalogError) in try journal.interactions(ofUser: id, after: after, limit: limit) }
    }

    /// The latest time of what a member did last, in Unix milliseconds; nil if the journal has nothing.
    func latestInteractionTime(ofUser id: String) throws(ServiceError) -> Int64? {
        try read { journal throws(CatalogError) in try journal.latestInteractionTime(ofUser: id) }
    }

    /// How much the journal has of what a member did: since a moment, in Unix milliseconds, and in all.
    func recordedAmount(ofUser id: String, recent: Int64) throws(ServiceError) -> RecordedAmount {
        try read { journal throws(CatalogError) in try journal.recordedAmount(ofUser: id, recent: recent) }
    }

    /// What a member changed that is not in a version; nil if that is nothing.
    func recentChanges(ofUser id: String, beyond taken: TakenChanges) throws(ServiceError) -> RecentMemberChanges? {
        try read { journal throws(CatalogError) in try journal.recentChanges(ofUser: id, beyond: taken) }
    }

    /// Whether a member is forgotten by a change that is not in a version.
    func isForgotten(user id: String, beyond taken: TakenChanges) throws(ServiceError) -> Bool {
        try read { journal throws(CatalogError) in try journal.isForgotten(user: id, beyond: taken) }
    }

    /// How many changes are not in the streams, and since when the first of them waits, in Unix milliseconds.
    ///
    /// - Parameter exchange: what the streams have, and what nobody needs to be sent.
    func backlog(in exchange: ChangeExchange) throws(ServiceError) -> (count: Int, since: Int64?) {
        try read { journal throws(CatalogError) in try journal.backlog(in: exchange) }
    }

    /// Reads the site's decisions again, and notes that answers have changed.
    ///
    /// - Parameter connection: to this journal, through which a decision has been added.
    func renewDecisions(from connection: ChangeJournal) throws(CatalogError) {
        try decisions.renew { () throws(CatalogError) in try connection.siteChanges() }
        changes.everythingChanged()
    }

    /// Shows decisions of others that cannot be written to the journal just now.
    func show(unwritten changes: [JournaledChange]) {
        guard decisions.add(unwritten: changes) else { return }
        self.changes.everythingChanged()
    }

    /// If the journal could not be written, finds out whether it can be again.
    func probeWriting() { commits.probe() }

    private func read<Result>(_ body: (ChangeJournal) throws(CatalogError) -> Result) throws(ServiceError) -> Result {
        do throws(CatalogError) {
            return try readers.read(body)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be read: \(error.message)") }
    }
}
