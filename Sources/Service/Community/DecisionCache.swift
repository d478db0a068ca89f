import Model
import Synchronization

/// The site's decisions in terms of versions, kept until their source has changed.
final class DecisionCache<State: Equatable & Sendable>: Sendable {
    private struct Entry {
        let version: VersionName
        let state: State
        let decisions: SiteDecisions
    }

    /// The most versions whose decisions are kept: experiments make lists from more than one.
    private static var limit: Int { 8 }

    /// The one kept last comes last.
    private let entries = Mutex<[Entry]>([])

    /// The decisions in terms of a version, looked up unless they are known for this very state.
    ///
    /// - Parameters:
    ///   - state: of the source, read before all else, so that a change made during the look-up shows in the next
    ///     request; a state never comes again once it has changed.
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
