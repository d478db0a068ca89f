import Model
import Tokens

/// A request that has reached a route, with all that the route may use.
struct Call: Sendable {
    let responder: Responder
    let path: PathParameters
    let parameters: RequestParameters
    /// Whose token it bears; nil if the route asks for none, as where the daemon has no keys.
    let bearer: TokenClaims?
    /// Whether anybody may ask, though the daemon has keys: such an answer may tell nothing about a member.
    let isOpen: Bool
    /// The body; the handler decodes it.
    let body: [UInt8]
    /// The state of the store, read once a request.
    let state: VersionFollower.State
    /// Where the handler says which pages of lists it shows; nil if nothing is recorded of that.
    var shownPage: ShownPageSlot?

    /// The parameter `{id}` of the path.
    var id: String { path["id"] }

    /// Why the answer may not be of the current version, or may lack changes of other daemons; nil if all is well.
    var problem: String? { state.problem ?? responder.relay?.problem }

    /// The version that is loaded, whatever the site has decided.
    ///
    /// - Throws: a `Problem` of status 503 if there is none.
    var loadedSnapshot: ModelSnapshot {
        get throws(Problem) {
            guard let snapshot = state.snapshot else { throw .noModel(state) }
            return snapshot
        }
    }

    /// What answers about groups are made from, with what the site has decided by now; everything in an answer is of
    /// this one version.
    ///
    /// - Throws: a `Problem` of status 503 if there is no version, or the decisions cannot be read.
    var snapshot: VisibleSnapshot {
        get throws(Problem) {
            try visible(loadedSnapshot)
        }
    }

    /// A version with what the site has decided by now.
    func visible(_ loaded: ModelSnapshot) throws(Problem) -> VisibleSnapshot {
        guard let community = responder.community else { return VisibleSnapshot(loaded) }
        do throws(ServiceError) {
            return VisibleSnapshot(loaded, try community.siteDecisions(in: loaded))
        } catch { throw failedReading(error) }
    }
}
