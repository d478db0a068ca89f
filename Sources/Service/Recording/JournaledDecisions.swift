import Changes
import Model
import Synchronization

/// The site's decisions, in the order in which they apply; in memory, as every answer needs them.
///
/// They are those of the journal and, while that cannot be written, those of others that it lacks: what another daemon
/// hid is hidden here even if the disk is full.
final class JournaledDecisions: Sendable {
    private struct Log {
        var journaled: [JournaledChange] = []
        /// Those that the journal lacks, by their stamps.
        var unwritten: [ChangeStamp: JournaledChange] = [:]
        /// All, in their order.
        var changes: [JournaledChange] = []
        var revision: UInt64 = 0

        mutating func arrange() {
            for change in journaled { unwritten[change.stamp] = nil }
            changes = unwritten.isEmpty ? journaled : (journaled + unwritten.values).sorted { $0.stamp < $1.stamp }
            revision += 1
        }
    }

    private let log = Mutex(Log())
    /// Held while decisions are read again: of two threads, the one that began to read last must win.
    private let renewal = Mutex(())

    /// Replaces the decisions of the journal by those that `read` reads from it.
    func renew(_ read: () throws(ChangeError) -> [JournaledChange]) throws(ChangeError) {
        try renewal.withLock { _ throws(ChangeError) in
            let changes = try read()
            log.withLock { log in
                log.journaled = changes
                log.arrange()
            }
        }
    }

    /// Adds decisions of others that cannot be written to the journal just now.
    ///
    /// - Returns: whether there was any among the changes.
    func add(unwritten changes: [JournaledChange]) -> Bool {
        let decisions = changes.filter { $0.change.map { $0.userID == nil } == true }
        guard !decisions.isEmpty else { return false }
        log.withLock { log in
            for decision in decisions { log.unwritten[decision.stamp] = decision }
            log.arrange()
        }
        return true
    }

    /// A number that grows with every change of the decisions.
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
