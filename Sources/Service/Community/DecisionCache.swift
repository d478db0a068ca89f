import Basics
import Model
import Synchronization

/// A cache of the site's decisions for several versions, which holds until their source changes.
final class DecisionCache<State: Equatable & Sendable>: Sendable {
    private struct Entry {
        let version: VersionName
        let state: State
        let decisions: SiteDecisions
    }

    /// The most versions whose decisions are kept, because experiments make lists from more than one.
    private static var limit: Int { 8 }

    /// The kept decisions, the latest last.
    private let entries = Mutex<[Entry]>([])

    /// Returns the decisions for a version, which are looked up unless they are cached for this very state.
    ///
    /// - Parameters:
    ///   - state: the state of the source. It must be read before everything else: a change during the look-up then
    ///     shows in the next request. A state never comes again once it has changed.
    ///   - lookUp: reads the decisions, as they are at that state or later.
    func decisions<Failure: Error>(
        in version: VersionName, at state: State, orLookUp lookUp: () throws(Failure) -> SiteDecisions
    ) throws(Failure) -> SiteDecisions {
        let kept = entries.withLock { entries in
            entries.first { $0.version == version && $0.state == state }?.decisions
        }
        if let kept { return kept }
        let decisions = try lookUp()
        entries.withLock { entries in
            entries.removeAll { $0.version == version || $0.state != state }
            if entries.count == Self.limit { entries.removeFirst() }
            entries.append(Entry(version: version, state: state, decisions: decisions))
        }
        return decisions
    }
}
