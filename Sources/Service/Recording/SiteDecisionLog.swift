import Catalog
import Model
import Synchronization

/// What the site decided since versions were built, in the order that counts; in memory, as every answer needs it.
final class SiteDecisionLog: Sendable {
    private struct Decision {
        /// Where the stream has it; nil if it is not known to be there.
        var position: StreamPosition?
        var change: SiteChange
    }

    private let decisions: Mutex<[Decision]>

    init(_ changes: [(position: StreamPosition?, change: SiteChange)]) {
        decisions = Mutex(changes.map(Decision.init))
    }

    /// Puts other decisions in the place of all.
    func renew(_ changes: [(position: StreamPosition?, change: SiteChange)]) {
        decisions.withLock { $0 = changes.map(Decision.init) }
    }

    /// The ids of hidden groups, and since when each is, in Unix milliseconds.
    ///
    /// - Parameter position: what the stream has up to it is in the version already; nil: nothing is.
    func hidden(after position: StreamPosition?) -> [String: Int64] {
        var hidden: [String: Int64] = [:]
        for change in changes(after: position) {
            switch change.action {
            case .hide: hidden[change.groupID] = hidden[change.groupID] ?? change.atMilliseconds
            case .unhide: hidden[change.groupID] = nil
            case .curate, .uncurate: continue
            }
        }
        return hidden
    }

    /// What is put forward, in its order.
    ///
    /// - Parameters:
    ///   - curations: what the version puts forward.
    ///   - position: what the stream has up to it is in the version already; nil: nothing is.
    func curations(_ curations: [Curation], after position: StreamPosition?) -> [Curation] {
        var order = curations
        for change in changes(after: position) {
            switch change.action {
            case .curate(let place, let startsAt, let expiresAt):
                order.removeAll { $0.groupID == change.groupID }
                let curation = Curation(
                    groupID: change.groupID, isShown: true, position: 0, startsAt: startsAt, expiresAt: expiresAt)
                order.insert(curation, at: min(max(1, place ?? .max), order.count + 1) - 1)
            case .uncurate: order.removeAll { $0.groupID == change.groupID }
            case .hide, .unhide: continue
            }
        }
        return order
    }

    private func changes(after position: StreamPosition?) -> [SiteChange] {
        decisions.withLock { decisions in
            decisions.filter { decision in
                guard let position, let place = decision.position else { return true }
                return place > position
            }
        }.map(\.change)
    }
}
