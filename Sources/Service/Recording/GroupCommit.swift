import Basics
import CatalogStore
import Changes
import Dispatch
import Glibc
import Synchronization

/// Writes to a journal, on one thread at a time.
struct JournalWriter {
    let journal: ChangeJournal
    /// Whether other processes write to the journal, too; otherwise only the replicator does.
    let isShared: Bool
    let decisions: JournaledDecisions
    let now: @Sendable () -> Int64
    let completeness: DaemonJournal.Completeness
    let files: OpenFiles

    /// Records changes in one transaction; they are durable when this returns.
    func apply(_ changes: [Change]) throws(Failure) -> [Change.Outcome] {
        try requireFiles()
        let isComplete = completeness.isComplete.load(ordering: .relaxed)
        let outcomes = try journal.record(changes, at: now(), isComplete: isComplete)
        if changes.contains(where: \.concernsEverybody) {
            try decisions.renew { () throws(Failure) in try journal.decisions() }
        }
        return outcomes
    }

    /// Erases forgotten data from the write-ahead log.
    ///
    /// The replicator does it for a journal of the daemon's own, because it also erases the data that others forget.
    ///
    /// - Returns: false if others are reading or writing; then call it again.
    func eraseForgotten() throws(Failure) -> Bool { isShared ? try journal.eraseForgotten(waits: false) : true }

    /// Finds out whether writing is possible, without changing anything.
    func probeWriting() throws(Failure) {
        try requireFiles()
        try journal.probeWriting()
    }

    /// Throws an error if a file is not in its place.
    ///
    /// A log without a name ends with this process, so what it still has is written to the journal first.
    func requireFiles() throws(Failure) {
        try files.require { _ = try? journal.eraseForgotten(waits: false) }
    }
}

/// The files that a daemon has open for its journal, all of which must stay in their places.
///
/// Changes that are written to a file without a name, or to a log whose database was emptied, are lost. SQLite keeps a
/// log and its index beside a journal as long as it is open. A connection that is opened when they are gone makes new
/// ones, which damage the journal.
final class OpenFiles: Sendable {
    private let paths: [String]
    /// The identities of the journal and of the catalog, from when they were first seen.
    private let databases = Mutex<[String: FileIdentity]>([:])
    /// The identities of the files beside the journal; nil until a writer is open.
    private let besides = Mutex<[String: FileIdentity]?>(nil)

    /// - Parameter paths: the path of the journal, and that of the catalog if the journal is beside one.
    init(_ paths: [String]) {
        self.paths = paths
        noteDatabases()
    }

    private func noteDatabases() {
        databases.withLock { known in for path in paths { known[path] = known[path] ?? FileIdentity(path: path) } }
    }

    /// Notes the files that a writer has just opened.
    func noteWriter() {
        noteDatabases()
        let journal = Catalog.resolved(paths[0]) ?? paths[0]
        var found: [String: FileIdentity] = [:]
        for path in [journal + "-wal", journal + "-shm"] { found[path] = FileIdentity(path: path) }
        besides.withLock { $0 = found }
    }

    /// Throws an error if a path does not lead to its file any more, or if the file was emptied.
    ///
    /// - Parameters:
    ///   - ofReader: whether only the journal matters.
    ///   - save: called before the error if the log is gone and the databases are not.
    func require(ofReader: Bool = false, saving save: () -> Void = {}) throws(Failure) {
        let (known, besides) = (databases.withLock { $0 }, besides.withLock { $0 })
        for path in paths.prefix(ofReader ? 1 : 2) where besides != nil || known[path] != nil {
            guard let status = FileTree.status(of: path), FileIdentity(status) == known[path],
                besides == nil || status.st_size > 0
            else { throw Self.lost(path) }
        }
        // The log comes before its index.
        for (path, identity) in (besides ?? [:]).sorted(by: { $0.key > $1.key })
        where FileIdentity(path: path) != identity {
            if path.hasSuffix("-wal") { save() }
            throw Self.lost(path)
        }
    }

    private static func lost(_ path: String) -> Failure {
        Failure(
            .databaseFailed, "\(path) was removed, replaced or emptied while the daemon uses it: restart the daemon")
    }
}

/// Commits waiting changes together in one transaction, which waits for the disk once.
final class GroupCommit: Sendable {
    private struct Connection {
        /// The writer, or nil if it is not open yet.
        var writer: JournalWriter?
        /// Whether forgotten data is still to be erased.
        var mustErase = false

        mutating func erase() {
            if mustErase, let writer { mustErase = (try? writer.eraseForgotten()) != true }
        }
    }

    /// A batch of changes that waits for its commit, and the outcomes.
    private final class Ticket: Sendable {
        let changes: [Change]
        let outcomes = Mutex<Result<[Change.Outcome], Failure>?>(nil)
        let isDone = DispatchSemaphore(value: 0)

        init(_ changes: [Change]) { self.changes = changes }
    }

    /// The largest number of waiting callers.
    private static let limit = 256

    private let connection = Locked(Connection())
    private let queue = DispatchQueue(label: "group-commit")
    private let waiting = Mutex<[Ticket]>([])
    private let changes: ChangeClock
    private let recording: HealthCondition
    private let patience: Duration
    private let openWriter: @Sendable () throws(Failure) -> JournalWriter

    /// - Parameters:
    ///   - changes: the clock that notes committed changes.
    ///   - recording: the condition that says whether commits succeed.
    ///   - patience: the longest wait of a change for its commit.
    ///   - openWriter: opens a writer that nobody else uses.
    init(
        changes: ChangeClock, recording: HealthCondition, patience: Duration,
        openWriter: @escaping @Sendable () throws(Failure) -> JournalWriter
    ) {
        (self.changes, self.recording) = (changes, recording)
        (self.patience, self.openWriter) = (patience, openWriter)
    }

    /// Opens the writer now instead of with the first change.
    func open() throws(Failure) {
        try connection.withLock { connection throws(Failure) in _ = try opened(&connection) }
    }

    /// Finds out whether the files are in their places, and after a failure whether writing is possible again.
    func probe() {
        try? connection.withLock { connection throws(Failure) in
            let isFailing = recording.isFailing
            guard isFailing || connection.writer != nil else { return }
            try writing(&connection) { writer throws(Failure) in
                if isFailing { try writer.probeWriting() } else { try writer.requireFiles() }
            }
        }
    }

    private func opened(_ connection: inout Connection) throws(Failure) -> JournalWriter {
        if let writer = connection.writer { return writer }
        let writer = try openWriter()
        connection.writer = writer
        return writer
    }

    /// Writes, and stores whether that succeeded.
    private func writing<Outcome>(
        _ connection: inout Connection, _ body: (JournalWriter) throws(Failure) -> Outcome
    ) throws(Failure) -> Outcome {
        do throws(Failure) {
            let outcome = try body(try opened(&connection))
            recording.worked()
            return outcome
        } catch {
            // A connection that was opened read-only stays read-only, so open a new one next time.
            if error.code == .fileFailed { connection.writer = nil }
            if error.code != .busy { recording.failed("changes cannot be recorded: \(error.message)") }
            throw error
        }
    }

    /// Commits changes in one transaction; they are durable when this returns.
    ///
    /// - Returns: the outcome of each change, in their order.
    /// - Throws: `Failure.Code.busy` if the commit takes too long; the changes may still be made later.
    func apply(_ changes: [Change]) throws(Failure) -> [Change.Outcome] {
        let ticket = Ticket(changes)
        let hasRoom = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(ticket)
            return true
        }
        guard hasRoom else { throw Failure(.busy, "too many changes wait to be written; try again later") }
        queue.async { [self] in commitWaiting() }
        let milliseconds = patience / .milliseconds(1)
        guard ticket.isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success,
            let outcomes = ticket.outcomes.withLock({ $0 })
        else { throw Failure(.busy, "writing takes too long, as another process may be writing; try again later") }
        return try outcomes.get()
    }

    /// Closes the writer; a later change opens another one.
    func close() { connection.withLock { $0.writer = nil } }

    /// Erases what others have forgotten, now or as soon as nobody reads.
    func erase() { connection.withLock { $0.mustErase = true } }

    /// Returns a number that changes when another connection has written, and retries erasing that readers prevented.
    ///
    /// - Returns: nil if it is unknown, because no writer is open.
    func outsideRevision() -> Int64? {
        // The connection does not count its own commits.
        connection.withLock { connection in
            connection.erase()
            return try? connection.writer?.journal.outsideRevision()
        }
    }

    /// Commits all waiting changes; does nothing if an earlier call has committed them.
    private func commitWaiting() {
        let tickets = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !tickets.isEmpty else { return }
        let outcomes: Result<[Change.Outcome], Failure> = connection.withLock { connection in
            do throws(Failure) {
                return .success(
                    try writing(&connection) { writer throws(Failure) in
                        try writer.apply(tickets.flatMap(\.changes))
                    })
            } catch { return .failure(error) }
        }
        // Requests that no longer wait count too. After a failure, something may have been written.
        let made = tickets.flatMap(\.changes)
        for change in made { changes.note(change) }
        if made.contains(where: { $0.erasedUserID != nil }) {
            connection.withLock { connection in
                connection.mustErase = true
                connection.erase()
            }
        }
        var start = 0
        for ticket in tickets {
            let range = start..<start + ticket.changes.count
            ticket.outcomes.withLock { $0 = outcomes.map { Array($0[range]) } }
            ticket.isDone.signal()
            start = range.upperBound
        }
    }
}
