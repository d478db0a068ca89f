import CatalogStore
import Model
import ModelStore

extension RecomputeJob {
    /// How many changes are read, and applied in one transaction.
    private static let changesPerTransaction = 2000

    /// Applies to the catalog what daemons with journals of their own acknowledged.
    ///
    /// - Returns: how far the stream was read; nil if the store has none, or nothing was ever in it.
    func applyJournaledChanges(_ clock: StepClock) throws(RecomputeError) -> StreamPosition? {
        guard let channel = store.shared?.channel, !parameters.isDryRun else { return nil }
        // A list, as without optimisation Swift 6.3 returns an optional position from a generic call to a wrong place.
        let positions = try clock.step(StepName.applyChanges) { () throws(RecomputeError) in
            // What is added while this runs is for the next time.
            guard let end = try Self.end(of: channel) else { return ([StreamPosition](), "no changes") }
            let (counts, position) = try apply(channel, upTo: end)
            var outcome = "\(counts.applied) changes"
            if counts.repeated > 0 { outcome += ", \(counts.repeated) known already" }
            if counts.leftOut > 0 { outcome += ", \(counts.leftOut) left out as their groups do not exist" }
            return ([position], outcome)
        }
        return positions.first
    }

    private static func end(of channel: SharedChannel) throws(RecomputeError) -> StreamPosition? {
        do throws(StoreError) {
            var stream = try channel.changes()
            return try stream.lastPosition()
        } catch { throw .store(error) }
    }

    /// Applies what the stream has up to a position, and what little may follow it.
    private func apply(_ channel: SharedChannel, upTo end: StreamPosition) throws(RecomputeError)
        -> (AppliedChangeCounts, through: StreamPosition)
    {
        var counts = AppliedChangeCounts()
        var position = StreamPosition.start
        var failure: RecomputeError?
        do throws(StoreError) {
            var stream = try channel.changes()
            while position < end, failure == nil {
                let entries = try stream.read(after: position, limit: Self.changesPerTransaction)
                guard let last = entries.last else { break }
                do throws(RecomputeError) { counts = counts + (try apply(entries)) } catch { failure = error }
                position = last.position
            }
        } catch { throw .store(error) }
        if let failure { throw failure }
        return (counts, max(position, end))
    }

    /// Applies some changes, in one transaction.
    private func apply(_ entries: [(position: StreamPosition, change: ChangeStream.Change)]) throws(RecomputeError)
        -> AppliedChangeCounts
    {
        var changes: [JournaledChange] = []
        for entry in entries { changes.append(try Self.journaled(entry.change, at: entry.position)) }
        do throws(CatalogError) {
            return try Catalog(path: catalogPath, mode: .recording, relations: parameters.relations)
                .apply(journaled: changes)
        } catch { throw .catalog(error) }
    }

    private static func journaled(_ change: ChangeStream.Change, at position: StreamPosition) throws(RecomputeError)
        -> JournaledChange
    {
        do throws(CatalogError) {
            return try JournaledChange(origin: change.origin, sequence: change.sequence, encoded: change.body)
        } catch {
            throw .catalog(
                CatalogError(
                    error.code,
                    "the change at \(position) of the stream: \(error.message); upgrade, or remove it with XDEL"))
        }
    }

    /// Removes from the stream the changes that are in the catalog, and in the current version.
    ///
    /// Decisions of the site stay as long as the store has a version without them: a daemon that starts with such a
    /// version, after a rollback, must not show what is hidden.
    func trimStream(through position: StreamPosition?) throws(StoreError) {
        guard let position, let channel = store.shared?.channel else { return }
        let taken = TakenChanges.inAll(try store.versions().map { $0.taken })
        var stream = try channel.changes()
        var cursor = StreamPosition.start
        while cursor < position {
            let entries = try stream.read(after: cursor, limit: Self.changesPerTransaction)
            guard let last = entries.last else { return }
            cursor = last.position
            let dispensable = entries.filter { entry in
                guard entry.position <= position else { return false }
                return taken.contains(entry.change.sequence, of: entry.change.origin)
                    || !Self.isOfSite(entry.change)
            }
            try stream.remove(dispensable.map(\.position))
        }
    }

    private static func isOfSite(_ change: ChangeStream.Change) -> Bool {
        (try? CatalogChange(encoded: change.body))?.isOfSite == true
    }
}
