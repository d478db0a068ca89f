import CatalogStore
import CommandLine
import Model
import ModelStore
import Recommendation
import Service

/// The site's present decisions about the groups of a version, and what members did since.
///
/// They come from the catalog, or from the store if there is no catalog. The streams of a shared store have what
/// daemons recorded since the last recompute.
struct SiteView {
    /// The version as the site shows it.
    let snapshot: VisibleSnapshot
    /// The groups of the version that the site shows.
    var model: VisibleModel { snapshot.model }
    /// The changes in the streams, or `nil` if the store is not shared.
    let streamed: StreamedChanges?
    /// The hidden and curated groups.
    let state: SiteState
    private let withdrawn: WithdrawnGroups?

    /// Reads the decisions, and the changes of members.
    ///
    /// - Parameters:
    ///   - version: the version.
    ///   - catalog: the catalog with the site's decisions since the version was made, if there is one.
    ///   - planning: the configuration of lists; the default is for commands that make none.
    ///   - members: the members whose changes since the last recompute are kept.
    init(
        _ parsed: ParsedCommand, _ version: LoadedVersion, _ catalog: Catalog?, _ planning: Planning? = nil,
        of members: StreamedChanges.Members = .none
    ) throws {
        let store = try parsed.openStore()
        let taken = try catalog?.appliedChanges() ?? version.manifest.taken
        streamed = try store.shared.map { try StreamedChanges(of: $0.channel, beyond: taken, of: members) }
        let recorded = streamed?.decisions ?? RecordedDecisions()
        var decisions: SiteDecisions
        if let catalog {
            withdrawn = nil
            state = try SiteState(of: catalog, recorded)
            decisions = try SiteDecisions(of: catalog, in: version.model, recorded)
            if try catalog.groupRevision().removals > 0 {
                decisions.hidden.formUnion(try catalog.missingGroups(of: version.model))
            }
        } else {
            withdrawn = try store.withdrawnGroups()
            let published = PublishedDecisions(
                version.manifest, version.model, newest: try store.versions().last, recorded, withdrawn)
            state = published.state
            decisions = published.decisions
        }
        var usual = PlanConfiguration()
        usual.relations = Coterie.relations
        snapshot = VisibleSnapshot(version, decisions, planning: planning ?? Planning(usual))
    }

    /// Returns the state for which a group is not shown, in a word, or `nil` if it is shown or unknown.
    ///
    /// - Parameter record: the group in the catalog, if it is there.
    func concealment(of id: String, _ record: GroupRecord?) -> String? {
        if let word = record?.visibility.concealment ?? withdrawn?.reason(forGroup: id)?.word { return word }
        if record?.isHidden == true || state.hidden[BytewiseString(id)] != nil { return "hidden" }
        return model.hides(id) ? Self.removed : nil
    }

    /// The word for a group that was removed since the version was made, or that has another id.
    static let removed = "removed"
}

extension WithdrawnGroups.Reason {
    /// The reason as a word for people.
    fileprivate var word: String { rawValue }
}

extension Visibility {
    /// The visibility in a word, or `nil` for public.
    fileprivate var concealment: String? {
        switch self {
        case .public: nil
        case .private: "private"
        case .unknown: "undescribed"
        }
    }
}
