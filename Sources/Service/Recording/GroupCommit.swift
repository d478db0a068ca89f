import CatalogStore
import Changes
import Dispatch
import Synchronization

/// Writes to a journal, on one thread at a time.
struct JournalWriter {
    let journal: ChangeJournal
    /// Whether other processes write to the journal, too; otherwise only the replicator does.
    let isShared: Bool
    let decisions: JournaledDecisions
    let now: @Sendable () -> Int64
    let completeness: DaemonJournal.Completeness
    /// The places that must lead to the files that were opened.
    let places: [FilePlace]

    /// Records changes in one transaction; they are durable when this returns.
    func apply(_ changes: [Change]) throws(ChangeError) -> [Change.Outcome] {
        for place in places { try place.requireFile() }
        let isComplete = completeness.isComplete.load(ordering: .relaxed)
        let outcomes = try journal.record(changes, at: now(), isComplete: isComplete)
        if changes.contains(where: \.concernsEverybody) {
            try decisions.renew { () throws(ChangeError) in try journal.decisions() }
        }
        return outcomes
    }

    /// Erases forgotten data from the write-ahead log.
    ///
    /// The replicator does it for a journal of the daemon's own, because it also erases the data that others forget.
    ///
    /// - Returns: false if others are reading or writing; then call it again.
    func eraseForgotten() throws(ChangeError) -> Bool { isShared ? try journal.eraseForgotten(waits: false) : true }

    /// Finds out whether writing is possible, without changing anything.
    func probeWriting() throws(ChangeError) {
        for place in places { try place.requireFile() }
        try journal.probeWriting()
    }
}

/// The path of a file that is open, and the file's identity.
///
/// Changes that are written to a file without a name are lost with the process.
struct FilePlace {
    let path: String
    private let identity: FileIdentity?

    init(_ path: String) { (self.path, identity) = (path, FileIdentity(path: path)) }

    /// Whether the file was there.
    var isKnown: Bool { identity != nil }

    /// Throws an error if the path does not lead to the file any more.
    func requireFile() throws(ChangeError) {
        if let identity, FileIdentity(path: path) == identity { return }
        throw ChangeError(
            .databaseFailed, "\(path) was removed or replaced while the daemon uses it: restart the daemon")
    }
}

/// Commits waiting changes together in one transaction, which waits for the disk once.
final class GroupCommit: Sendable {
    /// A connection that only the queue uses.
    private struct Connection: @unchecked Sendable {
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
        let outcomes = Mutex<Result<[Change.Outcome], ChangeError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)

        init(_ changes: [Change]) { self.changes = changes }
    }

    /// The largest number of waiting callers.
    private static let limit = 256

    private let connection = Mutex(Connection())
    private let queue = DispatchQueue(label: "group-commit")
    private let waiting = Mutex<[Ticket]>([])
    private let changes: ChangeClock
    private let recording: HealthCondition
    private let patience: Duration
    private let openWriter: @Sendable () throws(ChangeError) -> JournalWriter

    /// - Parameters:
    ///   - changes: the clock that notes committed changes.
    ///   - recording: the condition that says whether commits succeed.
    ///   - patience: the longest wait of a change for its commit.
    ///   - openWriter: opens a writer that nobody else uses.
    init(
        changes: ChangeClock, recording: HealthCondition, patience: Duration,
        openWriter: @escaping @Sendable () throws(ChangeError) -> JournalWriter
    ) {
        self.changes = changes
        self.recording = recording
        self.patience = patience
        self.openWriter = openWriter
    }

    /// Opens the writer now instead of with the first change.
    func open() throws(ChangeError) {
        try inQueue { connection throws(ChangeError) in _ = try opened(&connection) }
    }

    /// Finds out whether writing is possible again, if the last commits failed.
    func probe() {
        guard recording.isFailing else { return }
        try? inQueue { connection throws(ChangeError) in
            try writing(&connection) { writer throws(ChangeError) in try writer.probeWriting() }
        }
    }

    /// Runs `body` in its turn on the queue.
    private func inQueue(_ body: (inout Connection) throws(ChangeError) -> Void) throws(ChangeError) {
        let result: Result<Void, ChangeError> = queue.sync {
            connection.withLock { connection in
                do throws(ChangeError) { return .success(try body(&connection)) } catch { return .failure(error) }
            }
        }
        try result.get()
    }

    private func opened(_ connection: inout Connection) throws(ChangeError) -> JournalWriter {
        if let writer = connection.writer { return writer }
        let writer = try openWriter()
        connection.writer = writer
        return writer
    }

    /// Writes, and stores whether that succeeded.
    private func writing<Outcome>(
        _ connection: inout Connection, _ body: (JournalWriter) throws(ChangeError) -> Outcome
    ) throws(ChangeError) -> Outcome {
        do throws(ChangeError) {
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
    /// - Throws: `ChangeError.Code.busy` if the commit takes too long; the changes may still be made later.
    func apply(_ changes: [Change]) throws(ChangeError) -> [Change.Outcome] {
        let ticket = Ticket(changes)
        let hasRoom = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(ticket)
            return true
        }
        guard hasRoom else { throw ChangeError(.busy, "too many changes wait to be written; try again later") }
        queue.async { [self] in commitWaiting() }
        let milliseconds = patience / .milliseconds(1)
        guard ticket.isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success,
            let outcomes = ticket.outcomes.withLock({ $0 })
        else { throw ChangeError(.busy, "writing takes too long, as another process may be writing; try again later") }
        return try outcomes.get()
    }

    /// Returns a number that changes when another connection has written, and retries erasing that readers prevented.
    ///
    /// - Returns: nil if it is unknown, because no writer is open.
    func outsideRevision() -> Int64? {
        // The connection of the queue does not count its own commits.
        queue.sync {
            connection.withLock { connection in
                connection.erase()
                return try? connection.writer?.journal.outsideRevision()
            }
        }
    }

    /// Commits all waiting changes; does nothing if an earlier call has committed them.
    private func commitWaiting() {
        let tickets = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !tickets.isEmpty else { return }
        let outcomes: Result<[Change.Outcome], ChangeError> = connection.withLock { connection in
            do throws(ChangeError) {
                return .success(
                    try writing(&connection) { writer throws(ChangeError) in
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
