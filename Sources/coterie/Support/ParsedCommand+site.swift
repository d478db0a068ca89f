import CatalogStore
import Model
import CommandLineOptions
import FoundationEssentials

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
