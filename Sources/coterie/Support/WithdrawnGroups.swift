import CatalogStore
import CommandLine
import ModelStore
import Recompute

extension ParsedCommand {
    /// Tells the store which groups of its versions the catalog shows no more; daemons without the catalog hide them.
    ///
    /// The catalog has the change already, so a failure is a warning. The next recompute tells the store again.
    func publishWithdrawnGroups() throws {
        let store = try openStore()
        do throws(RecomputeError) {
            let catalog: Catalog
            do throws(CatalogError) {
                catalog = try Catalog(path: text("catalog"), mode: .reading, relations: Coterie.relations)
            } catch { throw .catalog(error) }
            guard try Withdrawal.publish(to: store, from: catalog) == nil else { return }
            printToStandardError(
                """
                warning: the versions in \(store.location) seem to come from another catalog, so daemons that have only \
                these versions were not told which groups are private by now: name this catalog's store with --store, \
                or recompute
                """)
        } catch {
            printToStandardError(
                """
                warning: \(store.location) was not told which groups are private by now: \(error). Daemons without the \
                catalog may show them until the next import of groups, or the next recompute
                """)
        }
    }
}
