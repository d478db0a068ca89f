import CatalogStore
import Dispatch
import Synchronization

/// What changes are committed to, by one thread at a time.
protocol ChangeWriter {
    /// Makes changes in one transaction; they are durable when this returns.
    ///
    /// - Throws: `CatalogError`; then nothing of them all was done.
    func apply(_ changes: [CatalogChange]) throws(CatalogError) -> [CatalogChange.Outcome]

    /// Erases what was forgotten from the write-ahead log, where it stays until it is overwritten.
    ///
    /// - Parameter waits: whether it waits for others who are reading or writing.
    /// - Returns: false if it must be tried again, as others are reading or writing.
    func eraseRemoved(waits: Bool) throws(CatalogError) -> Bool

    /// A number that changes when others have committed something; equal numbers mean that they have not.
    func outsideRevision() throws(CatalogError) -> Int64
}

extension Catalog: ChangeWriter {}

/// Commits changes, all that wait at a time in one transaction: the disk is waited for once for all of them.
final class GroupCommit: Sendable {
    /// A connection that only the queue uses.
    private struct Connection: @unchecked Sendable {
        let writer: any ChangeWriter
    }

    /// A change that waits for its commit, and the outcome.
    private final class Ticket: Sendable {
        let change: CatalogChange
        let outcome = Mutex<Result<CatalogChange.Outcome, CatalogError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)

        init(_ change: CatalogChange) { self.change = change }
    }

    /// How many changes may wait.
    private static let limit = 256

    private let connection: Connection
    private let queue = DispatchQueue(label: "group-commit")
    private let waiting = Mutex<[Ticket]>([])
    private let changes: ChangeClock
    private let seenRevision = SeenRevision()
    private let patience: Duration
    /// Whether something that was forgotten is still to be erased; used on the queue alone.
    private let mustErase = Mutex(false)

    /// - Parameters:
    ///   - writer: opened for recording, and used by nobody else.
    ///   - changes: where the changes are noted once they are made.
    ///   - patience: how long a change may wait for its commit; an import may hold the catalog for longer.
    init(_ writer: sending any ChangeWriter, changes: ChangeClock, patience: Duration) {
        connection = Connection(writer: writer)
        self.changes = changes
        self.patience = patience
    }

    /// Makes a change; it is durable when this returns.
    ///
    /// - Throws: `CatalogError.Code.busy` if that takes too long; the change may then be made later all the same.
    func apply(_ change: CatalogChange) throws(CatalogError) -> CatalogChange.Outcome {
        let ticket = Ticket(change)
        let hasRoom = waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(ticket)
            return true
        }
        guard hasRoom else { throw CatalogError(.busy, "too many changes wait to be written; try again later") }
        queue.async { [self] in commitWaiting() }
        let milliseconds = patience / .milliseconds(1)
        guard ticket.isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success,
            let outcome = ticket.outcome.withLock({ $0 })
        else { throw CatalogError(.busy, "writing takes too long, as another process may be writing; try again later") }
        return try outcome.get()
    }

    /// Notes whether anybody else has written since the last call; and erases what readers kept from being erased.
    func noteOutsideChanges() {
        // Through the connection of the queue, which does not count its own commits.
        queue.sync {
            erase()
            seenRevision.note(try? connection.writer.outsideRevision(), in: changes)
        }
    }

    private func erase() {
        mustErase.withLock { mustErase in
            if mustErase { mustErase = (try? connection.writer.eraseRemoved(waits: false)) != true }
        }
    }

    /// Commits what waits; nothing if an earlier call has committed it already.
    private func commitWaiting() {
        let tickets = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !tickets.isEmpty else { return }
        let outcomes: Result<[CatalogChange.Outcome], CatalogError>
        do throws(CatalogError) {
            outcomes = .success(try connection.writer.apply(tickets.map(\.change)))
        } catch { outcomes = .failure(error) }
        // Also for requests that no longer wait, and after a failure, after which something may have been written.
        for ticket in tickets { changes.note(ticket.change) }
        if tickets.contains(where: { $0.change.erasedUserID != nil }) {
            mustErase.withLock { $0 = true }
            erase()
        }
        for (index, ticket) in tickets.enumerated() {
            ticket.outcome.withLock { $0 = outcomes.map { $0[index] } }
            ticket.isDone.signal()
        }
    }
}
