import CatalogStore
import Changes
import Dispatch
import Synchronization

/// The target of commits, used by one thread at a time.
protocol ChangeWriter {
    /// Applies changes in one transaction; they are durable when this returns.
    ///
    /// - Throws: `CatalogError`; then no change was made.
    func apply(_ changes: [Change]) throws(CatalogError) -> [Change.Outcome]

    /// Erases forgotten data from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Parameter waits: whether to wait for other readers and writers.
    /// - Returns: false if others are reading or writing; then call it again.
    func eraseRemoved(waits: Bool) throws(CatalogError) -> Bool

    /// Returns a number that changes when another connection commits.
    func outsideRevision() throws(CatalogError) -> Int64

    /// Finds out whether writing is possible, without changing anything.
    func probeWriting() throws(CatalogError)
}

extension Catalog: ChangeWriter {}

/// Commits waiting changes together in one transaction, which waits for the disk once.
final class GroupCommit: Sendable {
    /// A connection that only the queue uses.
    private struct Connection: @unchecked Sendable {
        /// The writer, or nil if it is not open yet.
        var writer: (any ChangeWriter)?
        /// Whether forgotten data is still to be erased.
        var mustErase = false

        mutating func erase() {
            if mustErase, let writer { mustErase = (try? writer.eraseRemoved(waits: false)) != true }
        }
    }

    /// A batch of changes that waits for its commit, and the outcomes.
    private final class Ticket: Sendable {
        let changes: [Change]
        let outcomes = Mutex<Result<[Change.Outcome], CatalogError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)

        init(_ changes: [Change]) { self.changes = changes }
    }

    /// The largest number of waiting callers.
    private static let limit = 256

    private let connection = Mutex(Connection())
    private let queue = DispatchQueue(label: "group-commit")
    private let waiting = Mutex<[Ticket]>([])
    private let changes: ChangeClock
    private let seenRevision = SeenRevision()
    private let recording: HealthCondition
    private let patience: Duration
    private let openWriter: @Sendable () throws(CatalogError) -> any ChangeWriter

    /// - Parameters:
    ///   - changes: the clock that notes committed changes.
    ///   - recording: the condition that says whether commits succeed.
    ///   - patience: the longest wait of a change for its commit; an import may hold the catalog for longer.
    ///   - openWriter: opens a writer that nobody else uses.
    init(
        changes: ChangeClock, recording: HealthCondition, patience: Duration,
        openWriter: @escaping @Sendable () throws(CatalogError) -> any ChangeWriter
    ) {
        self.changes = changes
        self.recording = recording
        self.patience = patience
        self.openWriter = openWriter
    }

    /// Opens the writer now instead of with the first change.
    func open() throws(CatalogError) {
        try inQueue { connection throws(CatalogError) in _ = try opened(&connection) }
    }

    /// Finds out whether writing is possible again, if the last commits failed.
    func probe() {
        guard recording.isFailing else { return }
        try? inQueue { connection throws(CatalogError) in
            try writing(&connection) { writer throws(CatalogError) in try writer.probeWriting() }
        }
    }

    /// Runs `body` in its turn on the queue.
    private func inQueue(_ body: (inout Connection) throws(CatalogError) -> Void) throws(CatalogError) {
        let result: Result<Void, CatalogError> = queue.sync {
            connection.withLock { connection in
                do throws(CatalogError) { return .success(try body(&connection)) } catch { return .failure(error) }
            }
        }
        try result.get()
    }

    private func opened(_ connection: inout Connection) throws(CatalogError) -> any ChangeWriter {
        if let writer = connection.writer { return writer }
        let writer = try openWriter()
        connection.writer = writer
        return writer
    }

    /// Writes, and stores whether that succeeded.
    private func writing<Outcome>(
        _ connection: inout Connection, _ body: (any ChangeWriter) throws(CatalogError) -> Outcome
    ) throws(CatalogError) -> Outcome {
        do throws(CatalogError) {
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

    /// Commits a change; it is durable when this returns.
    ///
    /// - Throws: `CatalogError.Code.busy` if the commit takes too long; the change may still be made later.
    func apply(_ change: Change) throws(CatalogError) -> Change.Outcome {
        try apply([change])[0]
    }

    /// Commits one or more changes in one transaction, with the same errors as for one.
    ///
    /// - Returns: the outcome of each change, in their order.
    func apply(_ changes: [Change]) throws(CatalogError) -> [Change.Outcome] {
        let ticket = Ticket(changes)
        let hasRoom = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(ticket)
            return true
        }
        guard hasRoom else { throw CatalogError(.busy, "too many changes wait to be written; try again later") }
        queue.async { [self] in commitWaiting() }
        let milliseconds = patience / .milliseconds(1)
        guard ticket.isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success,
            let outcomes = ticket.outcomes.withLock({ $0 })
        else { throw CatalogError(.busy, "writing takes too long, as another process may be writing; try again later") }
        return try outcomes.get()
    }

    /// Notes whether another connection has written since the last call, and retries erasing that readers had
    /// prevented.
    ///
    /// - Returns: false if that is unknown, because no writer is open.
    func noteOutsideChanges() -> Bool {
        // The connection of the queue does not count its own commits.
        queue.sync {
            connection.withLock { connection in
                connection.erase()
                guard let writer = connection.writer else { return false }
                seenRevision.note(try? writer.outsideRevision(), in: changes)
                return true
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
        let outcomes: Result<[Change.Outcome], CatalogError> = connection.withLock { connection in
            do throws(CatalogError) {
                return .success(
                    try writing(&connection) { writer throws(CatalogError) in
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
