import CatalogStore
import Changes
import Dispatch
import Synchronization

/// What changes are committed to, by one thread at a time.
protocol ChangeWriter {
    /// Makes changes in one transaction; they are durable when this returns.
    ///
    /// - Throws: `CatalogError`; then nothing of them all was done.
    func apply(_ changes: [Change]) throws(CatalogError) -> [Change.Outcome]

    /// Erases what was forgotten from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Parameter waits: whether it waits for others who are reading or writing.
    /// - Returns: false if it must be tried again, as others are reading or writing.
    func eraseRemoved(waits: Bool) throws(CatalogError) -> Bool

    /// A number that changes when others have committed something; equal numbers mean that they have not.
    func outsideRevision() throws(CatalogError) -> Int64

    /// Writes, but changes nothing, to find out whether it is possible.
    func probeWriting() throws(CatalogError)
}

extension Catalog: ChangeWriter {}

/// Commits changes, all that wait at a time in one transaction: the disk is waited for once for all of them.
final class GroupCommit: Sendable {
    /// A connection that only the queue uses.
    private struct Connection: @unchecked Sendable {
        /// Nil if it is still to be opened.
        var writer: (any ChangeWriter)?
        /// Whether something that was forgotten is still to be erased.
        var mustErase = false

        mutating func erase() {
            if mustErase, let writer { mustErase = (try? writer.eraseRemoved(waits: false)) != true }
        }
    }

    /// Changes that wait for their commit, and their outcomes.
    private final class Ticket: Sendable {
        let changes: [Change]
        let outcomes = Mutex<Result<[Change.Outcome], CatalogError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)

        init(_ changes: [Change]) { self.changes = changes }
    }

    /// How many callers may wait.
    private static let limit = 256

    private let connection = Mutex(Connection())
    private let queue = DispatchQueue(label: "group-commit")
    private let waiting = Mutex<[Ticket]>([])
    private let changes: ChangeClock
    private let seenRevision = SeenRevision()
    private let recording: Condition
    private let patience: Duration
    private let openWriter: @Sendable () throws(CatalogError) -> any ChangeWriter

    /// - Parameters:
    ///   - changes: where the changes are noted once they are made.
    ///   - recording: whether commits succeed.
    ///   - patience: how long a change may wait for its commit; an import may hold the catalog for longer.
    ///   - openWriter: opens for recording what nobody else uses.
    init(
        changes: ChangeClock, recording: Condition, patience: Duration,
        openWriter: @escaping @Sendable () throws(CatalogError) -> any ChangeWriter
    ) {
        self.changes = changes
        self.recording = recording
        self.patience = patience
        self.openWriter = openWriter
    }

    /// Opens what changes are committed to now, and not with the first of them.
    func open() throws(CatalogError) {
        try inQueue { connection throws(CatalogError) in _ = try opened(&connection) }
    }

    /// If the last commits failed, finds out whether writing is possible again.
    func probe() {
        guard recording.isFailing else { return }
        try? inQueue { connection throws(CatalogError) in
            try writing(&connection) { writer throws(CatalogError) in try writer.probeWriting() }
        }
    }

    /// Waits for its turn in the queue.
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

    /// Writes, and notes whether that works.
    private func writing<Outcome>(
        _ connection: inout Connection, _ body: (any ChangeWriter) throws(CatalogError) -> Outcome
    ) throws(CatalogError) -> Outcome {
        do throws(CatalogError) {
            let outcome = try body(try opened(&connection))
            recording.worked()
            return outcome
        } catch {
            // A connection that could only read when it was opened can only read for ever.
            if error.code == .fileFailed { connection.writer = nil }
            if error.code != .busy { recording.failed("changes cannot be recorded: \(error.message)") }
            throw error
        }
    }

    /// Makes a change; it is durable when this returns.
    ///
    /// - Throws: `CatalogError.Code.busy` if that takes too long; the change may then be made later all the same.
    func apply(_ change: Change) throws(CatalogError) -> Change.Outcome {
        try apply([change])[0]
    }

    /// Makes changes in one transaction, one or more; as for one.
    ///
    /// - Returns: the outcome of each, in their order.
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

    /// Notes whether anybody else has written since the last call; and erases what readers kept from being erased.
    ///
    /// - Returns: false if that cannot be told, as nothing is open to commit to.
    func noteOutsideChanges() -> Bool {
        // Through the connection of the queue, which does not count its own commits.
        queue.sync {
            connection.withLock { connection in
                connection.erase()
                guard let writer = connection.writer else { return false }
                seenRevision.note(try? writer.outsideRevision(), in: changes)
                return true
            }
        }
    }

    /// Commits what waits; nothing if an earlier call has committed it already.
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
        // Also for requests that no longer wait, and after a failure, after which something may have been written.
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
