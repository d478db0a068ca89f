import Basics
import CatalogStore
import Model
import ModelStore

extension RecomputeJob {
    /// Applies to the catalog the changes that daemons and commands recorded.
    func applyChanges(_ clock: StepClock, _ observer: any RecomputeObserver) throws(Failure) {
        guard !parameters.isDryRun, CatalogLog.isThere(besideCatalog: catalogPath, store) else { return }
        if store.shared != nil { warnOfOtherCatalog(observer) }
        try clock.step(StepName.applyChanges) { () throws(Failure) in
            let outcome = try CatalogLog.apply(
                to: catalogPath, store, relations: parameters.relations, skipsMissing: parameters.skipsMissingChanges,
                at: startedAtMilliseconds)
            for warning in outcome.warnings { observer.warn(warning) }
            return ((), outcome.summary)
        }
    }

    /// Warns if the current version was made from a later state of the catalog, or from another catalog.
    ///
    /// The catalog may be a copy that takes over the changes of the site, and publishes to its daemons.
    private func warnOfOtherCatalog(_ observer: any RecomputeObserver) {
        guard let current = try? store.current(),
            let manifest = try? store.versions().first(where: { $0.version == current }),
            let count = try? Catalog(path: catalogPath, mode: .reading).changeCount(),
            count < manifest.catalog.changeCount
        else { return }
        observer.warn(
            """
            the current version in \(store.location) was made from a catalog with more changes than \(catalogPath) has; \
            after a restore that is right. A copy of a catalog needs a store of its own, such as another database: name \
            it with --store
            """)
    }
}
