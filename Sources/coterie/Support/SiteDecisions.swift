import Catalog
import CommandLineOptions
import FoundationEssentials
import Model
import Service

/// What the site has decided by now: the catalog knows better than a version that is days old.
struct SiteDecisions {
    /// Groups of the version that are private or hidden.
    let hidden: Set<UInt32>
    /// Groups of the version that are put forward; nil without a catalog: as the version says.
    let curated: [CuratedGroup]?

    init(_ catalog: Catalog?, _ model: ModelVersion) throws(CatalogError) {
        hidden = try catalog?.unshownGroups(in: model) ?? []
        curated = try catalog?.curatedGroups(in: model)
    }
}

extension GroupRecord {
    /// Why the group is shown to nobody, in a word; nil if it is shown.
    var concealment: String? { isHidden ? "hidden" : visibility == .private ? "private" : nil }
}

extension ParsedCommand {
    /// Makes a change of the site's in the catalog, right now.
    func apply(_ action: SiteChange.Action, to group: String) throws -> SiteChange.Outcome {
        let catalog = try Catalog(path: text("catalog"), mode: .recording)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let outcome = try catalog.apply(SiteChange(ofGroup: group, action, atMilliseconds: now))
        guard outcome != .unknownGroup else {
            throw Lookup.unknown(.groups, group, near: try catalog.idsNear(group, in: .groups))
        }
        return outcome
    }
}
