import Catalog
import CommandLineOptions
import FoundationEssentials

extension ParsedCommand {
    /// Makes a change of the site's in the catalog, right now.
    func apply(_ action: SiteChange.Action, to group: String) throws -> SiteChange.Outcome {
        let catalog = try Catalog(path: text("catalog"), mode: .writing)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return try catalog.apply(SiteChange(ofGroup: group, action, atMilliseconds: now))
    }
}
