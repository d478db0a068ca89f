import Model
import Synchronization

/// What the site has decided, kept until it is of another version, or its source is in another state.
final class KeptDecisions<State: Equatable & Sendable>: Sendable {
    private struct Kept {
        let version: VersionName
        let state: State
        let decisions: SiteDecisions
    }

    private let kept = Mutex<Kept?>(nil)

    /// The decisions in terms of a version, looked up unless they are known of this very state.
    ///
    /// - Parameters:
    ///   - state: taken before all else, so that what changes while the decisions are looked up is seen by the next request;
    ///     a state never comes again once it has changed.
    ///   - lookUp: reads the decisions, as they are at that state or later.
    func decisions<Failure: Error>(
        in version: VersionName, at state: State, orLookUp lookUp: () throws(Failure) -> SiteDecisions
    ) throws(Failure) -> SiteDecisions {
        if let kept = kept.withLock({ $0 }), kept.version == version, kept.state == state { return kept.decisions }
        let decisions = try lookUp()
        kept.withLock { $0 = Kept(version: version, state: state, decisions: decisions) }
        return decisions
    }
}
