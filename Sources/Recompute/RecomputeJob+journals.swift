import CatalogStore
import Changes
import Model
import ModelStore

extension RecomputeJob {
    /// Applies to the catalog the changes that daemons with journals of their own acknowledged.
    ///
    /// Of each journal, it applies the changes after those already applied, up to the first that is missing or needs a
    /// newer program.
    func applyJournaledChanges(_ clock: StepClock, _ observer: any RecomputeObserver) throws(RecomputeError) {
        guard let channel = store.shared?.channel, !parameters.isDryRun else { return }
        warnOfOtherCatalog(observer)
        sendDecisions(to: channel, observer)
        try clock.step(StepName.applyChanges) { () throws(RecomputeError) in
            // Changes that are added during the run are left to the next run.
            var streams: JournalStreams
            do throws(StoreError) { streams = try channel.journals() } catch { throw RecomputeError.store(error) }
            let survey: [String: StreamedNumbers]
            do throws(ChangeError) { survey = try streams.survey() } catch { throw Self.failed(error) }
            guard !survey.isEmpty else { return ((), "no changes") }
            let catalog: Catalog
            do throws(CatalogError) {
                catalog = try Catalog(path: catalogPath, mode: .recording, relations: parameters.relations)
            } catch { throw RecomputeError.catalog(error) }
            let (counts, stopping) = try catalog.takeOver(
                through: survey.mapValues(\.last), skipsMissing: parameters.skipsMissingChanges,
                wrap: RecomputeError.catalog
            ) { origin, after, limit throws(RecomputeError) in
                do throws(ChangeError) { return try streams.changes(of: origin, after: after, limit: limit) } catch {
                    throw Self.failed(error)
                }
            }
            for changes in counts.givenUp { observer.warn(Self.warning(changes)) }
            for (origin, change) in stopping.sorted(by: { $0.key < $1.key }) {
                observer.warn(Self.warning(origin, change))
            }
            return ((), Self.outcome(counts))
        }
    }

    /// Sends the decisions of commands that ended before they had sent them.
    private func sendDecisions(to channel: SharedChannel, _ observer: any RecomputeObserver) {
        guard let log = DecisionLog(existingBesideCatalog: catalogPath, for: channel) else { return }
        do throws(StoreError) {
            let count = try log.send()
            if count > 0 { observer.warn("\(count) decisions of earlier commands were sent to \(channel.location)") }
        } catch { observer.warn("decisions of earlier commands were not sent: \(error.message)") }
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

    private static func warning(_ origin: String, _ change: StoppingChange) -> String {
        guard change.isNewer else {
            return """
                change \(change.sequence) of the journal \(origin) is missing, and those after it, up to \
                \(change.last), wait for it; a daemon that has it sends it again. If none is left that does, take \
                what follows with --skip-missing
                """
        }
        return """
            change \(change.sequence) of the journal \(origin) needs a newer program, and those after it, up to \
            \(change.last), wait for it; upgrade this one, which applies them then. To give up what it cannot read, \
            take what follows with --skip-missing
            """
    }

    private static func warning(_ changes: GivenUpChanges) -> String {
        let (first, last) = (changes.numbers.lowerBound, changes.numbers.upperBound)
        let numbers = first == last ? "change \(first)" : "changes \(first) to \(last)"
        return "\(numbers) of the journal \(changes.origin) given up for good (--skip-missing): "
            + (changes.isNewer ? "a newer program could have read them" : "no source has them")
    }

    private static func outcome(_ counts: AppliedChangeCounts) -> String {
        var outcome = "\(counts.applied) changes"
        if counts.repeated > 0 { outcome += ", \(counts.repeated) known already" }
        if counts.leftOut > 0 { outcome += ", \(counts.leftOut) left out as what they are about does not exist" }
        if !counts.givenUp.isEmpty { outcome += ", \(counts.givenUp.reduce(0) { $0 + $1.numbers.count }) given up" }
        if counts.held > 0 { outcome += ", \(counts.held) held back as others before them are missing" }
        return outcome
    }

    private static func failed(_ error: ChangeError) -> RecomputeError { .store(StoreError(error)) }
}
