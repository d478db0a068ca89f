public import Model
import SQLite

/// A change that a daemon with a journal of its own acknowledged: named by the journal and a number.
public struct JournaledChange: Sendable, Equatable {
    /// The journal.
    public var origin: String
    /// Numbers the changes of the journal, ascending.
    public var sequence: Int64
    /// What was changed.
    public var change: CatalogChange

    /// A change.
    public init(origin: String, sequence: Int64, change: CatalogChange) {
        self.origin = origin
        self.sequence = sequence
        self.change = change
    }

    /// A change as it came from another program.
    ///
    /// - Parameter body: what `CatalogChange.encoded` gave.
    /// - Throws: `CatalogError.Code.badData` if it is something else.
    public init(origin: String, sequence: Int64, encoded body: [UInt8]) throws(CatalogError) {
        self.init(origin: origin, sequence: sequence, change: try CatalogChange(encoded: body))
    }
}

/// What became of changes of journals that were applied to the catalog.
public struct AppliedChangeCounts: Sendable, Equatable {
    /// Changes applied.
    public var applied = 0
    /// Changes that had been applied before.
    public var repeated = 0
    /// Interactions, and decisions of the site, about groups that the catalog does not have.
    public var leftOut = 0

    /// Nothing yet.
    public init() {}

    /// The sums.
    public static func + (one: AppliedChangeCounts, other: AppliedChangeCounts) -> AppliedChangeCounts {
        var sum = one
        sum.applied += other.applied
        sum.repeated += other.repeated
        sum.leftOut += other.leftOut
        return sum
    }
}

extension Catalog {
    /// Applies changes that daemons acknowledged, each once however often it comes, in one transaction that is durable
    /// when this returns, on a catalog opened for recording.
    ///
    /// What was acknowledged is not refused: interactions with groups that have become private or hidden since are
    /// kept, and only those with groups that no longer exist are left out.
    ///
    /// - Parameter changes: those of each journal in the order of their numbers.
    /// - Throws: `CatalogError`; then none of them was applied.
    public func apply(journaled changes: [JournaledChange]) throws(CatalogError) -> AppliedChangeCounts {
        try database.transaction(wrap: CatalogError.init) { () throws(CatalogError) in
            let members = try wrapping { () throws(DatabaseError) in
                try InteractionRecorder(database, takesAnyGroup: true)
            }
            let site = SiteRecorder(self, isFromJournals: true)
            var counts = AppliedChangeCounts()
            for change in changes {
                guard try noteIfNew(change) else {
                    counts.repeated += 1
                    continue
                }
                counts.applied += 1
                switch change.change {
                case .member(let change):
                    counts.leftOut += try wrapping { () throws(DatabaseError) in try members.applyLeavingOut(change) }
                case .site(let change): if try site.apply(change) == .unknownGroup { counts.leftOut += 1 }
                }
            }
            try finish(members, site)
            return counts
        }
    }

    /// Notes that a change of a journal is applied.
    ///
    /// - Returns: false if it was applied before.
    private func noteIfNew(_ change: JournaledChange) throws(CatalogError) -> Bool {
        try wrapping { () throws(DatabaseError) in
            let note = try database.prepare(
                """
                INSERT INTO journals VALUES (?1, ?2) ON CONFLICT DO UPDATE SET sequence = ?2 WHERE sequence < ?2
                """)
            note.bind(change.origin, at: 1)
            note.bind(change.sequence, at: 2)
            let before = database.totalChanges
            try note.run()
            return database.totalChanges > before
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
        while case .unknownGroup(let place) = try apply(change), case .record(var interactions) = change.action {
            interactions.remove(at: place)
            change.action = .record(interactions)
            leftOut += 1
        }
        return leftOut
    }
}
