import Catalog
import Dispatch
import Synchronization

/// Makes changes of the catalog, all that wait at a time in one commit: the disk is waited for once for all of them.
final class GroupCommit: Sendable {
    /// A connection that only the queue uses.
    private struct Connection: @unchecked Sendable {
        let catalog: Catalog
    }

    /// A change that waits, and what became of it.
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
    private let patience: Duration

    /// - Parameters:
    ///   - catalog: opened for recording, and used by nobody else.
    ///   - patience: how long a change may take; an import may hold the catalog for longer.
    init(_ catalog: sending Catalog, patience: Duration) {
        connection = Connection(catalog: catalog)
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
        guard hasRoom else { throw CatalogError(.busy, "too many changes wait for the catalog; try again later") }
        queue.async { [self] in commitWaiting() }
        let milliseconds = patience / .milliseconds(1)
        guard ticket.isDone.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .success,
            let outcome = ticket.outcome.withLock({ $0 })
        else { throw CatalogError(.busy, "another process is writing to the catalog; try again later") }
        return try outcome.get()
    }

    /// Commits what waits; nothing if an earlier call took it along.
    private func commitWaiting() {
        let tickets = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !tickets.isEmpty else { return }
        let outcomes: Result<[CatalogChange.Outcome], CatalogError>
        do throws(CatalogError) {
            outcomes = .success(try connection.catalog.apply(tickets.map(\.change)))
        } catch { outcomes = .failure(error) }
        for (place, ticket) in tickets.enumerated() {
            ticket.outcome.withLock { $0 = outcomes.map { $0[place] } }
            ticket.isDone.signal()
        }
    }
}
