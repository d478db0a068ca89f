import Basics
import CatalogStore
import Model
import ModelStore

extension RecomputeJob {
    /// Applies to the catalog the changes that daemons and commands recorded.
    func applyChanges(_ clock: StepClock, _ observer: any RecomputeObserver) throws(Failure) {
        guard !parameters.isDryRun, CatalogLog.isThere(besideCatalog: catalogPath, store) else { return }
        try clock.step(.applyChanges) { () throws(Failure) in
            let outcome = try CatalogLog.apply(
                to: catalogPath, store, relations: parameters.relations, skipsMissing: parameters.skipsMissingChanges,
                at: startedAtMilliseconds)
            if store.shared != nil { warnOfOtherCatalog(outcome.changeCountBefore, observer) }
            for warning in outcome.warnings { observer.warn(warning) }
            return ((), outcome.summary)
        }
    }

    /// Checks that a catalog has all changes that the newest version of the store took.
    ///
    /// After applying, those that it lacks are nowhere any more. The catalog is then a copy, or comes from an old
    /// backup. A version of it would undo what was acknowledged.
    func checkDescent(of catalog: Facts) throws(Failure) {
        guard !parameters.isDryRun, !parameters.isForced, tablesPath == nil,
            let newest = try? store.versions().last
        else { return }
        let taken = try catalog.appliedChanges()
        let lost = newest.taken.sequences.filter { taken.last(of: $0.key) < $0.value }
        guard !lost.isEmpty else { return }
        let count = lost.reduce(0) { $0 + $1.value - taken.last(of: $1.key) }
        let time = UnixTime(seconds: newest.createdAtMilliseconds / 1000).map { ", made at \($0)," } ?? ""
        throw Failure(
            .badData,
            """
            \(catalogPath) lacks \(count) changes that members or the site made, that version \(newest.version)\(time) \
            has, and that no journal has any more. It is a copy, or comes from an older backup. Give another store \
            with --store, or publish without them with --force
            """)
    }

    /// Warns if the current version was made from a later state of the catalog, or from another catalog.
    ///
    /// The catalog may be a copy that takes over the changes of the site, and publishes to its daemons.
    ///
    /// - Parameter count: the number of changes that the catalog had before it took those.
    private func warnOfOtherCatalog(_ count: Int64, _ observer: any RecomputeObserver) {
        guard let current = try? store.current(),
            let manifest = try? store.versions().first(where: { $0.version == current }),
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
