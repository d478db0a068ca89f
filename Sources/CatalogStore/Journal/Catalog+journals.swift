public import Model
import SQLite

/// What became of changes of journals that were applied to the catalog.
public struct AppliedChangeCounts: Sendable, Equatable {
    /// Changes applied.
    public var applied = 0
    /// Changes that had been applied before.
    public var repeated = 0
    /// Changes that were not applied, as others of their journal before them are missing.
    public var held = 0
    /// Changes that this program cannot read: they are kept in the catalog as they came.
    public var unreadable = 0
    /// Interactions and decisions of the site about groups that the catalog does not have, and removals of what it does
    /// not have.
    public var leftOut = 0

    /// Nothing yet.
    public init() {}

    /// The sums.
    public static func + (one: AppliedChangeCounts, other: AppliedChangeCounts) -> AppliedChangeCounts {
        var sum = one
        sum.applied += other.applied
        sum.repeated += other.repeated
        sum.held += other.held
        sum.unreadable += other.unreadable
        sum.leftOut += other.leftOut
        return sum
    }
}

extension Catalog {
    /// Applies changes that daemons acknowledged, each once however often it comes, in one transaction that is durable
    /// when this returns, on a catalog opened for recording.
    ///
    /// Of each journal only the change that follows the last one is applied. What was acknowledged is not refused:
    /// interactions with groups that have become private or hidden since are kept, and only those with groups that no
    /// longer exist are left out.
    ///
    /// - Parameter changes: those of each journal in the order of their numbers.
    /// - Throws: `CatalogError`; then none of them was applied.
    public func apply(journaled changes: [JournaledChange]) throws(CatalogError) -> AppliedChangeCounts {
        let counts: AppliedChangeCounts = try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            let members = try wrapping { () throws(DatabaseError) in
                try InteractionRecorder(database, isReplaying: true)
            }
            let site = SiteRecorder(self, isFromJournals: true)
            let taken = try takenChanges()
            var here: [String: KeptNumbers] = [:]
            var counts = AppliedChangeCounts()
            for change in changes {
                var numbers = here[change.origin] ?? KeptNumbers(after: 0, last: taken.last(of: change.origin))
                switch numbers.verdict(on: change.sequence) {
                case .repeated: counts.repeated += 1
                case .missing: counts.held += 1
                case .next:
                    try apply(change, members, site, &counts)
                    numbers.last = change.sequence
                    here[change.origin] = numbers
                }
            }
            try noteTaken(here.mapValues(\.last))
            try finish(members, site)
            return counts
        }
        // If somebody reads just now, it is overwritten later.
        if changes.contains(where: { $0.forgottenUserID != nil }) { _ = try eraseRemoved(waits: true) }
        return counts
    }

    private func apply(
        _ change: JournaledChange, _ members: InteractionRecorder, _ site: SiteRecorder,
        _ counts: inout AppliedChangeCounts
    ) throws(CatalogError) {
        counts.applied += 1
        switch change.content {
        case .change(.member(let change)):
            counts.leftOut += try wrapping { () throws(DatabaseError) in try members.applyLeavingOut(change) }
        case .change(.site(let change)):
            if try site.apply(change) == .unknownGroup { counts.leftOut += 1 }
        case .change(.removal(let change)): if try apply(change) == .unknown { counts.leftOut += 1 }
        case .unreadable(let body):
            counts.unreadable += 1
            try wrapping { () throws(DatabaseError) in
                let keep = try database.prepare("INSERT INTO unreadable_changes VALUES (?, ?, ?)")
                keep.bind(change.origin, at: 1)
                keep.bind(change.sequence, at: 2)
                keep.bind(bytes: body, at: 3)
                try keep.run()
            }
        }
    }

    /// Notes the last change of each journal that was applied.
    func noteTaken(_ sequences: [String: Int64]) throws(CatalogError) {
        try wrapping { () throws(DatabaseError) in
            let note = try database.prepare(
                "INSERT INTO journals VALUES (?1, ?2) ON CONFLICT DO UPDATE SET sequence = excluded.sequence")
            for (origin, sequence) in sequences {
                note.bind(origin, at: 1)
                note.bind(sequence, at: 2)
                try note.run()
            }
        }
    }

    /// Counts changes that no journal and no stream has any more as applied, so that those after them can be.
    ///
    /// - Parameter sequence: the last of them.
    public func skipMissing(through sequence: Int64, of origin: String) throws(CatalogError) {
        try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            guard sequence > (try takenChanges()).last(of: origin) else { return }
            try noteTaken([origin: sequence])
        }
    }
}

extension Catalog {
    /// Which changes of journals were applied so far.
    public func takenChanges() throws(CatalogError) -> TakenChanges {
        try wrapping { () throws(DatabaseError) in
            var sequences: [String: Int64] = [:]
            let rows = try database.prepare("SELECT origin, sequence FROM journals")
            while try rows.step() { sequences[rows.text(0)] = rows.integer(1) }
            return TakenChanges(sequences)
        }
    }
}

extension InteractionRecorder {
    /// Makes a change but for interactions with groups that do not exist.
    ///
    /// - Returns: how many were left out.
    fileprivate func applyLeavingOut(_ change: MemberChange) throws(DatabaseError) -> Int {
        var change = change
        var leftOut = 0
        // Everything in it was forgotten.
        if change.action == .record([]) { return 0 }
        while case .unknownGroup(let index) = try apply(change), case .record(var interactions) = change.action {
            interactions.remove(at: index)
            change.action = .record(interactions)
            leftOut += 1
        }
        return leftOut
    }
}
