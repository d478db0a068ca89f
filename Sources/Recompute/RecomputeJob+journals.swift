import CatalogStore
import Model
import ModelStore

extension RecomputeJob {
    /// The number of changes that are applied in one transaction.
    private static let changesPerTransaction = 2000

    /// Applies to the catalog the changes that daemons with journals of their own acknowledged.
    ///
    /// Of each journal, it applies the changes after those already applied, up to the first missing change.
    func applyJournaledChanges(_ clock: StepClock, _ observer: any RecomputeObserver) throws(RecomputeError) {
        guard let channel = store.shared?.channel, !parameters.isDryRun else { return }
        try clock.step(StepName.applyChanges) { () throws(RecomputeError) in
            // Changes that are added during the run are left to the next run.
            let survey = try Self.stored { () throws(StoreError) in
                var streams = try channel.journals()
                return try streams.survey()
            }
            guard !survey.isEmpty else { return ((), "no changes") }
            var counts = try apply(survey, from: channel)
            var missing = try missing(in: survey)
            while parameters.skipsMissingChanges, !missing.isEmpty {
                for origin in missing.keys.sorted() { try skip(origin, survey, channel) }
                let more = try apply(survey, from: channel)
                counts = counts + more
                counts.held = more.held
                missing = try self.missing(in: survey)
            }
            for (origin, numbers) in missing.sorted(by: { $0.key < $1.key }) {
                observer.warn(
                    """
                    change \(numbers.after + 1) of the journal \(origin) is missing, and those after it, up to \
                    \(numbers.last), wait for it; a daemon that has it sends it again. If none is left that does, take \
                    what follows with --skip-missing
                    """)
            }
            return ((), Self.outcome(counts))
        }
    }

    private static func outcome(_ counts: AppliedChangeCounts) -> String {
        var outcome = "\(counts.applied) changes"
        if counts.repeated > 0 { outcome += ", \(counts.repeated) known already" }
        if counts.leftOut > 0 { outcome += ", \(counts.leftOut) left out as their groups do not exist" }
        if counts.unreadable > 0 { outcome += ", \(counts.unreadable) of them put aside as they cannot be read" }
        if counts.held > 0 { outcome += ", \(counts.held) held back as others before them are missing" }
        return outcome
    }

    private func apply(_ survey: [String: StreamedNumbers], from channel: SharedChannel) throws(RecomputeError)
        -> AppliedChangeCounts
    {
        var counts = AppliedChangeCounts()
        let taken = try takenChanges()
        var streams = try Self.stored { () throws(StoreError) in try channel.journals() }
        var merge = ChangeMerge(
            survey.reduce(into: [:]) { numbers, stream in
                numbers[stream.key] = KeptNumbers(after: taken.last(of: stream.key), last: stream.value.last)
            })
        while true {
            let changes: [JournaledChange]
            do throws(StoreError) {
                changes = try merge.next(limit: Self.changesPerTransaction) { origin, after, limit throws(StoreError) in
                    try streams.changes(of: origin, after: after, limit: limit).map { change in
                        JournaledChange(
                            origin: origin, sequence: change.sequence, stampMilliseconds: change.stampMilliseconds,
                            encoded: change.body)
                    }
                }
            } catch { throw .store(error) }
            if changes.isEmpty { return counts }
            let applied = try cataloged { catalog throws(CatalogError) in try catalog.apply(journaled: changes) }
            counts = counts + applied
        }
    }

    /// Returns the changes in the streams that follow a missing change, by journal.
    private func missing(in survey: [String: StreamedNumbers]) throws(RecomputeError) -> [String: KeptNumbers] {
        let taken = try takenChanges()
        return survey.reduce(into: [:]) { missing, stream in
            let last = taken.last(of: stream.key)
            if last < stream.value.last { missing[stream.key] = KeptNumbers(after: last, last: stream.value.last) }
        }
    }

    /// Counts the missing changes of a journal as applied, up to the next change that is present.
    private func skip(_ origin: String, _ survey: [String: StreamedNumbers], _ channel: SharedChannel)
        throws(RecomputeError)
    {
        let last = try takenChanges().last(of: origin)
        let next = try Self.stored { () throws(StoreError) in
            var streams = try channel.journals()
            return try streams.changes(of: origin, after: last, limit: 1).first?.sequence
        }
        let end = survey[origin]?.last ?? last
        try cataloged { catalog throws(CatalogError) in
            try catalog.skipMissing(through: next.map { $0 - 1 } ?? end, of: origin)
        }
    }

    private func takenChanges() throws(RecomputeError) -> TakenChanges {
        try cataloged { catalog throws(CatalogError) in try catalog.takenChanges() }
    }

    private func catalogToWrite() throws(CatalogError) -> Catalog {
        try Catalog(path: catalogPath, mode: .recording, relations: parameters.relations)
    }

    private func cataloged<Result>(_ body: (Catalog) throws(CatalogError) -> Result) throws(RecomputeError) -> Result {
        do throws(CatalogError) { return try body(catalogToWrite()) } catch { throw .catalog(error) }
    }

    private static func stored<Result: ~Copyable>(_ body: () throws(StoreError) -> Result) throws(RecomputeError)
        -> Result
    {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }
}
