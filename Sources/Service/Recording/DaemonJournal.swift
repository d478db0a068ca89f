import CatalogStore
import Changes
import Basics
import Model
import SQLite
import Synchronization

/// The journal of a daemon.
///
/// A daemon that shares its store with others has one of its own. Changes are committed to it first. They are then sent
/// on through streams, which all daemons follow. Beside a catalog, all processes of the machine share one. Applying
/// takes its changes to the catalog.
final class DaemonJournal: Sendable {
    /// Whether all changes of other daemons are here.
    final class Completeness: Sendable {
        let isComplete = Atomic(false)
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
    /// The ledger of a shared store as it was last read; nil if it was not, or has no key yet.
    let ledger = Mutex<Ledger?>(nil)
    /// Whether all changes of other daemons are here, as far as the replicator knows.
    let completeness: Completeness
    /// Whether the indexes of the file are to be checked, and mended.
    private let mayMend: Mutex<Bool>
    private let log: EventLog?
    /// The path of the catalog beside which the journal is; nil for a journal of the daemon's own.
    private let catalog: String?
    /// The lock on a journal of the daemon's own: other daemons would take two daemons on one journal for one.
    private let lock: Locked<Database>?
    private let readers: ConnectionPool<ChangeJournal, Failure>
    /// The state of the file when it was last looked at, while this daemon does not write.
    private let seenState = LastSeen<[FileStamp?]>()
    private let seenRevision = LastSeen<Int64>()
    /// Whether there may be changes that remove the lists of members, and the changes that did it already.
    private let mayHaveErasures = Atomic(true)
    private let seenErasures = Mutex(AppliedChanges.none)
    private let commits: GroupCommit
    private let files: OpenFiles
    /// The row up to which the journal was last verified, and whether all of it was verified once.
    private let verification = Mutex((row: Int64(0), isComplete: false))
    private let damageFound = Mutex<String?>(nil)
    /// The number of changes that are verified at a time.
    private static let verificationSize = 2000
    /// The size in bytes of a file whose check takes about a second.
    private static let longCheckByteCount = 64 << 20

    /// Opens the journal, or creates it.
    ///
    /// On a full disk, and beside a catalog that cannot be written just now, the journal is only read, and written
    /// later.
    ///
    /// - Parameters:
    ///   - catalog: the path of the catalog, if all processes of this machine share the journal beside it.
    ///   - changes: the clock that notes changes that show in answers.
    ///   - recording: the condition that says whether changes can be written.
    ///   - log: the log for damage.
    ///   - now: returns the current time, in Unix milliseconds.
    ///   - patience: the longest wait of a request for its commit.
    /// - Throws: `Failure.general` with advice if the file cannot be written.
    init(
        path: String, besideCatalog catalog: String? = nil, changes: ChangeClock,
        recording: HealthCondition = .recording(nil), log: EventLog? = nil, now: @escaping @Sendable () -> Int64,
        patience: Duration = .seconds(10)
    ) throws(Failure) {
        self.path = path
        self.catalog = catalog
        self.changes = changes
        (self.recording, self.log) = (recording, log)
        lock = catalog == nil ? try Self.lock(path) : nil
        let (decisions, completeness, damaged) = (JournaledDecisions(), Completeness(), DamagedChanges())
        let (folds, files) = (MemberFolds(), OpenFiles([path, catalog].compactMap(\.self)))
        self.files = files
        self.decisions = decisions
        self.completeness = completeness
        self.damaged = damaged
        self.folds = folds
        do throws(Failure) {
            let obstacle = try Self.prepare(path, besideCatalog: catalog)
            mayMend = Mutex(obstacle == nil)
            if let obstacle, catalog.map(Catalog.isForbidden) != true {
                recording.failed("changes cannot be recorded: \(obstacle.message)")
            }
            let open = { @Sendable () throws(Failure) in
                try files.require(ofReader: true)
                // A journal that nobody could make yet is empty.
                let isThere = catalog.map { Catalog.existingJournal(beside: $0) != nil } ?? true
                return try ChangeJournal(
                    path: isThere ? path : "", mode: isThere ? .reading : .recording, damaged: damaged, folds: folds)
            }
            let readers = try ConnectionPool(open)
            self.readers = readers
            // Connections that were opened while the file could not be written never look for changes.
            let mayReadForEver = Atomic(obstacle != nil)
            commits = GroupCommit(changes: changes, recording: recording, patience: patience) {
                () throws(Failure) in
                if let catalog { try Self.make(path, besideCatalog: catalog) }
                let journal = try ChangeJournal(path: path, mode: .recording, damaged: damaged, folds: folds)
                files.noteWriter()
                if mayReadForEver.exchange(false, ordering: .relaxed) { readers.renew() }
                return JournalWriter(
                    journal: journal, isShared: catalog != nil, decisions: decisions, now: now,
                    completeness: completeness, files: files)
            }
            if obstacle == nil { try commits.open() }
            do throws(Failure) { try renewDecisions() } catch {
                // The index of decisions may be damaged.
                try mendIndexes()
                try renewDecisions()
            }
        } catch { throw Failure(.general, Self.refusal(path) ?? error.message) }
    }

    /// Returns the reason why this user may not write to the journal, and what mends it, or `nil` if this user may.
    private static func refusal(_ path: String) -> String? {
        FileAccess.refusal(toWrite: FileAccess.database(path) + [path + "-lock"]).map { refusal in
            "the journal cannot be opened: \(refusal), or name another with --journal"
        }
    }

    /// Creates or upgrades the file.
    ///
    /// - Returns: the reason why it cannot be written now.
    private static func prepare(_ path: String, besideCatalog catalog: String?) throws(Failure) -> Failure? {
        do throws(Failure) {
            if let catalog { try make(path, besideCatalog: catalog) }
            _ = try ChangeJournal(path: path, mode: .recording)
            return nil
        } catch {
            guard error.code == .diskFull || catalog.map(mayWrite) == false else { throw error }
            return error
        }
    }

    /// Whether this user may write beside a catalog just now.
    private static func mayWrite(_ catalog: String) -> Bool {
        !Catalog.isForbidden(catalog) && Catalog.obstacle(toWriting: catalog) == nil
    }

    /// Creates the file beside a catalog if it is missing, for everybody who may write to the catalog.
    private static func make(_ path: String, besideCatalog catalog: String) throws(Failure) {
        if Catalog.isForbidden(catalog) { throw Failure(.fileFailed, forbidden) }
        if let obstacle = Catalog.obstacle(toWriting: catalog) { throw Failure(.fileFailed, obstacle) }
        PrivateFile.createEmpty(path, as: catalog)
    }

    /// The reason for a catalog that its owner has made read-only.
    static let forbidden = "the catalog can only be read: nothing that members do is recorded"

    /// Makes the indexes again if they do not agree with the tables; only the first call looks at the file.
    ///
    /// It reads all of the file, and so it is called while the daemon answers already. A call during another one waits
    /// for its end, because an index that lacks a row hides it until then.
    func mendIndexes() throws(Failure) {
        try mayMend.withLock { mayMend throws(Failure) in
            guard mayMend else { return }
            let writer = try opened(.recording)
            mayMend = false
            let findings = try writer.mendIndexes()
            guard !findings.isEmpty else { return }
            for finding in findings {
                log?.warning("the journal \(path) was damaged, and its indexes are made again: \(finding)")
            }
            try renewDecisions(from: writer)
        }
    }

    /// The reason why the content of a long journal is not certain yet, in words; nil if it was verified, or is short.
    var check: String? {
        let isLong = FileTree.byteCount(of: path) ?? 0 > Self.longCheckByteCount
        return isLong && !verification.withLock(\.isComplete) ? "the journal \(path) is being checked" : nil
    }

    private static func lock(_ path: String) throws(Failure) -> Locked<Database> {
        do throws(Failure) {
            // The lock ends with the process, even if the process is killed.
            let database = try Database(path: path + "-lock", mode: .create, busyTimeoutSeconds: 0)
            // Nothing is written, so that a full disk does not matter.
            try database.execute("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
            return Locked(database)
        } catch {
            throw Failure(
                .general,
                error.code == .busy
                    ? "another daemon has the journal \(path): each needs one of its own, named with --journal"
                    : refusal(path)
                        ?? "the journal \(path) cannot be locked: \(error.message); name another with --journal")
        }
    }

    /// Whether changes are meant to be recorded: the owner of the catalog has not forbidden it.
    var records: Bool { catalog.map(Catalog.isForbidden) != true }

    /// Notes what other processes have written since the last call.
    ///
    /// A journal of the daemon's own has no other writers than the replicator, which notes its own writes.
    func noteOutsideChanges() {
        guard catalog != nil else { return }
        if let revision = commits.outsideRevision() {
            guard seenRevision.isNew(revision) else { return }
        } else {
            // Connections of a user who may not write never look for changes, and the file may be made at any time.
            guard seenState.isNew(FileStamp.ofCatalog(path)) else { return }
            readers.renew()
        }
        mayHaveErasures.store(true, ordering: .releasing)
        try? renewDecisions()
        changes.everythingChanged()
    }

    private func renewDecisions() throws(Failure) {
        try decisions.renew { [readers] () throws(Failure) in
            try readers.read { journal throws(Failure) in try journal.decisions() }
        }
    }

    /// Removes the lists of members who were removed, or had all forgotten, in changes since the last call.
    ///
    /// The first call looks at all changes: other processes may have written some before this one started. For a
    /// journal of the daemon's own, the replicator does it. After a failure, the next call goes on.
    func forgetSessions(in sessions: Sessions) {
        guard catalog != nil, mayHaveErasures.exchange(false, ordering: .acquiringAndReleasing) else { return }
        do {
            let seen = seenErasures.withLock { $0 }
            let (ids, here) = try read { journal throws(Failure) in try journal.erasedUsers(beyond: seen) }
            for id in ids {
                try sessions.forgetAll(ofUser: id)
                changes.memberChanged(id)
            }
            seenErasures.withLock { $0 = here }
            // The process that wrote a change may be gone, without emptying the log that somebody was reading.
            if !ids.isEmpty { commits.erase() }
        } catch { mayHaveErasures.store(true, ordering: .releasing) }
    }

    /// Commits a change without checking it; the change is durable when this returns.
    func apply(_ change: Change) throws(Failure) -> Change.Outcome { try apply([change])[0] }

    /// Commits changes without checking them, in one transaction; they are durable when this returns.
    @discardableResult
    func apply(_ changes: [Change]) throws(Failure) -> [Change.Outcome] {
        do {
            return try commits.apply(changes)
        } catch { throw Failure(.journalFailed, "the journal cannot be written: \(error.message)") }
    }

    /// Returns the changes of a member that a version lacks, or nil if there are none.
    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) throws(Failure) -> RecentMemberChanges? {
        try read { journal throws(Failure) in try journal.recentChanges(ofUser: id, beyond: taken) }
    }

    /// Verifies some more changes, or all of them if that has not been done yet, and notes damaged ones.
    func verifyMore(with connection: ChangeJournal) throws(Failure) {
        try verification.withLock { state throws(Failure) in
            repeat {
                let last = try connection.verify(after: state.row, limit: Self.verificationSize)
                state = (last ?? 0, state.isComplete || last == nil)
            } while !state.isComplete
        }
    }

    /// The reason why changes beside the catalog cannot be read or applied, in words; nil if there is none.
    var damage: String? { damageFound.withLock { $0 } }

    /// Verifies some more changes beside the catalog.
    ///
    /// - Parameter taken: the changes that the catalog has; damaged ones among them do no harm.
    func verify(beyond taken: AppliedChanges) {
        if let check { damageFound.withLock { $0 = check } }
        try? mendIndexes()
        var found: String?
        do throws(Failure) {
            found = try read { journal throws(Failure) in
                try verifyMore(with: journal)
                return try journal.stoppingChange(beyond: taken).map { "\(path): \($0)" }
            }
        } catch { found = error.message }
        damageFound.withLock { $0 = found }
    }

    /// Opens one more connection.
    func opened(_ mode: ChangeJournal.Mode) throws(Failure) -> ChangeJournal {
        try files.require()
        return try ChangeJournal(path: path, mode: mode, damaged: damaged, folds: folds)
    }

    /// Reads the site's decisions again, and notes that answers have changed.
    func renewDecisions(from connection: ChangeJournal) throws(Failure) {
        try decisions.renew { () throws(Failure) in try connection.decisions() }
        changes.everythingChanged()
    }

    /// Shows decisions of other daemons that cannot be written to the journal now.
    func show(unwritten changes: [JournaledChange]) {
        guard decisions.add(unwritten: changes) else { return }
        self.changes.everythingChanged()
    }

    /// Closes the connections; a later use opens others.
    func close() {
        commits.close()
        readers.renew()
    }

    /// Finds out whether a journal that failed can be written again.
    func probeWriting() { commits.probe() }

    /// Reads from the journal, on a connection that nobody else uses meanwhile.
    func read<Result>(_ body: (ChangeJournal) throws(Failure) -> Result) throws(Failure) -> Result {
        do throws(Failure) {
            return try readers.read(body)
        } catch { throw Failure(.journalFailed, "the journal cannot be read: \(error.message)") }
    }
}
