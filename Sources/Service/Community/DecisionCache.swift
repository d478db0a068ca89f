import Model
import Synchronization

/// The site's decisions in terms of a version, kept until another version is asked about or their source has changed.
final class DecisionCache<State: Equatable & Sendable>: Sendable {
    private struct Entry {
        let version: VersionName
        let state: State
        let decisions: SiteDecisions
    }

    private let entry = Mutex<Entry?>(nil)

    /// The decisions in terms of a version, looked up unless they are known for this very state.
    ///
    /// - Parameters:
    ///   - state: of the source, read before all else, so that a change made during the look-up shows in the next
    ///     request; a state never comes again once it has changed.
    ///   - lookUp: reads the decisions, as they are at that state or later.
    func decisions<Failure: Error>(
        in version: VersionName, at state: State, orLookUp lookUp: () throws(Failure) -> SiteDecisions
    ) throws(Failure) -> SiteDecisions {
        if let kept = entry.withLock({ $0 }), kept.version == version, kept.state == state { return kept.decisions }
        let decisions = try lookUp()
        entry.withLock { $0 = Entry(version: version, state: state, decisions: decisions) }
        return decisions
    }
}
