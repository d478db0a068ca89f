import CatalogStore
import CommandLine
import Recompute

extension ParsedCommand {
    /// Tells the store what the site has decided, and which groups the catalog shows no more.
    ///
    /// The catalog has the change already, so a failure is a warning.
    func publishSite() throws {
        let catalog = try Catalog(path: text("catalog"), mode: .reading, relations: Coterie.relations)
        if let warning = try SitePublication.publish(to: openStore(), from: catalog) {
            printToStandardError("warning: \(warning)")
        }
    }
}
