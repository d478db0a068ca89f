package import Basics
package import Changes
import Model
import SQLite

/// The part of a catalog that applies changes of journals; files are imported by `Importer`.
package struct Ingest {
    private let catalog: Catalog

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// The number of changes that are applied in one transaction.
    private static var changesPerTransaction: Int { 2000 }

    /// Applies changes that daemons acknowledged, in one transaction; repeated changes have no effect.
    ///
    /// The changes are durable when this returns, on a catalog opened for recording. A change is applied only if it
    /// follows the last one of its journal. The first change of a journal that needs a newer program holds back those
    /// after it.
    ///
    /// Acknowledged changes are not refused. Interactions are kept even if their groups have become private or hidden
    /// since. Only interactions with groups that no longer exist are left out.
    ///
    /// - Parameter changes: the changes of each journal in the order of their numbers.
    /// - Throws: `Failure`; then no change was applied.
    package func apply(journaled changes: [JournaledChange]) throws(Failure) -> AppliedChangeCounts {
        try catalog.checkPlace()
        let counts = try catalog.database.transaction { () throws(Failure) in
            let applier = try ChangeApplier(catalog)
            let taken = try catalog.facts.appliedChanges()
            var here: [String: SequenceRange] = [:]
            var counts = AppliedChangeCounts()
            for change in changes {
                var numbers = here[change.origin] ?? SequenceRange(after: 0, last: taken.last(of: change.origin))
                switch numbers.verdict(on: change.sequence) {
                case .repeated: counts.repeated += 1
                case .next where !change.isNewer:
                    counts.applied += 1
                    if let content = change.change {
                        counts.leftOut += try applier.apply(content, stamp: change.stampMilliseconds)
                    }
                    numbers.last = change.sequence
                    here[change.origin] = numbers
                case .next, .missing: counts.held += 1
                }
            }
            try noteTaken(here.mapValues(\.last))
            counts.leftOut += try applier.finish()
            return counts
        }
        // If another connection is reading now, the data is overwritten later.
        if changes.contains(where: { $0.change?.forgottenUserID != nil }) { _ = try catalog.removal.eraseRemoved() }
        return counts
    }

    /// Applies the changes of journals or streams that the catalog lacks, in the order in which changes apply.
    ///
    /// - Parameters:
    ///   - last: the last change to apply of each journal; changes that are added later are ignored.
    ///   - skipsMissing: whether to give up changes that are missing or need a newer program, and to apply those after
    ///     them.
    ///   - read: returns at most `limit` changes of a journal after a number, in the order of their numbers.
    /// - Returns: the counts, and the changes that hold back others, by journal.
    package func takeOver(
        through last: [String: Int64], skipsMissing: Bool,
        _ read: (_ origin: String, _ after: Int64, _ limit: Int) throws(Failure) -> [JournaledChange]
    ) throws(Failure) -> (counts: AppliedChangeCounts, stopping: [String: StoppingChange]) {
        var counts = AppliedChangeCounts()
        while true {
            let taken = try catalog.facts.appliedChanges()
            var merge = ChangeMerge(
                last.reduce(into: [:]) { numbers, entry in
                    numbers[entry.key] = SequenceRange(after: taken.last(of: entry.key), last: entry.value)
                })
            counts.held = 0
            while true {
                let changes = try merge.next(limit: Self.changesPerTransaction, read)
                if changes.isEmpty { break }
                let more = try apply(journaled: changes)
                counts.applied += more.applied
                counts.repeated += more.repeated
                counts.held += more.held
                counts.leftOut += more.leftOut
            }
            let now = try catalog.facts.appliedChanges()
            var stopping: [String: StoppingChange] = [:]
            for (origin, end) in last.sorted(by: { $0.key < $1.key }) where now.last(of: origin) < end {
                let number = now.last(of: origin) + 1
                let next = try read(origin, number - 1, Self.changesPerTransaction)
                // Consecutive changes that need a newer program are given up together.
                let newer = next.enumerated().prefix { $1.isNewer && $1.sequence == number + Int64($0) }.count
                stopping[origin] = StoppingChange(number, last: end, isNewer: newer > 0)
                guard skipsMissing else { continue }
                let given = newer > 0 ? number + Int64(newer) - 1 : next.first.map { $0.sequence - 1 } ?? end
                try skipMissing(through: min(given, end), of: origin)
                counts.givenUp.append(
                    GivenUpChanges(origin: origin, numbers: number...max(number, min(given, end)), isNewer: newer > 0))
            }
            if stopping.isEmpty || !skipsMissing { return (counts, stopping) }
        }
    }

    /// Stores the number of the last applied change of each journal.
    func noteTaken(_ sequences: [String: Int64]) throws(Failure) {
        let note = try catalog.database.prepare(
            "INSERT INTO journals VALUES (?1, ?2) ON CONFLICT DO UPDATE SET sequence = excluded.sequence")
        for (origin, sequence) in sequences {
            try note.run(origin, sequence)
        }
    }

    /// Counts missing changes as applied, and lets those after them be applied.
    ///
    /// - Parameter sequence: the last change to give up.
    func skipMissing(through sequence: Int64, of origin: String) throws(Failure) {
        try catalog.database.transaction { () throws(Failure) in
            guard sequence > (try catalog.facts.appliedChanges()).last(of: origin) else { return }
            try noteTaken([origin: sequence])
        }
    }
}

/// Applies changes of journals to the catalog; a journal has acknowledged them, so none is refused.
final class ChangeApplier {
    private let catalog: Catalog
    private let members: InteractionRecorder
    private let site: SiteRecorder
    private let renamed: RenamedIDs
    private let removals: NotedRemovals
    /// Removals that follow one another: together they are much faster.
    private var batch: RemovalBatch?

    init(_ catalog: Catalog) throws(Failure) {
        self.catalog = catalog
        members = try InteractionRecorder(catalog)
        site = SiteRecorder(catalog)
        renamed = RenamedIDs(catalog)
        removals = NotedRemovals(catalog.database)
    }

    /// Applies a change within a transaction of the caller; one under an old id counts for the new id.
    ///
    /// The first interaction or interest of an unknown member adds the member. Joins and leaves change the memberships
    /// as well, and so for favourites and follows. The latest event counts; a pair without a time is older than any
    /// event.
    ///
    /// A removal waits for others that follow it; `finish` applies the last ones.
    ///
    /// - Parameter stamp: the stamp of the change, in milliseconds.
    /// - Returns: the number of parts that were left out, because what they are about does not exist or was removed.
    func apply(_ change: Change, stamp: Int64) throws(Failure) -> Int {
        if case .removal = change, case .removal(let removal) = try renamed.applied(to: change, stamp: stamp) {
            if batch?.add(removal, stamp: stamp, catalog.relations) == true { return 0 }
            let leftOut = try removeBatch()
            batch = RemovalBatch(removal, stamp: stamp, catalog.relations)
            return leftOut + (batch == nil ? 1 : 0)
        }
        let earlier = try removeBatch()
        let (kept, leftOut) = try withoutRemoved(change, stamp: stamp)
        let isThere: Bool
        switch try renamed.applied(to: kept, stamp: stamp) {
        case .member(let change): return earlier + leftOut + (try members.apply(change, stamp: stamp))
        case .site(let change): isThere = try site.apply(change)
        case .renaming(let change): isThere = try catalog.removal.apply(change, stamp: stamp)
        case .removal: isThere = true
        }
        return earlier + (isThere ? 0 : 1)
    }

    private func removeBatch() throws(Failure) -> Int {
        guard let waiting = batch.take() else { return 0 }
        return try waiting.remove(from: catalog)
    }

    /// Returns a change without the parts that are older than the removal of what they name, and their number.
    ///
    /// They are looked for under the ids of the change, and under the new ids of what was renamed.
    private func withoutRemoved(_ change: Change, stamp: Int64) throws(Failure) -> (kept: Change, leftOut: Int) {
        guard case .member = change, try !removals.areNone else { return (change, 0) }
        let (kept, leftOut) = try removals.filter(change, stamp: stamp)
        let (rest, more) = try removals.filter(renamed.applied(to: kept, stamp: stamp), stamp: stamp)
        return (rest, leftOut + more)
    }

    /// Applies the last removals, and records the number of changed rows and the columns that have values now.
    ///
    /// - Returns: the number of parts that were left out.
    func finish() throws(Failure) -> Int {
        let leftOut = try removeBatch()
        try NotedColumn.note(Set(members.timed.map(\.notedTime)), in: catalog.database)
        try catalog.recordChanges(members.contentChanges + site.contentChanges)
        return leftOut
    }
}

/// The counts of changes from journals that were offered to the catalog.
package struct AppliedChangeCounts: Sendable, Equatable {
    package var applied = 0
    /// The number of changes that had been applied before.
    package var repeated = 0
    /// The number of changes held back, because earlier ones of their journal are missing or need a newer program.
    package var held = 0
    /// The number of parts left out, because they are about groups or other things that the catalog lacks or removed.
    package var leftOut = 0
    /// The changes that were given up so that those after them could be applied.
    package var givenUp: [GivenUpChanges] = []

    package init() {}
}

/// Consecutive changes of a journal that were given up.
package struct GivenUpChanges: Sendable, Equatable {
    /// The name of the journal.
    package var origin: String
    package var numbers: ClosedRange<Int64>
    /// Whether the changes exist and need a newer program; otherwise they are missing.
    package var isNewer: Bool
}

/// The first change that keeps later ones of its journal from being applied.
package struct StoppingChange: Sendable, Equatable {
    package var sequence: Int64
    /// The number of the last change that waits for it.
    package var last: Int64
    /// Whether the change exists and needs a newer program; otherwise it is missing.
    package var isNewer: Bool

    package init(_ sequence: Int64, last: Int64, isNewer: Bool = false) {
        self.sequence = sequence
        self.last = last
        self.isNewer = isNewer
    }
}
