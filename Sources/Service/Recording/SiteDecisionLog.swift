import CatalogStore
import Model
import Synchronization

/// What the site decided since versions were built, in the order that counts; in memory, as every answer needs it.
final class SiteDecisionLog: Sendable {
    private struct Decisions {
        var changes: [JournaledChange]
        var revision: UInt64 = 0
    }

    private let decisions: Mutex<Decisions>
    /// Held while decisions are read to be renewed: who began to read first must not have the last word.
    private let renewal = Mutex(())

    init(_ changes: [JournaledChange]) { decisions = Mutex(Decisions(changes: changes)) }

    /// Puts the decisions that `read` reads in the place of all.
    func renew(_ read: () throws(CatalogError) -> [JournaledChange]) throws(CatalogError) {
        try renewal.withLock { _ throws(CatalogError) in
            let changes = try read()
            decisions.withLock { $0 = Decisions(changes: changes, revision: $0.revision + 1) }
        }
    }

    /// A number that grows with every renewal.
    var revision: UInt64 { decisions.withLock { $0.revision } }

    /// The ids of hidden groups, and since when each is, in Unix milliseconds.
    ///
    /// - Parameter manifest: of the version that serves, which has what was hidden before.
    func hidden(since manifest: Manifest) -> [BytewiseString: Int64] {
        var hidden: [BytewiseString: Int64] = [:]
        for group in manifest.hiddenGroups ?? [] { hidden[BytewiseString(group.id)] = group.hiddenAtMilliseconds }
        for change in changes(beyond: manifest.taken) {
            let group = BytewiseString(change.groupID)
            switch change.action {
            case .hide: hidden[group] = hidden[group] ?? change.atMilliseconds
            case .unhide: hidden[group] = nil
            case .curate, .uncurate: continue
            }
        }
        return hidden
    }

    /// What is put forward, in its order.
    ///
    /// - Parameters:
    ///   - curations: what the version puts forward.
    ///   - manifest: the version's.
    func curations(_ curations: [Curation], since manifest: Manifest) -> [Curation] {
        var order = curations
        for change in changes(beyond: manifest.taken) {
            switch change.action {
            case .curate(let place, let startsAt, let expiresAt):
                order.removeAll { $0.groupID.hasSameBytes(as: change.groupID) }
                let curation = Curation(
                    groupID: change.groupID, isShown: true, position: 0, startsAt: startsAt, expiresAt: expiresAt)
                order.insert(curation, at: SiteChange.place(ofPosition: place, among: order.count))
            case .uncurate: order.removeAll { $0.groupID.hasSameBytes(as: change.groupID) }
            case .hide, .unhide: continue
            }
        }
        return order
    }

    private func changes(beyond taken: TakenChanges) -> [SiteChange] {
        decisions.withLock { $0.changes }.compactMap { decision in
            guard !taken.contains(decision.sequence, of: decision.origin), case .site(let change) = decision.change
            else { return nil }
            return change
        }
    }
}
