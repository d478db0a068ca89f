import CatalogStore
import Changes
import Files
import Glibc
import Model
import SQLite
import Synchronization

/// The journal of a daemon that shares its store with others.
///
/// Changes are committed to this file first. They are then sent on through streams, which all daemons follow and the
/// next recompute applies to the catalog.
final class DaemonJournal: Sendable {
    /// A lock for as long as the journal is used: other daemons would take two daemons on one journal for one.
    private struct Lock: @unchecked Sendable {
        let database: Database
    }

    /// Whether all changes of other daemons are here.
    final class Completeness: Sendable {
        let isComplete = Atomic(false)
    }

    /// Commits the changes of this daemon.
    private struct Writer: ChangeWriter {
        let journal: ChangeJournal
        let decisions: JournaledDecisions
        let now: @Sendable () -> Int64

        let completeness: Completeness
        let place: FilePlace

        func apply(_ changes: [Change]) throws(CatalogError) -> [Change.Outcome] {
            try place.requireFile()
            do throws(ChangeError) {
                let isComplete = completeness.isComplete.load(ordering: .relaxed)
                let outcomes = try journal.record(changes, at: now(), isComplete: isComplete)
                if changes.contains(where: \.concernsEverybody) {
                    try decisions.renew { () throws(ChangeError) in try journal.decisions() }
                }
                return outcomes
            } catch { throw CatalogError(error) }
        }

        /// Returns true; the relay erases instead, because it also erases the data that others forget.
        func eraseRemoved(waits: Bool) -> Bool { true }

        /// Returns a constant, because the only other writer is the relay, which notes its own writes.
        func outsideRevision() -> Int64 { 0 }

        func probeWriting() throws(CatalogError) {
            try place.requireFile()
            do throws(ChangeError) { try journal.probeWriting() } catch { throw CatalogError(error) }
        }
    }

    /// The path of a file that is open, and the file's number.
    ///
    /// Changes that are written to a file without a name are lost with the process.
    private struct FilePlace {
        let path: String
        private let number: (device: dev_t, inode: ino_t)?

        init(_ path: String) { (self.path, number) = (path, Self.number(path)) }

        private static func number(_ path: String) -> (device: dev_t, inode: ino_t)? {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            return (status.st_dev, status.st_ino)
        }

        /// Throws an error if the path does not lead to the file any more.
        func requireFile() throws(CatalogError) {
            if let number, let now = Self.number(path), now == number { return }
            throw CatalogError(
                .databaseFailed,
                "\(path) was removed or replaced while the daemon uses it: restart the daemon")
        }
    }

    let path: String
    /// The clock that notes changes that show in answers.
    let changes: ChangeClock
    /// The site's decisions, from this and other daemons.
    let decisions: JournaledDecisions
    /// Whether changes of this and other daemons can be written.
    let recording: HealthCondition
    /// The changes that were found damaged in the file.
    let damaged: DamagedChanges
    /// The folded changes of the members who did much since the version.
    let folds: MemberFolds
    /// Whether all changes of other daemons are here, as far as the relay knows.
    let completeness: Completeness
    /// The findings of SQLite's check before the indexes of the file were made again; empty if all was well.
    let findings: [String]
    private let lock: Lock
    private let readers: ConnectionPool<ChangeJournal, ChangeError>
    private let commits: GroupCommit

    /// Opens the journal, or creates it.
    ///
    /// On a full disk the journal is only read, and written later.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - changes: the clock that notes changes that show in answers.
    ///   - recording: the condition that says whether changes can be written.
    ///   - now: returns the current time, in Unix milliseconds.
    ///   - patience: the longest wait of a request for its commit.
    /// - Throws: `ServiceError.startFailed` with advice if the file cannot be written.
    init(
        path: String, changes: ChangeClock, recording: HealthCondition = .recording(nil),
        now: @escaping @Sendable () -> Int64, patience: Duration = .seconds(10)
    ) throws(ServiceError) {
        self.path = path
        self.changes = changes
        self.recording = recording
        lock = try Self.lock(path)
        let (decisions, completeness, damaged) = (JournaledDecisions(), Completeness(), DamagedChanges())
        let folds = MemberFolds()
        self.decisions = decisions
        self.completeness = completeness
        self.damaged = damaged
        self.folds = folds
        do throws(ChangeError) {
            let (obstacle, findings) = try Self.prepare(path)
            self.findings = findings
            if let obstacle { recording.failed("changes cannot be recorded: \(obstacle.message)") }
            let place = FilePlace(path)
            let readers = try ConnectionPool { () throws(ChangeError) in
                try ChangeJournal(path: path, mode: .reading, damaged: damaged, folds: folds)
            }
            self.readers = readers
            // Connections that were opened while the file could not be written never look for changes.
            let mayReadForEver = Atomic(obstacle != nil)
            commits = GroupCommit(changes: changes, recording: recording, patience: patience) {
                () throws(CatalogError) in
                do throws(ChangeError) {
                    let journal = try ChangeJournal(path: path, mode: .recording, damaged: damaged, folds: folds)
                    if mayReadForEver.exchange(false, ordering: .relaxed) { readers.renew() }
                    return Writer(
                        journal: journal, decisions: decisions, now: now, completeness: completeness, place: place)
                } catch { throw CatalogError(error) }
            }
            try decisions.renew { () throws(ChangeError) in
                try readers.read { journal throws(ChangeError) in try journal.decisions() }
            }
        } catch { throw ServiceError(.startFailed, Self.refusal(path) ?? error.message) }
    }

    /// Returns the reason why this user may not write to the journal, and what mends it, or `nil` if this user may.
    private static func refusal(_ path: String) -> String? {
        FileAccess.refusal(toWrite: FileAccess.database(path) + [path + "-lock"]).map { refusal in
            "the journal cannot be opened: \(refusal), or name another with --journal"
        }
    }

    /// Creates, upgrades or mends the file.
    ///
    /// - Returns: the reason why it cannot be written now, if the disk is full, and what was found damaged.
    private static func prepare(_ path: String) throws(ChangeError) -> (obstacle: ChangeError?, findings: [String]) {
        do throws(ChangeError) {
            return (nil, try ChangeJournal(path: path, mode: .recording).mendIndexes())
        } catch {
            guard error.isFull else { throw error }
            return (error, [])
        }
    }

    private static func lock(_ path: String) throws(ServiceError) -> Lock {
        do throws(DatabaseError) {
            // The lock ends with the process, even if the process is killed.
            let database = try Database(path: path + "-lock", mode: .create, busyTimeoutSeconds: 0)
            // Nothing is written, so that a full disk does not matter.
            try database.execute("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
            return Lock(database: database)
        } catch {
            throw ServiceError(
                .startFailed,
                error.isBusy
                    ? "another daemon has the journal \(path): each needs one of its own, named with --journal"
                    : refusal(path)
                        ?? "the journal \(path) cannot be locked: \(error.message); name another with --journal")
        }
    }

    /// Commits a change without checking it; the change is durable when this returns.
    func apply(_ change: Change) throws(ServiceError) -> Change.Outcome {
        do {
            return try commits.apply(change)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Commits changes without checking them, in one transaction; they are durable when this returns.
    func apply(_ changes: [Change]) throws(ServiceError) {
        do {
            _ = try commits.apply(changes)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Returns interactions of a member from the journal, in the order in which their changes apply.
    ///
    /// - Returns: nil if there is no interaction with the id `after`.
    func interactions(ofUser id: String, after: String?, limit: Int) throws(ServiceError) -> [InteractionRecord]? {
        try read { journal throws(ChangeError) in try journal.interactions(ofUser: id, after: after, limit: limit) }
    }

    /// Returns the interactions of a member in the journal whose changes apply last, the latest first.
    func latestInteractions(ofUser id: String, limit: Int) throws(ServiceError) -> [InteractionRecord] {
        try read { journal throws(ChangeError) in try journal.latestInteractions(ofUser: id, limit: limit) }
    }

    /// Returns the latest time among a member's last interactions, in Unix milliseconds, or nil if the journal has
    /// none.
    func latestInteractionTime(ofUser id: String) throws(ServiceError) -> Int64? {
        try read { journal throws(ChangeError) in try journal.latestInteractionTime(ofUser: id) }
    }

    /// Returns the amount of data about a member's actions: since a moment, in Unix milliseconds, and in all.
    func recordedAmount(ofUser id: String, recent: Int64) throws(ServiceError) -> RecordedAmount {
        try read { journal throws(ChangeError) in try journal.recordedAmount(ofUser: id, recent: recent) }
    }

    /// Returns the changes of a member that a version lacks, or nil if there are none.
    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) throws(ServiceError) -> RecentMemberChanges? {
        try read { journal throws(ChangeError) in try journal.recentChanges(ofUser: id, beyond: taken) }
    }

    /// Returns whether a change that a version lacks forgets a member.
    func isForgotten(user id: String, beyond taken: AppliedChanges) throws(ServiceError) -> Bool {
        try read { journal throws(ChangeError) in try journal.isForgotten(user: id, beyond: taken) }
    }

    /// Returns the number of changes that are not in the streams, and the time since which the first waits.
    ///
    /// The time is in Unix milliseconds.
    ///
    /// - Parameter exchange: the contents of the streams, and the changes that nobody needs.
    func backlog(in exchange: ChangeExchange) throws(ServiceError) -> (count: Int, since: Int64?) {
        try read { journal throws(ChangeError) in try journal.backlog(in: exchange) }
    }

    /// Reads the site's decisions again, and notes that answers have changed.
    ///
    /// - Parameter connection: the connection to this journal that added a decision.
    func renewDecisions(from connection: ChangeJournal) throws(ChangeError) {
        try decisions.renew { () throws(ChangeError) in try connection.decisions() }
        changes.everythingChanged()
    }

    /// Shows decisions of other daemons that cannot be written to the journal now.
    func show(unwritten changes: [JournaledChange]) {
        guard decisions.add(unwritten: changes) else { return }
        self.changes.everythingChanged()
    }

    /// Finds out whether a journal that failed can be written again.
    func probeWriting() { commits.probe() }

    private func read<Result>(_ body: (ChangeJournal) throws(ChangeError) -> Result) throws(ServiceError) -> Result {
        do throws(ChangeError) {
            return try readers.read(body)
        } catch { throw ServiceError(.journalFailed, "the journal cannot be read: \(error.message)") }
    }
}

/// The site's decisions in the order in which they apply, kept in memory because every answer needs them.
///
/// They come from the journal. While it cannot be written, decisions of other daemons that it lacks are added. A group
/// that another daemon hid is therefore hidden here even if the disk is full.
final class JournaledDecisions: Sendable {
    private struct Log {
        var journaled: [JournaledChange] = []
        /// The decisions that the journal lacks, by their stamps.
        var unwritten: [ChangeStamp: JournaledChange] = [:]
        /// All decisions in their order.
        var changes: [JournaledChange] = []
        /// The new ids of renamed groups.
        var names = GroupNames([])
        var revision: UInt64 = 0

        mutating func arrange() {
            for change in journaled { unwritten[change.stamp] = nil }
            changes = unwritten.isEmpty ? journaled : (journaled + unwritten.values).sorted { $0.stamp < $1.stamp }
            names = GroupNames(changes.compactMap { $0.change?.renaming })
            revision += 1
        }
    }

    private let log = Mutex(Log())
    /// A lock for renewals: of two threads, the one that began to read last must win.
    private let renewal = Mutex(())

    /// Replaces the decisions of the journal with those that `read` returns.
    func renew(_ read: () throws(ChangeError) -> [JournaledChange]) throws(ChangeError) {
        try renewal.withLock { _ throws(ChangeError) in
            let changes = try read()
            log.withLock { log in
                log.journaled = changes
                log.arrange()
            }
        }
    }

    /// Adds decisions of other daemons that cannot be written to the journal now.
    ///
    /// - Returns: whether the changes contained a decision.
    func add(unwritten changes: [JournaledChange]) -> Bool {
        let decisions = changes.filter { $0.change?.concernsEverybody == true }
        guard !decisions.isEmpty else { return false }
        log.withLock { log in
            for decision in decisions { log.unwritten[decision.stamp] = decision }
            log.arrange()
        }
        return true
    }

    /// A number that grows with every change of the decisions.
    var revision: UInt64 { log.withLock { $0.revision } }

    /// The decisions as they are now.
    var recorded: RecordedDecisions {
        log.withLock { RecordedDecisions($0.changes, names: $0.names) }
    }

    /// The new ids of renamed groups.
    var names: GroupNames { log.withLock { $0.names } }
}
