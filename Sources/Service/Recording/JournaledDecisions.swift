import CatalogStore
import Model
import Synchronization

/// The site's decisions that a journal has, in the order in which they apply; in memory, as every answer needs them.
final class JournaledDecisions: Sendable {
    private struct Log {
        var changes: [JournaledChange]
        var revision: UInt64 = 0
    }

    private let log: Mutex<Log>
    /// Held while decisions are read again: of two threads, the one that began to read last must win.
    private let renewal = Mutex(())

    init(_ changes: [JournaledChange]) { log = Mutex(Log(changes: changes)) }

    /// Replaces all decisions by those that `read` reads.
    func renew(_ read: () throws(CatalogError) -> [JournaledChange]) throws(CatalogError) {
        try renewal.withLock { _ throws(CatalogError) in
            let changes = try read()
            log.withLock { $0 = Log(changes: changes, revision: $0.revision + 1) }
        }
    }

    /// A number that grows with every renewal.
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
